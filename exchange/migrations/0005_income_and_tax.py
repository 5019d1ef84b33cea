"""The next payment of a token, and what tax on the income of its holders follows from.

Each table is changed in a transaction of its own: requests lock token and member in either order, so
that one which holds two of these tables exclusively would meet a deadlock with every order.
"""

from django.db import migrations, models


# Every part may run again.
COLUMNS = [
    """
    ALTER TABLE exchange_token
        ADD COLUMN IF NOT EXISTS next_payment_date date,
        ADD COLUMN IF NOT EXISTS units_held boolean NOT NULL DEFAULT false
    """,
    """
    ALTER TABLE exchange_member
        ADD COLUMN IF NOT EXISTS holder_kind varchar(10) NOT NULL DEFAULT 'person',
        ADD COLUMN IF NOT EXISTS tax_id varchar(50) NOT NULL DEFAULT '',
        ADD COLUMN IF NOT EXISTS tax_residence varchar(2) NOT NULL DEFAULT ''
    """,
    """
    ALTER TABLE exchange_organisation
        ADD COLUMN IF NOT EXISTS holder_kind varchar(10) NOT NULL DEFAULT 'company',
        ADD COLUMN IF NOT EXISTS tax_id varchar(50) NOT NULL DEFAULT '',
        ADD COLUMN IF NOT EXISTS tax_residence varchar(2) NOT NULL DEFAULT ''
    """,
]


class Migration(migrations.Migration):

    atomic = False
    dependencies = [
        ('exchange', '0004_next_record'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([(sql, None)], migrations.RunSQL.noop) for sql in COLUMNS
            ],
            state_operations=[
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
            ],
        ),
    ]
