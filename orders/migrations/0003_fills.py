"""Fills: each trade once for each of its orders.

The trigger is that of `book/sql/fills.sql`, which replaces it: it writes the fills of trades that the
previous release makes until then. The next migration writes those of earlier trades.
"""

import django.db.models.deletion
from django.db import migrations, models

TRIGGER = """
CREATE FUNCTION write_fills() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.orders_fill
        (id, trade_id, order_id, token_id, organisation_id, member_id, created_at)
    SELECT 2 * NEW.seq + (o.type = 'Sell')::integer, NEW.id, o.id, NEW.token_id, o.organisation_id,
           o.member_id, NEW.created_at
    FROM public.orders_order o WHERE o.id IN (NEW.buy_order_id, NEW.sell_order_id);
    RETURN NULL;
END $$;
CREATE TRIGGER trade_fills AFTER INSERT ON orders_trade FOR EACH ROW EXECUTE FUNCTION write_fills();
"""


def _unchecked(model, **options):
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.PROTECT,
        related_name="+",
        to=model,
        **options,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0006_event_feed"),
        ("orders", "0002_terms_proposal"),
    ]

    operations = [
        migrations.CreateModel(
            name="Fill",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("trade", _unchecked("orders.trade")),
                ("order", _unchecked("orders.order")),
                ("token", _unchecked("exchange.token")),
                ("organisation", _unchecked("exchange.organisation")),
                ("member", _unchecked("exchange.member", null=True)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(
                        fields=["organisation", "-created_at", "-id"],
                        include=["token", "member"],
                        name="fill_of_organisation",
                    )
                ],
            },
        ),
        migrations.RunSQL([(TRIGGER, None)], migrations.RunSQL.noop),
    ]
