import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('credit', '0002_closure_proposal'),
    ]

    operations = [
        migrations.AlterField(
            model_name='closureproposal',
            name='deficiency',
            field=models.DecimalField(decimal_places=8, default=0, help_text='Outstanding amount not covered', max_digits=38),
        ),
        migrations.AlterField(
            model_name='closureproposal',
            name='final_plan',
            field=models.JSONField(blank=True, help_text='Executed plan, once confirmed', null=True),
        ),
        migrations.AlterField(
            model_name='closureproposal',
            name='owed',
            field=models.DecimalField(decimal_places=8, help_text='Outstanding at proposal', max_digits=38),
        ),
        migrations.AlterField(
            model_name='closureproposal',
            name='value_passed',
            field=models.DecimalField(decimal_places=8, default=0, help_text='Value of the units to the creditor', max_digits=38),
        ),
        migrations.AlterField(
            model_name='collateral',
            name='pledged_price',
            field=models.DecimalField(decimal_places=8, help_text='price.sell at pledge', max_digits=38),
        ),
        migrations.AlterField(
            model_name='collateral',
            name='position',
            field=models.PositiveSmallIntegerField(help_text='Order of liquidation'),
        ),
        migrations.AlterField(
            model_name='configurationversion',
            name='collateral_ratio',
            field=models.DecimalField(decimal_places=8, help_text="Maximum LTV: share of the collateral's value that may be lent", max_digits=9),
        ),
        migrations.AlterField(
            model_name='configurationversion',
            name='duration',
            field=models.PositiveSmallIntegerField(help_text='Maximum term in months'),
        ),
        migrations.AlterField(
            model_name='configurationversion',
            name='investment_categories',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('ETF', 'ETF'), ('Bond', 'Bond'), ('Commercial Paper', 'Commercial Paper'), ('Debt Note', 'Debt Note'), ('Real Estate', 'Real Estate'), ('Private Business', 'Private Business'), ('Startup', 'Startup'), ('Commodities', 'Commodities'), ('Fund', 'Fund'), ('Art', 'Art'), ('Music', 'Music'), ('Movie', 'Movie'), ('Charity', 'Charity')], max_length=20), help_text='Eligible collateral', size=None),
        ),
        migrations.AlterField(
            model_name='loan',
            name='amount',
            field=models.DecimalField(decimal_places=8, help_text='Principal', max_digits=38),
        ),
        migrations.AlterField(
            model_name='loan',
            name='repayment_amount',
            field=models.DecimalField(decimal_places=8, help_text='Total repayment: principal and interest', max_digits=38),
        ),
        migrations.AlterField(
            model_name='loanlimit',
            name='max_amount',
            field=models.DecimalField(decimal_places=8, help_text='Per loan', max_digits=38),
        ),
        migrations.AlterField(
            model_name='loanlimit',
            name='max_outstanding',
            field=models.DecimalField(blank=True, decimal_places=8, help_text='Total principal of open loans of the configuration', max_digits=38, null=True),
        ),
        migrations.AlterField(
            model_name='loanlimit',
            name='min_amount',
            field=models.DecimalField(decimal_places=8, help_text='Per loan', max_digits=38),
        ),
        migrations.AlterField(
            model_name='repayment',
            name='outstanding',
            field=models.DecimalField(decimal_places=8, help_text='Balance after the payment', max_digits=38),
        ),
        migrations.AlterField(
            model_name='shortfall',
            name='required',
            field=models.DecimalField(decimal_places=8, help_text='Collateral value required for the outstanding principal', max_digits=38),
        ),
        migrations.AlterField(
            model_name='valuation',
            name='loan_to_value',
            field=models.DecimalField(decimal_places=8, help_text='Outstanding principal / value', max_digits=20, null=True),
        ),
        migrations.AlterField(
            model_name='valuation',
            name='problem',
            field=models.CharField(blank=True, help_text='Why the collateral could not be valued', max_length=300),
        ),
        migrations.AlterField(
            model_name='valuation',
            name='value',
            field=models.DecimalField(decimal_places=8, help_text='Collateral value at price.sell', max_digits=38, null=True),
        ),
    ]
