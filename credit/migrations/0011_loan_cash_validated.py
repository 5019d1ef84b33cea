"""The constraint that 0007 added without reading all loans."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('credit', '0010_units_worth_nothing'),
    ]

    operations = [
        ValidateConstraint(model_name='loan', name='loan_cash_collateral'),
    ]
