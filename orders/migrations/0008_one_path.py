"""One function enters orders, one or several; those that placed one, or several, are removed."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("orders", "0007_one_order_by_itself")]

    operations = [
        migrations.RunSQL(
            # With it go what only it used, and former signatures of functions that 0009_rounding installs.
            "DROP FUNCTION IF EXISTS place_order(jsonb, integer, interval, integer, text);"
            "DROP FUNCTION IF EXISTS place_orders(jsonb, integer, text);"
            "DROP FUNCTION IF EXISTS write_orders(orders_order[], order_fill[]);"
            "DROP FUNCTION IF EXISTS available_after(uuid, numeric, order_legs);"
            "DROP FUNCTION IF EXISTS plan_order(order_request, boolean, order_legs);"
            "DROP FUNCTION IF EXISTS accounts_to_move("
            "orders_order, order_terms, order_match, boolean);"
            "DROP FUNCTION IF EXISTS legs_of_order("
            "order_legs, orders_order, order_terms, order_fill[], uuid[]);"
            "DROP FUNCTION IF EXISTS post_order_legs(order_legs, text);",
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
