"""Claims of creditors on what units pay that a liquidation left in lien."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('credit', '0004_loan_cash_validated'),
    ]

    operations = [
        migrations.AddField(
            model_name='collateral',
            name='claimed',
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, max_digits=38),
        ),
        migrations.AddField(
            model_name='income',
            name='to_creditor',
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, max_digits=38),
        ),
        migrations.AddField(
            model_name='loan',
            name='claim',
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, help_text='Still owed to the creditor after a liquidation that left units in lien', max_digits=38),
        ),
        migrations.AddIndex(
            model_name='income',
            index=models.Index(condition=models.Q(('to_creditor__gt', 0)), fields=['loan'], name='income_of_claim'),
        ),
        AddConstraintNotValid(
            model_name='collateral',
            constraint=models.CheckConstraint(condition=models.Q(('claimed__gte', 0), ('claimed__lte', models.F('quantity'))), name='collateral_claimed'),
        ),
        migrations.AddConstraint(
            model_name='income',
            constraint=models.CheckConstraint(condition=models.Q(('to_creditor', 0), models.Q(('paid_to', 'loan'), ('to_creditor__gt', 0), ('to_creditor__lte', models.F('net'))), _connector='OR'), name='income_to_creditor'),
        ),
        AddConstraintNotValid(
            model_name='loan',
            constraint=models.CheckConstraint(condition=models.Q(('claim', 0), models.Q(('claim__gt', 0), ('status', 'LIQUIDATED')), _connector='OR'), name='loan_claim'),
        ),
    ]
