"""Add what the payments of a token follow from: issue price, completion and version of its terms."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("exchange", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="token",
            name="issue_price",
            field=models.DecimalField(
                blank=True,
                decimal_places=8,
                help_text="Principal of a unit; null: not known",
                max_digits=38,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="token",
            name="terms_version",
            field=models.IntegerField(
                db_default=1, default=1, help_text="Rises with each change that two people made"
            ),
        ),
        migrations.AddField(
            model_name="token",
            name="completed_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When the raise was completed; null: still open, or not known",
                null=True,
            ),
        ),
    ]
