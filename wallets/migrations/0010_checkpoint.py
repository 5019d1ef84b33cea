"""The checkpoint that incremental proofs of books start from."""

from django.db import migrations, models
from django.db.models.deletion import PROTECT


class Migration(migrations.Migration):
    dependencies = [("wallets", "0009_payouts_on_hold")]

    operations = [
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                ("id", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                (
                    "position",
                    models.BigIntegerField(
                        help_text="Transfers of transactions with smaller ids are in the balances"
                    ),
                ),
                ("taken_at", models.DateTimeField()),
            ],
            options={"default_permissions": ()},
        ),
        migrations.AddConstraint(
            model_name="checkpoint",
            constraint=models.CheckConstraint(
                condition=models.Q(("id", 1)), name="checkpoint_single"
            ),
        ),
        migrations.CreateModel(
            name="CheckpointBalance",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="wallets.account",
                    ),
                ),
                ("total", models.DecimalField(decimal_places=8, max_digits=38)),
                ("entries", models.BigIntegerField()),
                ("digest", models.DecimalField(decimal_places=0, max_digits=40)),
            ],
            options={"default_permissions": ()},
        ),
        migrations.AddField(
            model_name="booksproof",
            name="incremental",
            field=models.BooleanField(
                db_default=False, help_text="Whether it started from the checkpoint"
            ),
        ),
    ]
