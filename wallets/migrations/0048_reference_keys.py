from django.db import migrations, models

from exchange.core.concurrent_indexes import AddUniqueConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("wallets", "0047_approval_reasons")]

    operations = [
        migrations.AddField(
            model_name="deposit",
            name="reference_key",
            field=models.TextField(
                default="",
                db_default="",
                editable=False,
                help_text="How references of manual deposits are compared",
            ),
        ),
        migrations.AddField(
            model_name="treasurymovement",
            name="reference_key",
            field=models.TextField(
                default="", db_default="", editable=False, help_text="How references are compared"
            ),
        ),
        AddUniqueConcurrently(
            model_name="deposit",
            constraint=models.UniqueConstraint(
                fields=["reference_key"],
                condition=~models.Q(status="Failed") & ~models.Q(reference_key=""),
                name="deposit_reference_key_once",
            ),
        ),
        AddUniqueConcurrently(
            model_name="treasurymovement",
            constraint=models.UniqueConstraint(
                fields=["kind", "reference_key"],
                condition=~models.Q(status="Rejected") & ~models.Q(reference_key=""),
                name="treasury_reference_key_once",
            ),
        ),
    ]
