"""The constraints that 0005 added without reading all rows."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('credit', '0005_claims'),
    ]

    operations = [
        ValidateConstraint(model_name='collateral', name='collateral_claimed'),
        ValidateConstraint(model_name='loan', name='loan_claim'),
    ]
