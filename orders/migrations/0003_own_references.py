"""The organisation's own references of orders."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("orders", "0002_field_descriptions")]

    operations = [
        migrations.AddField(
            model_name="order",
            name="client_reference",
            field=models.CharField(
                blank=True,
                help_text="The organisation's own reference",
                max_length=64,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="order",
            name="metadata",
            field=models.JSONField(
                blank=True, help_text="The organisation's own data", null=True
            ),
        ),
    ]
