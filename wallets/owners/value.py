"""What an owner has: its money, and what all of it is worth in USD."""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import connection

from exchange.core.numbers import round_half_even

_PLACES = 2


@dataclass(frozen=True, slots=True)
class OwnerValue:
    """The value in USD; `uncleared` is the part that is not cleared yet.

    `unrated` are currencies that have no rate and are not counted. `balances` are those of money,
    by currency and kind of account.
    """

    total: Decimal
    uncleared: Decimal
    unrated: list[str]
    balances: dict[str, dict[str, Decimal]]


def value_of(owner_id: UUID) -> OwnerValue:
    """Return the value of the money and units of an owner, less what it owes, at today's rates.

    Money counts wherever it is: available, uncleared, in escrow, reserved or pledged. Units count
    at sell prices. The value is rounded half-even once, at the end.
    """
    with connection.cursor() as cursor:
        cursor.execute(_VALUES, [owner_id])
        rows = cursor.fetchall()
    total = uncleared = Decimal(0)
    for _, value, waiting, rate, _, _ in rows:
        if rate:
            total += value / rate
            uncleared += waiting / rate
    return OwnerValue(
        round_half_even(total, _PLACES),
        round_half_even(uncleared, _PLACES),
        [currency for currency, value, _, rate, _, _ in rows if value and not rate],
        {
            currency: dict(zip(kinds, balances, strict=True))
            for currency, _, _, _, kinds, balances in rows
            if kinds
        },
    )


_VALUES = """
    SELECT h.currency, h.value, h.uncleared,
           CASE WHEN h.currency = 'USD' THEN 1
                ELSE nullif(effective_setting(h.currency || '_USD_RATE'), 0) END,
           h.kinds, h.balances
    FROM (
        SELECT coalesce(t.currency_id, a.asset_id) AS currency,
               coalesce(sum(a.balance * coalesce(t.price_sell, 1)) FILTER (WHERE a.kind IN
                   ('available', 'uncleared', 'escrow', 'reserved', 'lien', 'receivable')
               ), 0) AS value,
               coalesce(sum(a.balance) FILTER (WHERE a.kind = 'uncleared'), 0) AS uncleared,
               array_agg(a.kind ORDER BY a.id) FILTER (WHERE t.id IS NULL) AS kinds,
               array_agg(a.balance ORDER BY a.id) FILTER (WHERE t.id IS NULL) AS balances
        FROM wallets_account a
        JOIN wallets_asset s ON s.id = a.asset_id
        LEFT JOIN exchange_token t ON t.id = s.token_id
        WHERE a.owner_id = %s
        GROUP BY 1
    ) h
    ORDER BY h.currency
"""
