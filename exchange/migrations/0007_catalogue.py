"""Indexes that lists of tokens read without the table, cancelled tokens included; name search."""

from django.db import migrations, models

from exchange import sqlfiles

_LISTED_BY = (
    'deal_access',
    'issuer',
    'closed',
    'exited',
    'cancelled',
    'completed_raise',
    'secondaries',
    'type',
    'investment_type',
    'investment_category',
    'currency',
)


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0006_token_changes'),
    ]

    operations = [
        migrations.RemoveIndex(model_name='token', name='token_listed'),
        migrations.RemoveIndex(model_name='token', name='token_by_name'),
        migrations.AddIndex(
            model_name='token',
            index=models.Index(fields=['-created_at', '-id'], include=_LISTED_BY, name='token_listed_newest'),
        ),
        migrations.AddIndex(
            model_name='token',
            index=models.Index(fields=['name', 'id'], include=_LISTED_BY, name='token_listed_by_name'),
        ),
        migrations.AddIndex(
            model_name='token',
            index=models.Index(condition=models.Q(('deal_access', 'Private')), fields=['issuer'], name='token_private_deals'),
        ),
        *sqlfiles.install("exchange", "catalogue"),
    ]
