"""A quote, and the prices a token is listed with, do not sell above what they buy at.

Quotes of before the rule stay as they are.
"""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("exchange", "0022_power_over_money")]

    operations = [
        AddConstraintNotValid(
            model_name="quote",
            constraint=models.CheckConstraint(
                condition=models.Q(("sell__lte", models.F("buy")), ("status", "Rejected"), _connector="OR"),
                name="quote_sell_not_above_buy",
            ),
        ),
        *sqlfiles.install("exchange", "token_terms"),
    ]
