"""Words of names in the indexes that lists walk: common ones are counted without the table."""

from django.db import migrations, models

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
    'words',
)


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0007_catalogue'),
    ]

    operations = [
        migrations.RemoveIndex(model_name='token', name='token_listed_newest'),
        migrations.RemoveIndex(model_name='token', name='token_listed_by_name'),
        migrations.AddIndex(
            model_name='token',
            index=models.Index(fields=['-created_at', '-id'], include=_LISTED_BY, name='token_listed_newest'),
        ),
        migrations.AddIndex(
            model_name='token',
            index=models.Index(fields=['name', 'id'], include=_LISTED_BY, name='token_listed_by_name'),
        ),
    ]
