"""Checks of orders and order books for the proof of books."""

from wallets.ledger.proof import Check, balance_check, sql_check

# Of a transfer or of a trade since the checkpoint.
RECENT_ORDERS = {
    "orders_order": """
        SELECT * FROM public.orders_order WHERE id IN (
            SELECT subject_id FROM recent_transfer
            UNION ALL
            SELECT unnest(ARRAY[buy_order_id, sell_order_id]) FROM public.orders_trade
            WHERE id IN (SELECT subject_id FROM recent_transfer))
    """
}

RESERVE_CHECKS: tuple[Check, ...] = (
    balance_check(
        "reserved balances equal open orders",
        "reserved",
        """
        SELECT x.owner_id,
               CASE WHEN x.type = 'Buy' THEN t.currency_id ELSE t.id::text END AS asset_id,
               sum(x.reserved) AS amount
        FROM orders_order x JOIN exchange_token t ON t.id = x.token_id
        WHERE x.status = 'Active'
        GROUP BY 1, 2
        """,
        recent={},
    ),
    sql_check(
        "every open order reserves the cost of its remainder",
        """
        SELECT o.id, x.wanted, o.reserved
        FROM orders_order o
        JOIN exchange_token t ON t.id = o.token_id
        JOIN exchange_currency c ON c.code = t.currency_id
        CROSS JOIN LATERAL (
            SELECT CASE WHEN o.type = 'Sell' THEN o.tokens - o.filled
                ELSE ceil((o.filled_value + o.price * (o.tokens - o.filled))
                          * (1 + o.fee_percent * 0.01) * 10::numeric ^ c.decimals::numeric)
                     * 10::numeric ^ -c.decimals::numeric - o.charged - o.charged_fee END AS wanted
        ) x
        WHERE o.status = 'Active' AND o.reserved <> x.wanted
        """,
        recent={},
    ),
)

BOOK_CHECKS: tuple[Check, ...] = (
    sql_check(
        "no book is crossed",
        """
        SELECT t.symbol, 'bids below asks', b.price || ' bid, ' || a.price || ' ask'
        FROM exchange_token t
        CROSS JOIN LATERAL (SELECT max(price) AS price FROM orders_order o
                            WHERE o.token_id = t.id AND o.type = 'Buy'
                              AND o.status = 'Active') b
        CROSS JOIN LATERAL (SELECT min(price) AS price FROM orders_order o
                            WHERE o.token_id = t.id AND o.type = 'Sell'
                              AND o.status = 'Active') a
        WHERE b.price >= a.price
        """,
        recent={},
    ),
    sql_check(
        "every order status has its event",
        """
        SELECT o.id, k.type, 'no such event'
        FROM orders_order o
        CROSS JOIN LATERAL (VALUES
            ('order.created', true),
            ('order.fulfilled', o.status = 'Fulfilled'),
            ('order.cancelled', o.status = 'Cancelled')
        ) k (type, due)
        WHERE k.due AND o.id >= (SELECT events_complete_since()) AND NOT EXISTS (
            SELECT FROM exchange_event e WHERE e.subject_id = o.id AND e.type = k.type)
        """,
        recent=RECENT_ORDERS,
    ),
)
