"""What the rules of lending look at, read in one go by the SQL function `loan_facts`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from decimal import Decimal
from uuid import UUID

import msgspec

from exchange.core.database import fetch_one


class TokenFacts(msgspec.Struct, frozen=True):
    """A token that is pledged, and the units of it that the borrower has free."""

    id: UUID
    name: str
    symbol: str
    currency_id: str
    investment_category: str
    price_sell: Decimal
    quoted_at: dt.datetime | None
    exited: bool
    cancelled: bool
    completed_raise: bool
    available: Decimal


class VersionFacts(msgspec.Struct, frozen=True):
    """The version in force. Rates are 0 to 1, durations months."""

    id: UUID
    investment_categories: list[str]
    collateral_ratio: Decimal
    interest_rate: Decimal
    duration: int
    grace_period: int
    grace_period_unit: str


class OfferFacts(msgspec.Struct, frozen=True):
    """A configuration. The amounts are in the currency asked for: `min_amount` and `max_amount`
    None where it lends none, `max_outstanding` None where it has no bound, `balance` what the
    creditor can spend, which is told to nobody else.
    """

    creditor_id: UUID
    status: str
    access: str | None
    named: bool
    version: VersionFacts | None
    min_amount: Decimal | None
    max_amount: Decimal | None
    max_outstanding: Decimal | None
    outstanding: Decimal
    balance: Decimal


class LoanFacts(msgspec.Struct, frozen=True):
    """`member`: whether the organisation has it; `offer` None where there is none of that id;
    `tokens`: those of the asked for that the organisation sees.
    """

    member: bool
    offer: OfferFacts | None
    tokens: list[TokenFacts]

    def tokens_by_id(self) -> dict[UUID, TokenFacts]:
        """The tokens by id; to the organisation the others do not exist."""
        return {token.id: token for token in self.tokens}


_decode = msgspec.json.Decoder(LoanFacts).decode


def read_facts(
    *,
    organisation_id: UUID,
    member_id: UUID | None,
    configuration_id: UUID | None,
    currency: str,
    token_ids: Iterable[UUID],
    lock: bool = False,
) -> LoanFacts:
    """What is so now. With `lock` it stays so until the transaction that is open ends, but for
    what the accounts hold: tokens are locked in the order of their ids, then the configuration.
    """
    row = fetch_one(
        "SELECT loan_facts(%s::uuid, %s::uuid, %s::uuid, %s::text, %s::uuid[], %s::boolean)",
        [organisation_id, member_id, configuration_id, currency, list(token_ids), lock],
    )
    if row is None:
        raise RuntimeError("loan_facts returned no row")
    return _decode(row[0])
