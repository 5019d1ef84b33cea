"""Eligibility of a loan: every check in its fixed order, each with its own code.

`assess` collects all errors for a quote; creating a loan raises the first. The creditor's balance
is confidential: quotes for others ignore it, and a loan it does not cover is rejected without an
amount. The rules run on `LoanFacts`, read in one query.
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from uuid import UUID

from django.utils import timezone

from credit.configurations.errors import ConfigurationNotFound
from credit.configurations.models import Access, ConfigurationStatus
from credit.configurations.services.terms import MAX_DURATION
from credit.loans.dates import add_months
from credit.loans.models import Loan, Outstanding
from credit.loans.services.facts import LoanFacts, OfferFacts, TokenFacts, VersionFacts, read_facts
from credit.loans.services.valuation import (
    Pledge,
    lending_value,
    price_problem,
    round_down,
    value_collateral,
)
from exchange.core.currencies import currencies
from exchange.core.errors import DomainError, InvalidCurrency, InvalidRequest, Rejected
from exchange.core.numbers import decimals_error, format_plain, round_half_even
from exchange.core.references import ClientReferenceTaken, OwnReferences
from exchange.participants.errors import MemberClosed, UserNotFound
from exchange.tokens.errors import TokenNotFound, record_error
from wallets.freezes.errors import AccountFrozen, block_error

MAX_COLLATERALS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class LoanRequest:
    """A well-formed loan request. Amounts in `currency`, `interest_rate` 0 to 1 per month."""

    user_id: UUID | None
    configuration_id: UUID | None
    currency: str
    amount: Decimal
    repayment_amount: Decimal
    interest_rate: Decimal
    duration: Decimal
    collaterals: tuple[Pledge, ...]
    reason: str = ""
    bank_name: str = ""
    bank_code: str = ""
    account_number: str = ""
    references: OwnReferences = field(default_factory=OwnReferences)


@dataclass(slots=True)
class Assessment:
    """Result of the checks, as far as they could run; `errors` in their order."""

    at: dt.datetime
    errors: list[DomainError]
    offer: OfferFacts | None = None
    version: VersionFacts | None = None
    tokens: dict[UUID, TokenFacts] | None = None
    collateral_value: Decimal | None = None
    max_amount: Decimal | None = None
    max_repayment_amount: Decimal | None = None
    repayment_date: dt.datetime | None = None


def assess(
    request: LoanRequest,
    *,
    organisation_id: UUID,
    at: dt.datetime | None = None,
    lock: bool = False,
    quote: bool = False,
) -> Assessment:
    """Assess `request` for the organisation. Read-only.

    A `quote` skips the check of funding, unless the creditor requests it. `lock` keeps tokens and
    configuration unchanged until the open transaction ends. The term starts `at`, by default now.
    """
    facts = read_facts(
        organisation_id=organisation_id,
        member_id=request.user_id,
        configuration_id=request.configuration_id,
        currency=request.currency,
        token_ids=[pledge.token_id for pledge in request.collaterals],
        lock=lock,
    )
    found = Assessment(at=at or timezone.now(), errors=[])
    found.errors += _check_rules(found, request, facts, organisation_id)
    # Before the funds: a loan with a taken reference is never made and must not tell of them.
    found.errors += _check_reference(request.references.client_reference, organisation_id)
    own = found.offer is not None and found.offer.creditor_id == organisation_id
    if found.offer is not None and (own or not quote):
        found.errors += _check_funds(found.offer, request, own=own)
    found.errors += check_frozen(facts)
    return found


def _check_rules(
    found: Assessment, request: LoanRequest, facts: LoanFacts, organisation_id: UUID
) -> Iterator[DomainError]:
    """Run every rule in order and store intermediate results in `found`."""
    if not facts.member:
        yield UserNotFound()
    elif facts.closed:
        yield MemberClosed()
    yield from _check_offer(found, facts.offer, organisation_id)
    if found.offer is not None and found.version is not None:
        yield from _check_terms(found, found.offer, found.version, request, organisation_id)
    found.tokens = facts.tokens_by_id()
    yield from check_collateral(
        request.collaterals,
        found.tokens,
        member_known=facts.member,
        currency=request.currency,
        categories=found.version.investment_categories if found.version else None,
    )
    yield from _check_lending_value(found, request)


def _check_funds(offer: OfferFacts, request: LoanRequest, *, own: bool) -> Iterator[DomainError]:
    """Check that the creditor's money covers it and may leave; only the creditor gets the cause."""
    if offer.balance < request.amount:
        yield Rejected(
            f"The creditor's {request.currency} wallet does not cover the amount"
            if own
            else "The loan cannot be funded",
            code="not_funded",
        )
    elif offer.block is not None:
        blocked = block_error(offer.block) if own else None
        yield blocked or Rejected("The loan cannot be funded", code="not_funded")


def check_frozen(facts: LoanFacts) -> Iterator[DomainError]:
    """Check that the borrower may pledge. A debt does not prevent it: no money leaves."""
    if facts.block == AccountFrozen.code:
        yield AccountFrozen()


def _check_reference(client_reference: str | None, organisation_id: UUID) -> Iterator[DomainError]:
    """Check that the organisation has not used the reference for another loan."""
    if client_reference is None:
        return
    used = Loan.objects.filter(organisation_id=organisation_id, client_reference=client_reference)
    if used.exists():
        yield reference_taken(client_reference)


def reference_taken(client_reference: str | None) -> ClientReferenceTaken:
    """Return the error of a loan whose reference is taken."""
    return ClientReferenceTaken(client_reference or "", "a loan")


def max_repayment(amount: Decimal, rate: Decimal, months: Decimal, currency: str) -> Decimal:
    """Return amount * (1 + rate * months), rounded half-even to the currency."""
    return round_half_even(amount * (1 + rate * months), currencies()[currency].decimals)


def _check_offer(
    found: Assessment, offer: OfferFacts | None, organisation_id: UUID
) -> Iterator[DomainError]:
    if offer is None or not _is_open_to(offer, organisation_id):
        yield ConfigurationNotFound()
        return
    found.offer = offer
    if offer.status != ConfigurationStatus.APPROVED or offer.version is None:
        yield Rejected(
            f"The loan configuration is {offer.status}: only Approved ones make loans",
            code="configuration_not_approved",
        )
    # The terms are checked even if the configuration is no longer Approved.
    found.version = offer.version


def _is_open_to(offer: OfferFacts, organisation_id: UUID) -> bool:
    if offer.creditor_id == organisation_id:
        return True
    if offer.version is None or offer.status != ConfigurationStatus.APPROVED:
        return False
    if offer.access == Access.ORGANISATIONS:
        return offer.named
    return offer.access == Access.PUBLIC


def _check_terms(
    found: Assessment,
    offer: OfferFacts,
    version: VersionFacts,
    request: LoanRequest,
    organisation_id: UUID,
) -> Iterator[DomainError]:
    yield from _check_limits(offer, request)
    whole = request.duration == request.duration.to_integral_value()
    offered = whole and 1 <= request.duration <= version.duration
    if not offered:
        yield Rejected(
            f"duration must be a whole number of months from 1 to {version.duration}",
            code="duration_not_offered",
        )
    if request.interest_rate != version.interest_rate:
        yield Rejected(
            f"interest_rate must be {format_plain(version.interest_rate)}",
            code="interest_rate_differs",
        )
    # A duration beyond every limit has no repayment amount.
    maximum = None
    if whole and 1 <= request.duration <= MAX_DURATION:
        maximum = max_repayment(
            request.amount, version.interest_rate, request.duration, request.currency
        )
    if offered:
        found.repayment_date = add_months(found.at, int(request.duration))
        found.max_repayment_amount = maximum
    yield from _check_repayment(request, maximum, own=offer.creditor_id == organisation_id)


def _check_limits(offer: OfferFacts, request: LoanRequest) -> Iterator[DomainError]:
    """Check the amount against the configuration's limits, which all its users may know."""
    currency = request.currency
    if offer.min_amount is None or offer.max_amount is None:
        yield Rejected(
            f"The loan configuration does not offer loans in {currency}",
            code="currency_not_offered",
        )
        return
    if request.amount < offer.min_amount:
        yield Rejected(
            f"amount must not be below {format_plain(offer.min_amount)} {currency}",
            code="amount_below_minimum",
        )
    if request.amount > offer.max_amount:
        yield Rejected(
            f"amount must not be above {format_plain(offer.max_amount)} {currency}",
            code="amount_above_maximum",
        )
    maximum = offer.max_outstanding
    if maximum is not None and offer.outstanding + request.amount > maximum:
        left = max(maximum - offer.outstanding, Decimal(0))
        yield Rejected(
            f"The loan configuration can lend at most {format_plain(left)} {currency} more",
            code="outstanding_above_maximum",
        )


def _check_repayment(
    request: LoanRequest, maximum: Decimal | None, *, own: bool
) -> Iterator[DomainError]:
    """Check the total repayment. Only the creditor itself may agree on less than `maximum`, which
    is None for a duration beyond every limit.
    """
    if request.repayment_amount < request.amount:
        yield Rejected("repayment_amount must not be below amount", code="repayment_below_amount")
    if maximum is None:
        return
    if request.repayment_amount > maximum:
        yield Rejected(
            f"repayment_amount must not be above {format_plain(maximum)}",
            code="repayment_above_maximum",
        )
    if not own and request.repayment_amount != maximum:
        yield Rejected(
            f"repayment_amount must be {format_plain(maximum)}", code="repayment_differs"
        )


def outstanding_principal(configuration_id: UUID, currency: str) -> Decimal:
    """Return the total principal of open loans of a configuration in one currency."""
    found = Outstanding.objects.filter(configuration_id=configuration_id, currency_id=currency)
    return found.values_list("principal", flat=True).first() or Decimal(0)


def pledges_error(pledges: tuple[Pledge, ...]) -> InvalidRequest | None:
    """Return the error of too few, too many or duplicate pledges, if any."""
    if not 1 <= len(pledges) <= MAX_COLLATERALS:
        return InvalidRequest(f"collaterals must have 1 to {MAX_COLLATERALS} items")
    if len({pledge.token_id for pledge in pledges}) < len(pledges):
        return InvalidRequest("collaterals must not name a token twice")
    return None


def check_collateral(
    pledges: tuple[Pledge, ...],
    tokens: Mapping[UUID, TokenFacts],
    *,
    member_known: bool,
    currency: str,
    categories: list[str] | None,
) -> Iterator[DomainError]:
    """Yield the errors of pledging `pledges` of a member.

    `tokens` are those visible to the member's organisation, with the member's available units.
    `categories` None: unknown.
    """
    if problem := pledges_error(pledges):
        yield problem
        return
    for pledge in pledges:
        token = tokens.get(pledge.token_id)
        if token is None:
            yield TokenNotFound()
            continue
        yield from _check_token(token, currency, categories)
        if member_known and pledge.quantity > token.available:
            yield Rejected(
                f"Insufficient {token.symbol} units. Available: {format_plain(token.available)},"
                f" requested: {format_plain(pledge.quantity)}",
                code="insufficient_units",
            )


def _check_token(
    token: TokenFacts, currency: str, categories: list[str] | None
) -> Iterator[DomainError]:
    if token.cancelled:
        yield Rejected(f"{token.symbol} is cancelled", code="token_cancelled")
    elif token.exited:
        yield Rejected(f"{token.symbol} has exited", code="token_exited")
    elif not token.completed_raise:
        # Cancelling the raise would take these units back.
        yield Rejected(
            f"{token.symbol} is in its primary raise: its units can be pledged once it is complete",
            code="raise_open",
        )
    if categories is not None and token.investment_category not in categories:
        yield Rejected(
            f"{token.symbol} is {token.investment_category}: the investment category of"
            f" collateral must be one of [{', '.join(categories)}]",
            code="category_not_allowed",
        )
    if token.currency_id != currency:
        yield Rejected(
            f"{token.symbol} is priced in {token.currency_id}: collateral of this loan must be in"
            f" {currency}",
            code="collateral_currency_differs",
        )
    if held := record_error(token.record_wait):
        yield held
    if problem := price_problem(token):
        yield Rejected(problem, code="price_unavailable")


def _check_lending_value(found: Assessment, request: LoanRequest) -> Iterator[DomainError]:
    tokens = found.tokens or {}
    if not tokens:
        return
    pledged = [(tokens.get(pledge.token_id), pledge.quantity) for pledge in request.collaterals]
    # Tokens in another currency are rejected already and do not count.
    value = value_collateral(
        (token, quantity)
        for token, quantity in pledged
        if token is not None and token.currency_id == request.currency
    ).value
    if value is None:
        return  # the missing price is an error already
    decimals = currencies()[request.currency].decimals
    found.collateral_value = round_half_even(value, decimals)
    if found.version is None:
        return
    # Rounded down: the maximum must not exceed the lending value.
    maximum = lending_value(value, found.version.collateral_ratio)
    found.max_amount = round_down(maximum, decimals)
    if maximum < request.amount:
        yield Rejected(
            f"The collateral is worth {format_plain(found.collateral_value)} {request.currency},"
            f" enough for a loan of at most {format_plain(found.max_amount)} {request.currency}",
            code="insufficient_collateral",
        )


def validate_amounts(request: LoanRequest) -> None:
    """Raise `InvalidRequest` for amounts that do not fit the currency."""
    facts = currencies().get(request.currency)
    if facts is None:
        raise InvalidCurrency(currencies())
    wrong = [
        f"{name} {problem}"
        for name in ("amount", "repayment_amount")
        if (problem := decimals_error(getattr(request, name), facts.decimals))
    ]
    if request.amount <= 0:
        wrong.append("amount must be above 0")
    if wrong:
        raise InvalidRequest("; ".join(wrong))
