"""A member's portfolio: the units of tokens it holds and what they are worth, as wire documents.

One statement finds the member, adds its accounts up and writes the JSON; it reads as many rows as
the member has holdings, however many there are in all. An investment has no stored document: it
changes with every movement of the member's units and with every quote of the token.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from credit.portfolio.payloads import INVESTMENT
from exchange.core.database import fetch_one
from exchange.participants.errors import UserNotFound


def read_portfolio(
    organisation_id: UUID,
    member_id: UUID,
    *,
    investment_types: Sequence[str] = (),
    investment_categories: Sequence[str] = (),
    currencies: Sequence[str] = (),
) -> str:
    """The investments of a member of the organisation by token name, a JSON array as text.

    Only those whose type, category and currency are among the given ones; none given: all. Raises
    `UserNotFound`.
    """
    wanted = (investment_types, investment_categories, currencies)
    # The same values twice: each is tested for being a filter at all, and then applied.
    filters = [given for values in wanted for given in [list(values) or None] * 2]
    row = fetch_one(PORTFOLIO, [*filters, member_id, organisation_id], retryable=True)
    if row is None:
        raise UserNotFound
    found: str = row[0]
    return found


# Accounts are found by their owner alone, the start of `account_once_per_owner`, in the order of
# the grouping. With the kinds among the conditions PostgreSQL 18 thinks of skipping through that
# index and puts the cost a few hundred times too high, enough to set its JIT compiler off.
PORTFOLIO = f"""
    SELECT (
        SELECT '[' || coalesce(
            string_agg({INVESTMENT.expression("r")}, ',' ORDER BY r.name, r.token_id), '') || ']'
        FROM (
            SELECT t.id AS token_id, h.balance, h.lien, c.decimals, t.currency_id,
                   t.investment_type, t.investment_category, t.name, t.symbol, t.image,
                   t.price_buy, t.price_sell, t.price_exchange, t.raise_amount, t.interest
            FROM (
                SELECT a.asset_id,
                       sum(CASE WHEN a.kind IN ('available', 'reserved') THEN a.balance ELSE 0 END)
                           AS balance,
                       sum(CASE WHEN a.kind = 'lien' THEN a.balance ELSE 0 END) AS lien
                FROM wallets_account a
                WHERE a.owner_id = m.id
                GROUP BY a.asset_id
            ) h
            JOIN wallets_asset s ON s.id = h.asset_id
            JOIN exchange_token t ON t.id = s.token_id
            JOIN exchange_currency c ON c.code = t.currency_id
            WHERE h.balance + h.lien > 0
              AND (%s::text[] IS NULL OR t.investment_type = ANY (%s::text[]))
              AND (%s::text[] IS NULL OR t.investment_category = ANY (%s::text[]))
              AND (%s::text[] IS NULL OR t.currency_id = ANY (%s::text[]))
        ) r
    )
    FROM exchange_member m
    WHERE m.id = %s AND m.organisation_id = %s
"""  # noqa: S608 - built from the declaration above
