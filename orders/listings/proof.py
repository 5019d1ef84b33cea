"""Checks of raises, token supply and market documents for the proof of books."""

from exchange.tokens.payloads import TOKEN
from orders.book.payloads import ORDER
from orders.book.proof import RECENT_ORDERS
from orders.trades.payloads import TRADE
from wallets.ledger.checkpoint import about_recent
from wallets.ledger.proof import Check, balance_check, document_check, sql_check

RAISE_CHECKS: tuple[Check, ...] = (
    balance_check(
        "raise balances equal the proceeds of open raises",
        "raise",
        """
        SELECT t.issuer_id AS owner_id, t.currency_id AS asset_id, sum(x.seller_value) AS amount
        FROM exchange_token t JOIN orders_trade x
            ON x.token_id = t.id AND x.sell_order_id IS NULL
        WHERE NOT t.completed_raise AND NOT t.cancelled
        GROUP BY t.issuer_id, t.currency_id
        """,
    ),
    sql_check(
        "unsold units equal the offers of open raises less their sales",
        """
        SELECT t.symbol, x.wanted, coalesce(a.balance, 0)
        FROM exchange_token t
        LEFT JOIN wallets_account a
            ON a.owner_id = t.issuer_id AND a.asset_id = t.id::text AND a.kind = 'unsold'
        CROSS JOIN LATERAL (
            SELECT CASE WHEN t.completed_raise OR t.cancelled THEN 0 ELSE
                coalesce((SELECT sum(e.amount) FROM wallets_entry e
                          JOIN wallets_transfer i ON i.id = e.transfer_id
                          WHERE e.account_id = a.id AND i.kind = 'units_issue'), 0)
                - coalesce((SELECT sum(s.tokens) FROM orders_trade s
                            WHERE s.token_id = t.id AND s.sell_order_id IS NULL), 0)
                END AS wanted
        ) x
        WHERE x.wanted <> coalesce(a.balance, 0)
        """,
    ),
    sql_check(
        "units held of a token equal its supply, less those taken back for their payment",
        """
        SELECT t.symbol, t.total_supply - coalesce(r.units, 0), coalesce(h.held, 0)
        FROM exchange_token t
        JOIN wallets_asset s ON s.token_id = t.id
        LEFT JOIN (SELECT asset_id, sum(balance) AS held FROM wallets_account GROUP BY asset_id) h
            ON h.asset_id = s.id
        LEFT JOIN (SELECT e.asset_id, sum(e.amount) AS units
                   FROM wallets_account a
                   JOIN wallets_entry e ON e.account_id = a.id
                   JOIN wallets_transfer x ON x.id = e.transfer_id
                   WHERE a.kind = 'issuance' AND x.kind = 'distribution_pay'
                   GROUP BY e.asset_id) r ON r.asset_id = s.id
        WHERE NOT t.cancelled AND t.total_supply - coalesce(r.units, 0) <> coalesce(h.held, 0)
        """,
        recent={},
    ),
    sql_check(
        "raise progress of a token equals its sales",
        """
        SELECT t.symbol, coalesce(s.value, 0) || ' for ' || coalesce(s.units, 0),
               t.total_raised || ' for ' || t.total_allocated
        FROM exchange_token t
        LEFT JOIN (SELECT token_id, sum(seller_value) AS value, sum(tokens) AS units
                   FROM orders_trade WHERE sell_order_id IS NULL GROUP BY token_id) s
            ON s.token_id = t.id
        WHERE NOT t.cancelled
          AND (coalesce(s.value, 0), coalesce(s.units, 0))
              IS DISTINCT FROM (t.total_raised, t.total_allocated)
        """,
    ),
)

DOCUMENT_CHECKS: tuple[Check, ...] = (
    document_check(
        "documents of tokens, orders and trades equal their records",
        TOKEN,
        ORDER,
        TRADE,
        recent={**RECENT_ORDERS, "orders_trade": about_recent("orders_trade")},
    ),
)
