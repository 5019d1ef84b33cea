"""A member's portfolio: token holdings and their value, as wire documents.

One statement finds the member, sums its accounts and writes the JSON; it reads only the member's
rows. Investments have no stored document, since they change with every movement and quote.
"""

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
    """Return the investments of a member by token name, as a JSON array.

    Empty filters match all. Raises `UserNotFound`.
    """
    wanted = (investment_types, investment_categories, currencies)
    # Each value twice: for the NULL test and for the filter itself.
    filters = [given for values in wanted for given in [list(values) or None] * 2]
    row = fetch_one(PORTFOLIO, [*filters, member_id, organisation_id], retryable=True)
    if row is None:
        raise UserNotFound
    found: str = row[0]
    return found


# Accounts are found by owner alone, the prefix of `account_once_per_owner`. With the kinds in the
# WHERE clause, PostgreSQL 18 considers a skip scan and overestimates its cost several hundred
# times, which triggers the JIT compiler.
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
