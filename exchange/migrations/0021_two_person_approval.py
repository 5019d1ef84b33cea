"""One trigger function holds every table of proposals to two persons; quotes are the first of them."""

from django.conf import settings
from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0020_prices_and_superusers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="quote", name="quote_approved_by_another"),
        *sqlfiles.install("exchange", "two_person"),
    ]
