"""Proofs of books keep what system accounts came to."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wallets', '0008_configuration_figures'),
    ]

    operations = [
        migrations.AddField(
            model_name='booksproof',
            name='totals',
            field=models.JSONField(default=dict, help_text="Sum of each system account's entries before `totals_before`, by account"),
        ),
        migrations.AddField(
            model_name='booksproof',
            name='totals_before',
            field=models.UUIDField(help_text='Entries with smaller ids are in `totals`', null=True),
        ),
    ]
