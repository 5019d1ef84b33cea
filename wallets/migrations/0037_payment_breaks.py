"""Reports and breaks about payments."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wallets', '0036_deposit_failed_reference'),
    ]

    operations = [
        migrations.AddField(
            model_name='reconciliationbreak',
            name='payment',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.payment'),
        ),
        migrations.AddField(
            model_name='reconciliationline',
            name='payment',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.payment'),
        ),
        migrations.AlterField(
            model_name='reconciliation',
            name='compared',
            field=models.PositiveIntegerField(default=0, help_text="Payouts and payments compared with the provider's records"),
        ),
        migrations.AlterField(
            model_name='reconciliationbreak',
            name='kind',
            field=models.CharField(choices=[('Received', 'Received'), ('Charges of deposits', 'Deposit Charges'), ('In flight', 'In Flight'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Charges', 'Charges'), ('Opening clearing balance', 'Opening'), ('Deposits', 'Deposits'), ('Payouts', 'Payouts'), ('Provider charges', 'Charged'), ('Reversals', 'Reversals'), ('Treasury movements', 'Treasury'), ('Other movements', 'Other'), ('Closing clearing balance', 'Closing'), ('Provider balance', 'Balance'), ('In transit', 'In Transit'), ('Variance', 'Variance'), ('Missing at provider', 'Missing'), ('Not in our records', 'Unknown'), ('Amount', 'Amount'), ('Currency', 'Currency'), ('Account', 'Account'), ('Status', 'Status'), ('Provider charge', 'Fee'), ('Credited twice', 'Twice'), ('Unexplained variance', 'Unexplained'), ('Balance not provided', 'No Balance')], max_length=40),
        ),
        migrations.AlterField(
            model_name='reconciliationline',
            name='kind',
            field=models.CharField(choices=[('Received', 'Received'), ('Charges of deposits', 'Deposit Charges'), ('In flight', 'In Flight'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Charges', 'Charges'), ('Opening clearing balance', 'Opening'), ('Deposits', 'Deposits'), ('Payouts', 'Payouts'), ('Provider charges', 'Charged'), ('Reversals', 'Reversals'), ('Treasury movements', 'Treasury'), ('Other movements', 'Other'), ('Closing clearing balance', 'Closing'), ('Provider balance', 'Balance'), ('In transit', 'In Transit'), ('Variance', 'Variance'), ('Missing at provider', 'Missing'), ('Not in our records', 'Unknown'), ('Amount', 'Amount'), ('Currency', 'Currency'), ('Account', 'Account'), ('Status', 'Status'), ('Provider charge', 'Fee'), ('Credited twice', 'Twice'), ('Unexplained variance', 'Unexplained'), ('Balance not provided', 'No Balance')], max_length=40),
        ),
    ]
