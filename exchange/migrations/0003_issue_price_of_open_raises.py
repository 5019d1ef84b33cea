"""State the issue price of raises that are open: the price in force, at which all units are sold.

What it was of completed raises, staff decide (`manage.py token_terms`).
"""

from django.db import migrations


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("exchange", "0002_token_terms")]

    operations = [
        migrations.RunSQL(
            "UPDATE exchange_token SET issue_price = price_buy"
            " WHERE NOT completed_raise AND NOT cancelled AND issue_price IS NULL"
            " AND price_buy > 0",
            migrations.RunSQL.noop,
        )
    ]
