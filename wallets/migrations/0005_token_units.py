"""Token units are ledger assets."""

import django.db.models.deletion
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0005_tokens'),
        ('wallets', '0004_combined_requests'),
    ]

    operations = [
        migrations.AddField(
            model_name='asset',
            name='token',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='units', to='exchange.token'),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('deposit', 'Deposit'), ('withdrawal_hold', 'Withdrawal Hold'), ('withdrawal_settle', 'Withdrawal Settle'), ('withdrawal_release', 'Withdrawal Release'), ('withdrawal_reverse', 'Withdrawal Reverse'), ('provider_charge', 'Provider Charge'), ('units_issue', 'Units Issue'), ('units_retire', 'Units Retire'), ('order_reserve', 'Order Reserve'), ('order_release', 'Order Release'), ('trade', 'Trade'), ('raise_sale', 'Raise Sale'), ('raise_complete', 'Raise Complete'), ('raise_refund', 'Raise Refund')], max_length=30),
        ),
        migrations.AddConstraint(
            model_name='asset',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('currency__isnull', False), ('token__isnull', True)), models.Q(('currency__isnull', True), ('token__isnull', False)), _connector='OR'), name='asset_currency_or_token'),
        ),
        *sqlfiles.install("wallets", "token_units"),
    ]
