"""Organisations are told an opaque id of a member of staff, never the login."""

from django.contrib.postgres.functions import RandomUUID
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("exchange", "0023_sell_not_above_buy")]

    operations = [
        migrations.AddField(
            model_name="staffuser",
            name="public_id",
            field=models.UUIDField(db_default=RandomUUID(), editable=False, unique=True),
        ),
        *sqlfiles.install("exchange", "told_actor", "access_guards"),
    ]
