"""An order that is placed alone is written row by row, and planned by fewer expressions."""

from django.db import migrations, models
from django.db.models.functions import Least
from django.db.models.lookups import GreaterThan, GreaterThanOrEqual

from exchange import sqlfiles
from orders import payloads


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0018_what_a_trade_pays_for"),
        ("orders", "0006_fewer_statements"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="order", name="order_within_bounds"),
        migrations.RemoveConstraint(model_name="order", name="order_words_known"),
        migrations.RemoveConstraint(model_name="trade", name="trade_positive"),
        migrations.AddConstraint(
            model_name="trade",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    GreaterThan(Least("tokens", "price", "buyer_value", "seller_value"), 0),
                    GreaterThanOrEqual(Least("buyer_fee", "seller_fee"), 0),
                ),
                name="trade_positive",
            ),
        ),
        migrations.RunSQL(
            # With the texts' lengths a name that is too long is refused when the request is read.
            "ALTER TYPE order_request"
            " ALTER ATTRIBUTE owner_model TYPE varchar(12),"
            " ALTER ATTRIBUTE type TYPE varchar(4),"
            " ALTER ATTRIBUTE customer_name TYPE varchar(200),"
            " ALTER ATTRIBUTE customer_email TYPE varchar(254),"
            " ALTER ATTRIBUTE client_order_id TYPE varchar(64),"
            " ALTER ATTRIBUTE actor TYPE varchar(80);"
            "DROP FUNCTION IF EXISTS accounts_of_order("
            "orders_order, order_terms, order_match, boolean, order_legs);"
            "DROP FUNCTION IF EXISTS match_order(orders_order, order_terms);"
            "DROP FUNCTION IF EXISTS buy_from_issuer(orders_order, order_terms);"
            "DROP FUNCTION IF EXISTS post_order_legs(order_legs);",
            reverse_sql=migrations.RunSQL.noop,
        ),
        *sqlfiles.install(
            "orders",
            "order_state",
            "enter_orders",
            "match_order",
            "write_order",
            "settle_order",
        ),
        payloads.ORDER.install(rewrite=False),
        payloads.TRADE.install(rewrite=False),
    ]
