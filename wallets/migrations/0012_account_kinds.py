"""Kinds of accounts for money in, transfers, conversions and treasury.

The next migration checks the rows that exist, without a lock.
"""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0012_monthly_partitions'),
        ('wallets', '0011_transfer_txid'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='account',
            name='account_balance_not_negative',
        ),
        migrations.AlterField(
            model_name='account',
            name='kind',
            field=models.CharField(choices=[('available', 'Available'), ('escrow', 'Escrow'), ('lien', 'Lien'), ('reserved', 'Reserved'), ('unsold', 'Unsold'), ('raise', 'Raise'), ('uncleared', 'Uncleared'), ('receivable', 'Receivable'), ('clearing', 'Clearing'), ('fees', 'Fees'), ('expenses', 'Expenses'), ('issuance', 'Issuance'), ('unmatched', 'Unmatched'), ('treasury', 'Treasury'), ('position', 'Position'), ('principal', 'Principal'), ('interest', 'Interest'), ('loans', 'Loans')], max_length=10),
        ),
        AddConstraintNotValid(
            model_name='account',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('balance__isnull', False), models.Q(('balance__gte', 0), ('kind', 'receivable'), _connector='OR')), models.Q(('balance__isnull', True), ('organisation__isnull', True)), _connector='OR'), name='account_balance_not_negative'),
        ),
        AddConstraintNotValid(
            model_name='account',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'receivable'), _negated=True), ('balance__lte', 0), _connector='OR'), name='account_receivable_not_positive'),
        ),
    ]
