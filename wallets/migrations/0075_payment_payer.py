"""The bank account that a payment came from."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("wallets", "0043_write_off_name")]

    operations = [
        migrations.AddField(
            model_name="payment",
            name="payer_bank",
            field=models.CharField(blank=True, db_default="", max_length=200),
        ),
        migrations.AddField(
            model_name="payment",
            name="payer_account",
            field=models.CharField(blank=True, db_default="", max_length=40),
        ),
    ]
