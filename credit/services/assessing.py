"""Whether a loan may be made: every check of decisions §7 in its order, each with its own code.

`assess` collects what refuses, so that a quote can tell all of it; making a loan raises the first.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db.models import F, Sum
from django.utils import timezone

from credit.dates import add_months
from credit.errors import ConfigurationNotFound
from credit.models import (
    Access,
    ConfigurationStatus,
    ConfigurationVersion,
    Loan,
    LoanConfiguration,
    LoanLimit,
    VersionStatus,
)
from credit.models.loans import OPEN
from credit.services.valuation import Pledge, covered, cut_off, price_problem, worth
from exchange.errors import DomainError, InvalidRequest, Refused, TokenNotFound, UserNotFound
from exchange.models import DealAccess, Member, Token, TokenAccess
from exchange.numbers import decimals_of, plain, round_to
from wallets.models import Account, AccountKind
from wallets.selectors.currencies import currencies

MOST_COLLATERALS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class LoanRequest:
    """What is asked for, well formed. Amounts in `currency`, `interest_rate` 0 to 1 a month."""

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


@dataclass(slots=True)
class Assessment:
    """What was found, as far as it could be looked at; `refusals` in the order of the checks."""

    at: dt.datetime
    refusals: list[DomainError]
    member: Member | None = None
    configuration: LoanConfiguration | None = None
    version: ConfigurationVersion | None = None
    tokens: dict[UUID, Token] | None = None
    collateral_value: Decimal | None = None
    most_lent: Decimal | None = None
    most_repaid: Decimal | None = None
    repayment_date: dt.datetime | None = None


def assess(
    request: LoanRequest,
    *,
    organisation_id: UUID,
    tokens: dict[UUID, Token] | None = None,
    at: dt.datetime | None = None,
) -> Assessment:
    """Looks at `request` as the organisation's. Changes nothing.

    `tokens` are those of the collateral when the caller has locked them; the loan's time counts
    from `at`, now by default.
    """
    found = Assessment(at=at or timezone.now(), refusals=[])
    found.member = (
        Member.objects.filter(id=request.user_id, organisation_id=organisation_id).first()
        if request.user_id
        else None
    )
    if found.member is None:
        found.refusals.append(UserNotFound())
    _find_offer(found, request, organisation_id)
    if found.version is not None:
        found.refusals += _against_terms(found, request, organisation_id)
    tokens = find_tokens(request.collaterals) if tokens is None else tokens
    found.tokens = visible_tokens(tokens, organisation_id)
    found.refusals += collateral_refusals(
        request.collaterals,
        found.tokens,
        member_id=found.member.id if found.member else None,
        currency=request.currency,
        categories=found.version.investment_categories if found.version else None,
    )
    _value(found, request)
    if found.configuration is not None:
        found.refusals += _creditor_can_pay(found.configuration, request)
    return found


def find_tokens(pledges: tuple[Pledge, ...]) -> dict[UUID, Token]:
    """The tokens of `pledges` by id; those that do not exist are absent."""
    return Token.objects.in_bulk([pledge.token_id for pledge in pledges])


def most_repayable(amount: Decimal, rate: Decimal, months: Decimal, currency: str) -> Decimal:
    """amount * (1 + rate * months), rounded half-even to the currency."""
    return round_to(amount * (1 + rate * months), currencies()[currency].decimals)


def _find_offer(found: Assessment, request: LoanRequest, organisation_id: UUID) -> None:
    configuration = (
        LoanConfiguration.objects.filter(id=request.configuration_id).first()
        if request.configuration_id
        else None
    )
    version = (
        ConfigurationVersion.objects.filter(
            configuration=configuration, status=VersionStatus.APPROVED
        ).first()
        if configuration
        else None
    )
    if configuration is None or not _open_to(configuration, version, organisation_id):
        found.refusals.append(ConfigurationNotFound())
        return
    found.configuration = configuration
    if configuration.status != ConfigurationStatus.APPROVED or version is None:
        found.refusals.append(
            Refused(
                f"The loan configuration is {configuration.status}: only Approved ones make loans",
                code="configuration_not_approved",
            )
        )
        return
    found.version = version


def _open_to(
    configuration: LoanConfiguration, version: ConfigurationVersion | None, organisation_id: UUID
) -> bool:
    if configuration.creditor_id == organisation_id:
        return True
    if version is None or configuration.status != ConfigurationStatus.APPROVED:
        return False
    if version.access == Access.ORGANISATIONS:
        return version.organisations.filter(id=organisation_id).exists()
    return version.access == Access.PUBLIC


def _against_terms(
    found: Assessment, request: LoanRequest, organisation_id: UUID
) -> Iterator[DomainError]:
    version, configuration = found.version, found.configuration
    if version is None or configuration is None:
        return
    limit = LoanLimit.objects.filter(version=version, currency_id=request.currency).first()
    if limit is None:
        yield Refused(
            f"The loan configuration does not lend {request.currency}", code="currency_not_offered"
        )
        return
    if request.amount > limit.max_amount:
        yield Refused(
            f"amount must not be above {plain(limit.max_amount)} {request.currency}",
            code="amount_above_maximum",
        )
    yield from _against_outstanding(limit, configuration, request)
    whole = request.duration == request.duration.to_integral_value()
    if not whole or not 1 <= request.duration <= version.duration:
        yield Refused(
            f"duration must be a whole number of months from 1 to {version.duration}",
            code="duration_not_offered",
        )
        return
    found.repayment_date = add_months(found.at, int(request.duration))
    if request.interest_rate != version.interest_rate:
        yield Refused(
            f"interest_rate must be {plain(version.interest_rate)}", code="interest_rate_differs"
        )
    most = most_repayable(request.amount, version.interest_rate, request.duration, request.currency)
    found.most_repaid = most
    own = configuration.creditor_id == organisation_id
    yield from _against_repayment(request, most, own=own)


def _against_outstanding(
    limit: LoanLimit, configuration: LoanConfiguration, request: LoanRequest
) -> Iterator[DomainError]:
    if limit.max_outstanding is None:
        return
    out = outstanding_principal(configuration.id, request.currency)
    if out + request.amount > limit.max_outstanding:
        left = max(limit.max_outstanding - out, Decimal(0))
        yield Refused(
            f"The loan configuration has {plain(left)} {request.currency} left to lend",
            code="outstanding_above_maximum",
        )


def _against_repayment(request: LoanRequest, most: Decimal, *, own: bool) -> Iterator[DomainError]:
    """The creditor itself may ask for less than its terms give; others may not choose."""
    if request.repayment_amount < request.amount:
        yield Refused("repayment_amount must be at least the amount", code="repayment_below_amount")
    elif request.repayment_amount > most:
        yield Refused(
            f"repayment_amount must not be above {plain(most)}", code="repayment_above_maximum"
        )
    elif not own and request.repayment_amount != most:
        yield Refused(f"repayment_amount must be {plain(most)}", code="repayment_differs")


def outstanding_principal(configuration_id: UUID, currency: str) -> Decimal:
    """The principal of all open loans of a configuration in one currency."""
    total = Loan.objects.filter(
        configuration_id=configuration_id, currency_id=currency, status__in=OPEN
    ).aggregate(total=Sum(F("amount") - F("principal_repaid")))["total"]
    return total or Decimal(0)


def collateral_refusals(
    pledges: tuple[Pledge, ...],
    tokens: dict[UUID, Token],
    *,
    member_id: UUID | None,
    currency: str,
    categories: list[str] | None,
) -> Iterator[DomainError]:
    """What stands against pledging `pledges` of a member; `categories` None: not known.

    `tokens` are those that the member's organisation sees (`visible_tokens`).
    """
    if not 1 <= len(pledges) <= MOST_COLLATERALS:
        yield InvalidRequest(f"collaterals must have 1 to {MOST_COLLATERALS} items")
        return
    if len({pledge.token_id for pledge in pledges}) < len(pledges):
        yield InvalidRequest("collaterals must not name a token twice")
        return
    free = _available_units(member_id, [pledge.token_id for pledge in pledges])
    for pledge in pledges:
        token = tokens.get(pledge.token_id)
        if token is None:
            yield TokenNotFound()
            continue
        yield from _against_token(token, currency, categories)
        available = free.get(token.id, Decimal(0))
        if member_id is not None and pledge.quantity > available:
            yield Refused(
                f"Insufficient {token.symbol} units. Available: {plain(available)},"
                f" requested: {plain(pledge.quantity)}",
                code="insufficient_units",
            )


def _against_token(
    token: Token, currency: str, categories: list[str] | None
) -> Iterator[DomainError]:
    if token.cancelled:
        yield Refused(f"{token.symbol} is cancelled", code="token_cancelled")
    elif token.exited:
        yield Refused(f"{token.symbol} has exited", code="token_exited")
    if categories is not None and token.investment_category not in categories:
        yield Refused(
            f"{token.symbol} is {token.investment_category}, which the loan configuration"
            f" does not take: it takes {', '.join(categories)}",
            code="category_not_allowed",
        )
    if token.currency_id != currency:
        yield Refused(
            f"{token.symbol} is in {token.currency_id}, the loan in {currency}",
            code="collateral_currency_differs",
        )
    if problem := price_problem(token):
        yield Refused(problem, code="price_unavailable")


def visible_tokens(tokens: dict[UUID, Token], organisation_id: UUID) -> dict[UUID, Token]:
    """Those of `tokens` that the organisation sees; to it the others do not exist."""
    granted = set(
        TokenAccess.objects.filter(
            organisation_id=organisation_id, token_id__in=tokens
        ).values_list("token_id", flat=True)
    )
    return {
        token.id: token
        for token in tokens.values()
        if token.deal_access == DealAccess.PUBLIC
        or token.issuer_id == organisation_id
        or token.id in granted
    }


def _available_units(member_id: UUID | None, token_ids: list[UUID]) -> dict[UUID, Decimal]:
    accounts = Account.objects.filter(
        owner_id=member_id,
        asset_id__in=[str(token_id) for token_id in token_ids],
        kind=AccountKind.AVAILABLE,
    ).values_list("asset_id", "balance")
    return {UUID(asset): balance or Decimal(0) for asset, balance in accounts}


def _value(found: Assessment, request: LoanRequest) -> None:
    tokens = found.tokens or {}
    pledged = [(tokens.get(pledge.token_id), pledge.quantity) for pledge in request.collaterals]
    # What is in another currency refuses already and counts for nothing.
    known = [
        (token, quantity)
        for token, quantity in pledged
        if token is not None and token.currency_id == request.currency
    ]
    if not known:
        return
    value = worth(known).value
    if value is None:
        return  # the price that is missing refuses already
    decimals = currencies()[request.currency].decimals
    found.collateral_value = round_to(value, decimals)
    if found.version is None:
        return
    # Down: what may be lent never rounds above what the collateral covers.
    most = covered(value, found.version.collateral_ratio)
    found.most_lent = cut_off(most, decimals)
    if most < request.amount:
        found.refusals.append(
            Refused(
                f"The collateral is worth {plain(found.collateral_value)} {request.currency};"
                f" at most {plain(found.most_lent)} can be lent on it",
                code="insufficient_collateral",
            )
        )


def _creditor_can_pay(
    configuration: LoanConfiguration, request: LoanRequest
) -> Iterator[DomainError]:
    balance = (
        Account.objects.filter(
            owner_id=configuration.creditor_id,
            asset_id=request.currency,
            kind=AccountKind.AVAILABLE,
        )
        .values_list("balance", flat=True)
        .first()
    ) or Decimal(0)
    if balance < request.amount:
        yield Refused(
            f"The creditor's {request.currency} wallet does not cover the amount",
            code="creditor_insufficient_balance",
        )


def check_form(request: LoanRequest) -> None:
    """Raises `InvalidRequest` for amounts that the currency does not have."""
    facts = currencies().get(request.currency)
    if facts is None:
        raise InvalidRequest(f"currency must be one of [{', '.join(currencies())}]")
    wrong = [
        f"{name} must not have more than {facts.decimals} decimals"
        if facts.decimals
        else f"{name} must not have decimals"
        for name in ("amount", "repayment_amount")
        if decimals_of(getattr(request, name)) > facts.decimals
    ]
    if request.amount <= 0:
        wrong.append("amount must be above 0")
    if wrong:
        raise InvalidRequest("; ".join(wrong))
