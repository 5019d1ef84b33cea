"""Input of the lending rules, read in one query by the SQL function `loan_facts`."""

import datetime as dt
from collections.abc import Iterable
from decimal import Decimal
from uuid import UUID

import msgspec

from exchange.core.database import fetch_one


class TokenFacts(msgspec.Struct, frozen=True):
    """A token to pledge, and the borrower's available units of it.

    `deductions`: what its price still includes of a unit and its issuer has paid.
    """

    id: UUID
    name: str
    symbol: str
    currency_id: str
    investment_category: str
    price_sell: Decimal
    quoted_at: dt.datetime | None
    deductions: list[Decimal]
    exited: bool
    cancelled: bool
    completed_raise: bool
    record_wait: str | None
    available: Decimal


class VersionFacts(msgspec.Struct, frozen=True):
    """The effective version. Rates are 0 to 1, durations months."""

    id: UUID
    investment_categories: list[str]
    collateral_ratio: Decimal
    interest_rate: Decimal
    duration: int
    grace_period: int
    grace_period_unit: str


class OfferFacts(msgspec.Struct, frozen=True):
    """A configuration, with amounts in the requested currency: `min_amount` and `max_amount` None
    if not lent, `max_outstanding` None without a limit, `balance` the creditor's available balance,
    and `block` why it may not leave (both confidential).
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
    block: str | None


class LoanFacts(msgspec.Struct, frozen=True):
    """`member`: whether it belongs to the organisation, `closed`: whether it does and is closed,
    `block`: why its money may not leave;
    `offer`: None for an unknown id; `tokens`: the requested tokens visible to the organisation.
    """

    member: bool
    closed: bool
    block: str | None
    offer: OfferFacts | None
    tokens: list[TokenFacts]

    def tokens_by_id(self) -> dict[UUID, TokenFacts]:
        """Return the visible tokens by id."""
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
    """Read the facts. `lock` locks borrower and creditor, the tokens in id order, then the
    configuration, until the open transaction ends; account balances stay unlocked.
    """
    row = fetch_one(
        "SELECT loan_facts(%s::uuid, %s::uuid, %s::uuid, %s::text, %s::uuid[], %s::boolean)",
        [organisation_id, member_id, configuration_id, currency, list(token_ids), lock],
    )
    if row is None:
        raise RuntimeError("loan_facts returned no row")
    return _decode(row[0])
