"""What all that an owner has is worth in USD."""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import connection

from exchange.core.numbers import round_half_even

_PLACES = 2


@dataclass(frozen=True, slots=True)
class OwnerValue:
    """The value in USD; `uncleared` is the part that is not cleared yet.

    `unrated` are currencies that have no rate and are not counted.
    """

    total: Decimal
    uncleared: Decimal
    unrated: list[str]


def value_of(owner_id: UUID) -> OwnerValue:
    """Return the value of the money and units of an owner, less what it owes, at today's rates.

    Money counts wherever it is: available, uncleared, in escrow, reserved or pledged. Units count
    at sell prices. The value is rounded half-even once, at the end.
    """
    with connection.cursor() as cursor:
        cursor.execute(_VALUES, [owner_id])
        rows = cursor.fetchall()
    total = uncleared = Decimal(0)
    for _, value, waiting, rate in rows:
        if rate:
            total += value / rate
            uncleared += waiting / rate
    return OwnerValue(
        round_half_even(total, _PLACES),
        round_half_even(uncleared, _PLACES),
        [currency for currency, value, _, rate in rows if value and not rate],
    )


_VALUES = """
    SELECT h.currency, h.value, h.uncleared,
           CASE WHEN h.currency = 'USD' THEN 1
                ELSE nullif(effective_setting(h.currency || '_USD_RATE'), 0) END
    FROM (
        SELECT coalesce(t.currency_id, a.asset_id) AS currency,
               sum(a.balance * coalesce(t.price_sell, 1)) AS value,
               coalesce(sum(a.balance) FILTER (WHERE a.kind = 'uncleared'), 0) AS uncleared
        FROM wallets_account a
        JOIN wallets_asset s ON s.id = a.asset_id
        LEFT JOIN exchange_token t ON t.id = s.token_id
        WHERE a.owner_id = %s
          AND a.kind IN ('available', 'uncleared', 'escrow', 'reserved', 'lien', 'receivable')
        GROUP BY 1
    ) h
    ORDER BY h.currency
"""
