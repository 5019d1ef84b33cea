"""A rotated key names the one in its place, so that any other key may have its name."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0024_staff_public_id"),
        migrations.swappable_dependency(settings.OAUTH2_PROVIDER_APPLICATION_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="rotated_to",
            field=models.OneToOneField(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rotated_from",
                to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL,
            ),
        ),
        # Anew, for the column that was added.
        *sqlfiles.install("exchange", "audited"),
    ]
