"""Documents of loans are made for less."""

from django.db import migrations

from credit import payloads


class Migration(migrations.Migration):
    dependencies = [("credit", "0005_outstanding_and_endings")]

    operations = [payloads.LOAN.install(rewrite=False)]
