"""Trading rounds against the trader (decision 0022). Orders open now are reserved anew.

Trades made before are marked `half_even`: the proof of books holds them to the former rule.
"""

from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Least
from django.db.models.lookups import GreaterThan, GreaterThanOrEqual

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("orders", "0008_one_path"),
        # reserve_anew posts by its function.
        ("wallets", "0018_one_posting_function"),
    ]

    operations = [
        migrations.RunSQL(
            # True for every trade there is, without writing to one; false for every one to come.
            "ALTER TABLE orders_trade ADD COLUMN half_even boolean NOT NULL DEFAULT true;"
            "ALTER TABLE orders_trade ALTER COLUMN half_even SET DEFAULT false;",
            reverse_sql="ALTER TABLE orders_trade DROP COLUMN half_even;",
            state_operations=[
                migrations.AddField(
                    model_name="trade",
                    name="half_even",
                    field=models.BooleanField(
                        db_default=False,
                        editable=False,
                        help_text="Before decision 22, when charges were rounded half-even",
                    ),
                ),
            ],
        ),
        migrations.RemoveConstraint(model_name="trade", name="trade_positive"),
        migrations.AddConstraint(
            model_name="trade",
            constraint=models.CheckConstraint(
                condition=Q(
                    GreaterThan(Least("tokens", "price"), 0),
                    GreaterThanOrEqual(
                        Least(
                            "buyer_value",
                            "seller_value",
                            F("buyer_value") + F("buyer_fee"),
                            F("seller_value") - F("seller_fee"),
                        ),
                        0,
                    ),
                ),
                name="trade_positive",
            ),
        ),
        migrations.AlterField(
            model_name="order",
            name="charged",
            field=models.DecimalField(
                decimal_places=8,
                default=0,
                help_text="filled_value, rounded up for a Buy and down for a Sell",
                max_digits=38,
            ),
        ),
        migrations.AlterField(
            model_name="order",
            name="charged_fee",
            field=models.DecimalField(
                decimal_places=8,
                default=0,
                help_text="What a Buy paid above charged, or a Sell received below it",
                max_digits=38,
            ),
        ),
        *sqlfiles.install(
            "orders",
            "order_legs",
            "order_rounding",
            "order_changes",
            "enter_orders",
            "match_order",
            "write_order",
            "settle_order",
            "close_order",
            "reserve_anew",
        ),
    ]
