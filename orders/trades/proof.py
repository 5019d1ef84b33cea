"""Checks of fills, charges and trade transfers for the proof of books."""

from orders.book.proof import RECENT_ORDERS
from wallets.ledger.checkpoint import TRANSFERS_OF_RECENT_SUBJECTS, about_recent
from wallets.ledger.proof import Check, sql_check

_RECENT_ORDERS = {
    **RECENT_ORDERS,
    "orders_trade": """
        SELECT * FROM public.orders_trade WHERE buy_order_id IN (SELECT id FROM orders_order)
        UNION
        SELECT * FROM public.orders_trade WHERE sell_order_id IN (SELECT id FROM orders_order)
    """,
}

TRADE_CHECKS: tuple[Check, ...] = (
    sql_check(
        "fills and charges of every order equal its trades",
        """
        SELECT o.id,
               coalesce(trim_scale(f.tokens), 0) || ' units, ' || coalesce(trim_scale(f.value), 0)
               || ', fee ' || coalesce(trim_scale(f.fee), 0),
               trim_scale(o.filled) || ' units, ' || trim_scale(o.charged) || ', fee '
               || trim_scale(o.charged_fee)
        FROM orders_order o
        LEFT JOIN (
            SELECT order_id, sum(tokens) AS tokens, sum(price * tokens) AS exact,
                   sum(value) AS value, sum(fee) AS fee
            FROM (
                SELECT buy_order_id AS order_id, tokens, price, buyer_value AS value,
                       buyer_fee AS fee FROM orders_trade
                UNION ALL
                SELECT sell_order_id, tokens, price, seller_value, seller_fee FROM orders_trade
                WHERE sell_order_id IS NOT NULL
            ) sides GROUP BY order_id
        ) f ON f.order_id = o.id
        WHERE (coalesce(f.tokens, 0), coalesce(f.exact, 0), coalesce(f.value, 0),
               coalesce(f.fee, 0))
            IS DISTINCT FROM (o.filled, o.filled_value, o.charged, o.charged_fee)
        """,
        recent=_RECENT_ORDERS,
    ),
    sql_check(
        "every order paid or received the total of its fills, rounded against it",
        """
        SELECT o.id, trim_scale(x.value) || ', with the fee ' || trim_scale(x.total),
               trim_scale(o.charged) || ', with the fee ' || trim_scale(f.total)
        FROM orders_order o
        JOIN exchange_token t ON t.id = o.token_id
        JOIN exchange_currency c ON c.code = t.currency_id
        CROSS JOIN LATERAL (
            SELECT CASE o.type WHEN 'Buy' THEN 1 ELSE -1 END AS sign,
                   10::numeric ^ c.decimals::numeric AS minors,
                   10::numeric ^ -c.decimals::numeric AS minor
        ) u
        CROSS JOIN LATERAL (SELECT o.charged + u.sign * o.charged_fee AS total) f
        CROSS JOIN LATERAL (
            SELECT u.sign * ceil(u.sign * o.filled_value * u.minors) * u.minor AS value,
                   u.sign * ceil((u.sign + o.fee_percent * 0.01) * o.filled_value * u.minors)
                       * u.minor AS total
        ) x
        WHERE (o.charged, f.total) IS DISTINCT FROM (x.value, x.total)
        """,
        recent=_RECENT_ORDERS,
    ),
    sql_check(
        "the exchange never pays for rounding, by currency",
        # Fills earn at least their unrounded fees. (The issuer of a raise receives what its buyers'
        # orders come to.)
        """
        SELECT w.currency, 'at least ' || trim_scale(w.fees), trim_scale(coalesce(e.earned, 0))
        FROM (
            SELECT k.currency_id AS currency,
                   sum(x.price * x.tokens * (1 + b.fee_percent * 0.01)
                       - CASE WHEN s.id IS NULL THEN x.seller_value
                              ELSE x.price * x.tokens * (1 - s.fee_percent * 0.01) END) AS fees
            FROM orders_trade x
            JOIN exchange_token k ON k.id = x.token_id
            JOIN orders_order b ON b.id = x.buy_order_id
            LEFT JOIN orders_order s ON s.id = x.sell_order_id
            GROUP BY k.currency_id
        ) w
        LEFT JOIN (
            SELECT e.asset_id AS currency, sum(e.amount) AS earned
            FROM orders_trade x
            JOIN wallets_transfer r ON r.subject_id = x.id AND r.kind IN ('trade', 'raise_sale')
            JOIN wallets_entry e ON e.transfer_id = r.id
            JOIN wallets_account a ON a.id = e.account_id AND a.kind = 'fees'
            GROUP BY e.asset_id
        ) e ON e.currency = w.currency
        WHERE coalesce(e.earned, 0) < w.fees
        """,
    ),
    sql_check(
        "every trade has exactly its transfer",
        # Aggregates both sides in full before comparing: looking up each trade takes minutes while
        # the tables have no statistics.
        """
        WITH wanted AS (
            SELECT trade, string_agg(owner || ' ' || asset || ' ' || trim_scale(amount), ', '
                                     ORDER BY owner, asset) AS legs
            FROM (
                SELECT t.id AS trade, l.owner, l.asset, sum(l.amount) AS amount
                FROM orders_trade t
                JOIN exchange_token k ON k.id = t.token_id
                JOIN orders_order b ON b.id = t.buy_order_id
                LEFT JOIN orders_order s ON s.id = t.sell_order_id
                CROSS JOIN LATERAL (VALUES
                    (b.owner_id::text, k.currency_id::text, -t.buyer_value - t.buyer_fee),
                    (b.owner_id::text, k.id::text, t.tokens),
                    (coalesce(s.owner_id, k.issuer_id)::text, k.currency_id::text,
                     t.seller_value - t.seller_fee),
                    (coalesce(s.owner_id, k.issuer_id)::text, k.id::text, -t.tokens),
                    ('fees', k.currency_id::text,
                     t.buyer_value + t.buyer_fee - t.seller_value + t.seller_fee)
                ) l (owner, asset, amount)
                GROUP BY t.id, l.owner, l.asset HAVING sum(l.amount) <> 0
            ) per_account GROUP BY trade
        ), found AS (
            SELECT trade, string_agg(owner || ' ' || asset || ' ' || trim_scale(amount), ', '
                                     ORDER BY owner, asset) AS legs
            FROM (
                SELECT x.subject_id AS trade, coalesce(a.owner_id::text, a.kind) AS owner,
                       e.asset_id AS asset, sum(e.amount) AS amount
                FROM wallets_transfer x
                JOIN wallets_entry e ON e.transfer_id = x.id
                JOIN wallets_account a ON a.id = e.account_id
                WHERE x.kind IN ('trade', 'raise_sale')
                GROUP BY x.subject_id, 2, e.asset_id HAVING sum(e.amount) <> 0
            ) per_account GROUP BY trade
        )
        SELECT coalesce(w.trade, f.trade), coalesce(w.legs, 'no trade'), coalesce(f.legs, 'none')
        FROM wanted w FULL JOIN found f ON f.trade = w.trade
        WHERE w.legs IS DISTINCT FROM f.legs
        """,
        recent={
            "orders_trade": about_recent("orders_trade"),
            "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS,
        },
    ),
)
