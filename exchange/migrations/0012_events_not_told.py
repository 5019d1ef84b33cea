"""An index for the events that were not told."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0011_token_terms'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='event',
            index=models.Index(condition=models.Q(('status__in', ['Exhausted', 'Unsent'])), fields=['status', '-id'], name='event_not_told'),
        ),
    ]
