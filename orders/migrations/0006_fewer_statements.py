"""Orders are placed by fewer statements, and without foreign keys that the function
guarantees.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0017_keys_of_sets"),
        ("orders", "0005_cheaper_ids"),
        migrations.swappable_dependency(settings.OAUTH2_PROVIDER_APPLICATION_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="order",
            name="api_key",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="order",
            name="organisation",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="orders",
                to="exchange.organisation",
            ),
        ),
        migrations.AlterField(
            model_name="order",
            name="token",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="orders",
                to="exchange.token",
            ),
        ),
        migrations.AlterField(
            model_name="trade",
            name="buy_order",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="orders.order",
            ),
        ),
        migrations.AlterField(
            model_name="trade",
            name="sell_order",
            field=models.ForeignKey(
                db_constraint=False,
                help_text="None: the issuer",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="orders.order",
            ),
        ),
        migrations.AlterField(
            model_name="trade",
            name="token",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="trades",
                to="exchange.token",
            ),
        ),
        migrations.RunSQL(
            # Trades point at orders without a foreign key, and orders at members: order_state looks.
            "SELECT make_permanent('orders_order');"
            "ALTER TABLE orders_order DROP CONSTRAINT IF EXISTS order_member_of_organisation;",
            reverse_sql=migrations.RunSQL.noop,
        ),
        migrations.RunSQL(
            # With the type go the functions that took it or gave it; all are made anew below.
            "DROP TYPE IF EXISTS order_accounts CASCADE;"
            "DROP FUNCTION IF EXISTS write_order(orders_order, order_fill[], uuid[]);"
            "DROP FUNCTION IF EXISTS check_order(orders_order, order_terms);"
            "DROP FUNCTION IF EXISTS new_ids(integer);",
            reverse_sql=migrations.RunSQL.noop,
        ),
        *sqlfiles.install(
            "orders",
            "order_state",
            "order_legs",
            "enter_orders",
            "match_order",
            "settle_order",
        ),
    ]
