"""One function writes events, a set of one or many."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("exchange", "0018_what_a_trade_pays_for")]

    operations = sqlfiles.install("exchange", "emit_event")
