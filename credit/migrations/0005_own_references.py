"""The organisation's own references of loans."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("credit", "0004_closure_names")]

    operations = [
        migrations.AddField(
            model_name="loan",
            name="client_reference",
            field=models.CharField(
                blank=True,
                help_text="The organisation's own reference",
                max_length=64,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="loan",
            name="metadata",
            field=models.JSONField(
                blank=True, help_text="The organisation's own data", null=True
            ),
        ),
    ]
