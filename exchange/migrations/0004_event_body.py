"""The body of an event is made by one function, for one event or many."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("exchange", "0003_currencies")]

    operations = sqlfiles.install("exchange", "emit_event")
