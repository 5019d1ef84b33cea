"""The constraint that 0003 added without reading all loans."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('credit', '0003_tax_principal_corrections'),
    ]

    operations = [
        ValidateConstraint(model_name='loan', name='loan_cash_collateral'),
    ]
