"""The account of withheld tax, its remittance, and the recovery of income: choices of models only."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wallets', '0002_distribution_kinds'),
    ]

    operations = [
        migrations.AlterField(
            model_name='account',
            name='kind',
            field=models.CharField(choices=[('available', 'Available'), ('escrow', 'Escrow'), ('lien', 'Lien'), ('reserved', 'Reserved'), ('unsold', 'Unsold'), ('raise', 'Raise'), ('uncleared', 'Uncleared'), ('receivable', 'Receivable'), ('clearing', 'Clearing'), ('fees', 'Fees'), ('expenses', 'Expenses'), ('issuance', 'Issuance'), ('unmatched', 'Unmatched'), ('treasury', 'Treasury'), ('position', 'Position'), ('payable', 'Distributions'), ('tax', 'Tax withheld'), ('principal', 'Principal'), ('interest', 'Interest'), ('loans', 'Loans and earned interest')], max_length=10),
        ),
        migrations.AlterField(
            model_name='treasurymovement',
            name='kind',
            field=models.CharField(choices=[('top_up', 'Float top-up'), ('draw_down', 'Float draw-down'), ('fee_payout', 'Payout of fee income'), ('position_close', 'Closing of a position'), ('tax_remittance', 'Remittance of tax')], max_length=20),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('deposit', 'Deposit'), ('deposit_clear', 'Deposit cleared'), ('deposit_charge', 'Provider charge of a deposit'), ('deposit_reverse', 'Deposit reversal'), ('deposit_hold', 'Hold of a disputed deposit'), ('deposit_release', 'Release of a disputed deposit'), ('payment_unmatched', 'Unmatched payment'), ('payment_refund', 'Refund of an unmatched payment'), ('receivable_repay', 'Receivable repayment'), ('receivable_write_off', 'Receivable write-off'), ('withdrawal_hold', 'Withdrawal hold'), ('withdrawal_settle', 'Withdrawal settlement'), ('withdrawal_release', 'Withdrawal release'), ('withdrawal_reverse', 'Withdrawal reversal'), ('provider_charge', 'Provider charge'), ('wallet_transfer', 'Transfer between wallets'), ('conversion', 'Conversion'), ('treasury', 'Treasury movement'), ('units_issue', 'Issue of units'), ('units_retire', 'Retirement of units'), ('order_reserve', 'Order reservation'), ('order_release', 'Order release'), ('trade', 'Trade'), ('raise_sale', 'Raise sale'), ('raise_complete', 'Raise completion'), ('raise_refund', 'Raise refund'), ('loan_disburse', 'Loan disbursement'), ('loan_repay', 'Loan repayment'), ('loan_pledge', 'Loan pledge'), ('loan_release', 'Loan release'), ('loan_liquidate', 'Loan liquidation'), ('loan_write_off', 'Loan write-off'), ('distribution_fund', 'Distribution funding'), ('distribution_pay', 'Distribution'), ('distribution_refund', 'Distribution refund'), ('distribution_recover', 'Recovery of a distribution')], max_length=30),
        ),
    ]
