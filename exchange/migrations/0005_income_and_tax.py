"""The next payment of a token, and what tax on the income of its holders follows from."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0004_next_record'),
    ]

    operations = [
        migrations.AddField(
            model_name='member',
            name='holder_kind',
            field=models.CharField(choices=[('person', 'Person'), ('company', 'Company')], db_default='person', default='person', help_text='What the owner is for tax', max_length=10),
        ),
        migrations.AddField(
            model_name='member',
            name='tax_id',
            field=models.CharField(blank=True, db_default='', default='', help_text='Of its tax authority', max_length=50),
        ),
        migrations.AddField(
            model_name='member',
            name='tax_residence',
            field=models.CharField(blank=True, db_default='', default='', help_text='ISO code of the country, such as NG; empty: not known', max_length=2),
        ),
        migrations.AddField(
            model_name='organisation',
            name='holder_kind',
            field=models.CharField(choices=[('person', 'Person'), ('company', 'Company')], db_default='company', default='company', help_text='What the owner is for tax', max_length=10),
        ),
        migrations.AddField(
            model_name='organisation',
            name='tax_id',
            field=models.CharField(blank=True, db_default='', default='', help_text='Of its tax authority', max_length=50),
        ),
        migrations.AddField(
            model_name='organisation',
            name='tax_residence',
            field=models.CharField(blank=True, db_default='', default='', help_text='ISO code of the country, such as NG; empty: not known', max_length=2),
        ),
        migrations.AddField(
            model_name='token',
            name='next_payment_date',
            field=models.DateField(blank=True, help_text='Payment of the next distribution', null=True),
        ),
        migrations.AddField(
            model_name='token',
            name='units_held',
            field=models.BooleanField(db_default=False, default=False, help_text='Recorded for a redemption or the final exit, which takes the units back'),
        ),
    ]
