"""Lists read indexes only; all accounts of an ending are locked at once; decimals are refused."""

from django.conf import settings
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0008_words_in_lists"),
        ("orders", "0002_functions"),
        migrations.swappable_dependency(settings.OAUTH2_PROVIDER_APPLICATION_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="order",
            name="order_of_owner",
        ),
        migrations.RemoveIndex(
            model_name="trade",
            name="trade_of_token",
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(
                condition=models.Q(("status", "Active")),
                fields=["token", "-created_at", "-id"],
                include=("type", "price", "amount"),
                name="order_open",
            ),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(
                fields=["organisation", "token", "-created_at", "-id"],
                include=("type", "status", "price", "amount"),
                name="order_of_owner_on_token",
            ),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(
                fields=["organisation", "-created_at", "-id"],
                include=("token", "type", "status", "owner_model", "member", "price", "amount"),
                name="order_of_owner",
            ),
        ),
        migrations.AddIndex(
            model_name="trade",
            index=models.Index(
                fields=["token", "-seq"],
                include=("id", "taker", "price", "tokens", "created_at"),
                name="trade_of_token",
            ),
        ),
        migrations.AddConstraint(
            model_name="order",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("owner_model__in", ["api_key", "user", "organisation"]),
                    ("status__in", ["Active", "Fulfilled", "Cancelled"]),
                    ("type__in", ["Buy", "Sell"]),
                ),
                name="order_words_known",
            ),
        ),
        *sqlfiles.install("orders", "enter_orders", "match_order", "close_order"),
    ]
