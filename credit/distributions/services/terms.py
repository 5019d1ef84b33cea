"""The terms of a distribution: what it pays, to whom, and when; and the rules that they follow."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Self

from django.conf import settings
from django.db.models import QuerySet, Sum
from django.utils import timezone

from credit.distributions.errors import PeriodTaken
from credit.distributions.models import Distribution, DistributionStatus, DistributionType
from credit.distributions.schedule import UNIT_AMOUNT_DECIMALS, Basis, Period, is_period_end
from credit.distributions.selectors import (
    drafts_begin,
    estimate_terms,
    periods_between,
    terms_of,
)
from exchange.core.errors import InvalidRequest, Rejected
from exchange.core.numbers import MAX_NUMBER, decimals_error, format_grouped, format_plain
from exchange.core.timestamps import wire_time
from exchange.tokens.models import Token

RATE_DECIMALS, PRINCIPAL_DECIMALS = 4, 8
MAX_RATE = 100
MAX_DAYS = 3660
# How far ahead a record may be, and how long after it is paid.
_MAX_AHEAD = dt.timedelta(days=731)
MAX_WAIT = dt.timedelta(days=366)
# Period ends that a message names.
_NAMED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionTerms:
    """What is paid for a unit, who holds it at the record, and the day of payment (UTC).

    Interest has a `basis`, the other types an `amount`. A `final` one takes the units back.
    """

    type: str
    currency: str
    record_at: dt.datetime
    payment_date: dt.date
    amount: Decimal | None = None
    basis: Basis | None = None
    final: bool = False

    @property
    def amount_per_unit(self) -> Decimal:
        """The amount for one unit; of interest for reading."""
        if self.basis is not None:
            return self.basis.amount_per_unit
        return self.amount or Decimal(0)

    def columns(self) -> dict[str, Any]:
        """Return the columns of a distribution that a change may change."""
        return {
            "amount_per_unit": self.amount_per_unit,
            "principal_per_unit": self.basis and self.basis.principal_per_unit,
            "rate": self.basis and self.basis.rate,
            "days": self.basis and self.basis.days,
            "record_at": self.record_at,
            "payment_date": self.payment_date,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the columns with decimals and times as strings, for a proposal."""
        return {name: _to_json(value) for name, value in self.columns().items()}

    @classmethod
    def from_json(cls, distribution: Distribution, terms: Mapping[str, Any]) -> Self:
        """Return the terms of a proposal to change `distribution`."""
        basis = None
        if terms["principal_per_unit"] is not None:
            basis = Basis(
                Decimal(terms["principal_per_unit"]), Decimal(terms["rate"]), terms["days"]
            )
        return cls(
            type=distribution.type,
            currency=distribution.currency_id,
            record_at=dt.datetime.fromisoformat(terms["record_at"]),
            payment_date=dt.date.fromisoformat(terms["payment_date"]),
            amount=None if basis else Decimal(terms["amount_per_unit"]),
            basis=basis,
            final=distribution.final,
        )

    @classmethod
    def of(cls, distribution: Distribution) -> Self:
        """Return the terms of a distribution."""
        return cls(
            type=distribution.type,
            currency=distribution.currency_id,
            record_at=distribution.record_at,
            payment_date=distribution.payment_date,
            amount=None if distribution.basis else distribution.amount_per_unit,
            basis=distribution.basis,
            final=distribution.final,
        )

    def postpone(self, earliest: dt.datetime) -> Self:
        """Return the terms with a record not before `earliest`, and the payment not before it."""
        record_at = max(self.record_at, earliest)
        payment_date = max(self.payment_date, record_at.astimezone(dt.UTC).date())
        return replace(self, record_at=record_at, payment_date=payment_date)


def check_terms(
    token: Token,
    terms: DistributionTerms,
    *,
    but: Distribution | None = None,
    now: dt.datetime | None = None,
) -> None:
    """Check whether a distribution on these terms can be announced. The caller locks the token.

    `but` is the one that they are of. Raises `InvalidRequest` for a value, `Rejected` with the code
    of a rule, `PeriodTaken`.
    """
    check_values(terms)
    if token.cancelled:
        raise Rejected("The token is cancelled", code="token_cancelled")
    if not token.completed_raise:
        raise Rejected("The token is in its primary raise: it pays nothing yet", code="raise_open")
    if terms.currency != token.currency_id:
        raise Rejected(
            f"The token is priced in {token.currency_id}: it pays in no other currency",
            code="currency_differs",
        )
    _check_times(terms, now or timezone.now())
    check_period(token, terms, but)
    check_principal(token, terms, but)
    _check_end(token, terms, but)
    check_size(token, terms)
    found = estimate_terms(token.pk, terms.columns())
    if not found.gross:
        raise Rejected(
            f"The amount rounds to nothing for each of {found.holders} holders",
            code="pays_nothing",
        )


def check_size(token: Token, terms: DistributionTerms) -> None:
    """Raise `Rejected` for a sum that the ledger cannot store, and so no record."""
    if terms.amount_per_unit * token.total_supply > MAX_NUMBER:
        raise Rejected(
            f"It would pay more than {format_grouped(MAX_NUMBER)} for all units of the token",
            code="amount_too_large",
        )


def earliest_record(now: dt.datetime) -> dt.datetime:
    """Return the earliest record that can be announced at `now`: the next millisecond, at least."""
    soonest = now + dt.timedelta(days=settings.DISTRIBUTION_NOTICE_DAYS, milliseconds=1)
    return soonest.replace(microsecond=soonest.microsecond // 1000 * 1000)


def check_values(terms: DistributionTerms, *, zero: bool = False) -> None:
    """Check each value; an amount of 0 where `zero` is allowed. Raises `InvalidRequest`."""
    if terms.type != DistributionType.INTEREST:
        if terms.amount is None or terms.amount < 0 or not (terms.amount or zero):
            raise InvalidRequest.for_field("amount_per_unit", "amount_per_unit must be above 0")
        if problem := decimals_error(terms.amount, UNIT_AMOUNT_DECIMALS):
            raise InvalidRequest.for_field("amount_per_unit", f"amount_per_unit {problem}")
        if terms.basis is not None:
            raise InvalidRequest.for_field("basis", "Only Interest has a basis")
        return
    if terms.amount is not None:
        raise InvalidRequest.for_field(
            "amount_per_unit", "The amount of Interest follows from its basis"
        )
    basis = terms.basis
    if basis is None:
        raise InvalidRequest.for_field("basis", "Interest needs a basis")
    if basis.principal_per_unit <= 0 or decimals_error(
        basis.principal_per_unit, PRINCIPAL_DECIMALS
    ):
        raise InvalidRequest.for_field(
            "basis", "principal_per_unit must be above 0, with at most 8 decimals"
        )
    if not 0 <= basis.rate <= MAX_RATE or decimals_error(basis.rate, RATE_DECIMALS):
        raise InvalidRequest.for_field(
            "basis", "rate must be from 0 to 100 percent, with at most 4 decimals"
        )
    if not 1 <= basis.days <= MAX_DAYS:
        raise InvalidRequest.for_field("basis", f"days must be from 1 to {MAX_DAYS}")


def _check_times(terms: DistributionTerms, now: dt.datetime) -> None:
    record_day = terms.record_at.astimezone(dt.UTC).date()
    if terms.record_at <= now:
        raise Rejected("The record must not be in the past", code="record_in_past")
    if record_day > terms.payment_date:
        raise Rejected("The record must not be after the payment", code="record_after_payment")
    earliest = earliest_record(now)
    if terms.record_at < earliest:
        # With time to send it again.
        soon = (earliest + dt.timedelta(minutes=10)).replace(second=0, microsecond=0)
        raise Rejected(
            f"The record is too early for the notice: it can be from {wire_time(soon)} on",
            code="notice_too_short",
        )
    if terms.record_at > now + _MAX_AHEAD or terms.payment_date > record_day + MAX_WAIT:
        raise Rejected(
            "The record must be within two years, and the payment within a year of it",
            code="too_far_ahead",
        )


def check_period(token: Token, terms: DistributionTerms, but: Distribution | None = None) -> None:
    """Raise `PeriodTaken` when another distribution of the type pays for one of these days."""
    first, end = _period(terms.record_at, terms.basis, but.period_end if but else None)
    others = Distribution.objects.filter(token=token, type=terms.type, corrects=None).exclude(
        status=DistributionStatus.CANCELLED
    )
    for other in others.exclude(pk=but.pk) if but else others:
        other_first, other_end = _period(other.record_at, other.basis, other.period_end)
        if first < other_end and other_first < end:
            raise PeriodTaken(
                f"Another {terms.type} of this token, recorded on {wire_time(other.record_at)},"
                " pays for the same day or period"
            )


def check_principal(token: Token, terms: DistributionTerms, but: Distribution | None) -> None:
    """Check that no more principal is repaid, or bears interest, than is outstanding, and that a
    redemption returns all of it.
    """
    repays = terms.type in (DistributionType.PRINCIPAL, DistributionType.REDEMPTION)
    wanted = terms.amount if repays else None
    if terms.basis is not None:
        wanted = terms.basis.principal_per_unit
    if wanted is None:
        return
    schedule = terms_of(token)
    if schedule is None:
        if repays:
            raise Rejected(
                "The issue price or the completion of the token is not known",
                code="principal_unknown",
            )
        return
    day = terms.record_at.astimezone(dt.UTC).date()
    if terms.type == DistributionType.PRINCIPAL and not (
        terms.record_at == _midnight(day) and is_period_end(schedule, day)
    ):
        raise Rejected(
            "The record of a Principal must be the end of an interest period, at 00:00 UTC",
            code="not_period_end",
        )
    # Of interest, before the first day that it is for.
    first, _end = _period(terms.record_at, terms.basis, but.period_end if but else None)
    left = outstanding_principal(token, None if repays else first, but=but)
    if terms.type == DistributionType.REDEMPTION:
        if wanted < left:
            raise Rejected(
                f"{format_plain(left)} {token.currency_id} of principal is outstanding on a unit",
                code="below_principal",
            )
    elif wanted > left:
        raise Rejected(
            f"Only {format_plain(left)} {token.currency_id} of principal is outstanding on a unit",
            code="principal_exceeded",
        )


def _check_end(token: Token, terms: DistributionTerms, but: Distribution | None) -> None:
    """Check that nothing pays after the units are taken back, and nothing that is due is missed."""
    redeems = terms.type == DistributionType.REDEMPTION
    if terms.type != DistributionType.EXIT and terms.final != redeems:
        raise InvalidRequest.for_field("final", "A Redemption is final, an Exit may be")
    live = _announced(token, but)
    last = live.filter(final=True).first()
    if last is not None and (terms.final or terms.record_at > last.record_at):
        raise Rejected(f"{last} takes the units back", code="token_redeemed")
    # A redemption is announced for the principal that is outstanding then.
    if last is not None and terms.type == DistributionType.PRINCIPAL:
        raise Rejected(
            f"{last} returns the principal: cancel it before another repayment is announced or"
            " changed",
            code="token_redeemed",
        )
    if terms.type == DistributionType.EXIT and not token.exited:
        raise Rejected("The token has not exited", code="not_exited")
    if redeems and token.exited:
        raise Rejected("The token has exited", code="token_exited")
    if not terms.final:
        return
    later = live.filter(record_at__gt=terms.record_at).first()
    if later is not None:
        raise Rejected(f"{later} is recorded later: redeem after it", code="coupon_due")
    # The schedule of a token ends with its exit.
    missing = _missing_coupons(token, terms.record_at) if redeems else []
    if missing:
        ends = ", ".join(str(day) for day in missing[:_NAMED])
        more = f" and {len(missing) - _NAMED} more" if missing[_NAMED:] else ""
        raise Rejected(
            f"The interest of the periods that ended on {ends}{more} is not announced",
            code="coupon_due",
        )


def _missing_coupons(token: Token, record_at: dt.datetime) -> list[dt.date]:
    """Return the ends of the periods until a record whose interest is neither announced nor, as a
    draft of the schedule, rejected or cancelled.

    The last one, and all since drafts of the token began.
    """
    schedule = terms_of(token)
    if schedule is None:
        return []
    periods = periods_between(token, schedule.completed, record_at.astimezone(dt.UTC).date())
    started = drafts_begin(token)
    coupons = list(Distribution.objects.filter(token=token, type=DistributionType.INTEREST))

    def is_missing(period: Period) -> bool:
        statuses = {
            each.status
            for each in coupons
            if pays_for(each, period)
            and (each.status != DistributionStatus.CANCELLED or each.period_end == period.ends)
        }
        pending = {DistributionStatus.DRAFT, DistributionStatus.CANCELLED}
        return statuses <= pending and statuses != {DistributionStatus.CANCELLED}

    required = [each for each in periods if started and each.ends >= started] or periods[-1:]
    return [period.ends for period in required if is_missing(period)]


def pays_for(distribution: Distribution, period: Period) -> bool:
    """Whether interest is, or was to be, for a day of the period."""
    first, end = _period(distribution.record_at, distribution.basis, distribution.period_end)
    return first < period.ends and period.starts < end


def check_cancellation(distribution: Distribution) -> None:
    """Check that a redemption does not count on this repayment of principal.

    Raises `Rejected` (`below_principal`).
    """
    if distribution.type != DistributionType.PRINCIPAL:
        return
    left = outstanding_principal(distribution.token, but=distribution)
    redemptions = _announced(distribution.token, type=DistributionType.REDEMPTION)
    short = redemptions.filter(amount_per_unit__lt=left).first()
    if short is not None:
        raise Rejected(
            f"Without it {format_plain(left)} of principal would be outstanding on a unit, more"
            f" than is paid by {short}",
            code="below_principal",
        )


def outstanding_principal(
    token: Token, day: dt.date | None = None, *, but: Distribution | None = None
) -> Decimal:
    """Return what is left of the issue price of a unit after the announced repayments: all, or
    those recorded until `day`; `but` one. For a token whose issue price is known.
    """
    repaid = _announced(token, but, type=DistributionType.PRINCIPAL)
    if day is not None:
        repaid = repaid.filter(record_at__lt=_midnight(day) + dt.timedelta(days=1))
    issued = token.issue_price or Decimal(0)
    return issued - (repaid.aggregate(total=Sum("amount_per_unit"))["total"] or 0)


def _announced(
    token: Token, but: Distribution | None = None, **conditions: object
) -> QuerySet[Distribution]:
    """Return what was announced of a token and not cancelled since, `but` one."""
    found = Distribution.objects.filter(token=token, **conditions).exclude(
        status__in=(DistributionStatus.DRAFT, DistributionStatus.CANCELLED)
    )
    return found.exclude(pk=but.pk) if but else found


def _midnight(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time.min, dt.UTC)


def _period(
    record_at: dt.datetime, basis: Basis | None, period_end: dt.date | None
) -> tuple[dt.date, dt.date]:
    """Return the first day that a distribution pays for and the day after the last one.

    Interest is for the days before its record or the end of its period, a dividend for the day.
    """
    day = period_end or record_at.astimezone(dt.UTC).date()
    if basis is None:
        return day, day + dt.timedelta(days=1)
    return day - dt.timedelta(days=basis.days), day


def _to_json(value: object) -> object:
    if isinstance(value, Decimal):
        return format_plain(value)
    return value.isoformat() if isinstance(value, dt.date) else value
