"""The account of withheld tax and its remittance: choices of the models, not of the tables."""

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
    ]
