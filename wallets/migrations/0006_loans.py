"""Accounts of a creditor's book of loans."""

from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):

    dependencies = [
        ('wallets', '0005_token_units'),
    ]

    operations = [
        migrations.AlterField(
            model_name='account',
            name='kind',
            field=models.CharField(choices=[('available', 'Available'), ('escrow', 'Escrow'), ('lien', 'Lien'), ('reserved', 'Reserved'), ('unsold', 'Unsold'), ('raise', 'Raise'), ('clearing', 'Clearing'), ('fees', 'Fees'), ('expenses', 'Expenses'), ('issuance', 'Issuance'), ('principal', 'Principal'), ('interest', 'Interest'), ('loans', 'Loans')], max_length=10),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('deposit', 'Deposit'), ('withdrawal_hold', 'Withdrawal Hold'), ('withdrawal_settle', 'Withdrawal Settle'), ('withdrawal_release', 'Withdrawal Release'), ('withdrawal_reverse', 'Withdrawal Reverse'), ('provider_charge', 'Provider Charge'), ('units_issue', 'Units Issue'), ('units_retire', 'Units Retire'), ('order_reserve', 'Order Reserve'), ('order_release', 'Order Release'), ('trade', 'Trade'), ('raise_sale', 'Raise Sale'), ('raise_complete', 'Raise Complete'), ('raise_refund', 'Raise Refund'), ('loan_disburse', 'Loan Disburse'), ('loan_repay', 'Loan Repay'), ('loan_pledge', 'Loan Pledge'), ('loan_release', 'Loan Release'), ('loan_liquidate', 'Loan Liquidate'), ('loan_write_off', 'Loan Write Off')], max_length=30),
        ),
        *sqlfiles.install("wallets", "account_start"),
    ]
