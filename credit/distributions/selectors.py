"""Queries of schedules, distributions and income, as an organisation sees them."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import takewhile
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, Min, OuterRef, Q, QuerySet

from credit.distributions.errors import DistributionNotFound
from credit.distributions.models import (
    RECORDED,
    Distribution,
    DistributionAction,
    DistributionProposal,
    DistributionStatus,
    DistributionType,
    Income,
)
from credit.distributions.payloads import DISTRIBUTION, INCOME
from credit.distributions.schedule import (
    Period,
    PrincipalChange,
    Terms,
    iterate_periods,
    list_periods,
)
from exchange.core.database import fetch_one, read_cursor
from exchange.staff.models import ApprovalStatus
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import DealAccess, PayoutFrequency, Token, TokenAccess
from exchange.tokens.payloads import TERMS
from exchange.tokens.selectors.tokens import IS_VISIBLE

_SELECT = f"""
    SELECT {TERMS.expression("exchange_token")}, issue_price, interest, tenor, payout_frequency,
           (completed_at AT TIME ZONE 'UTC')::date, cancelled OR exited, next_record_at,
           next_payment_date
    FROM exchange_token WHERE id = %s AND {IS_VISIBLE}
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True)
class Schedule:
    """The terms of a token as JSON text, its interest periods, and what is paid next."""

    terms: str
    periods: list[Period]
    next_record_at: dt.datetime | None
    next_payment_date: dt.date | None


def read_schedule(organisation_id: UUID, token_id: UUID, today: dt.date) -> Schedule:
    """Return the schedule of a token that the organisation sees. Raises `TokenNotFound`.

    Without periods while the terms are not known or the raise is open, and once the token has
    ended; without a maturity those until `today` and the next 12. Next are what is announced, and
    the end of the present period where nothing is.
    """
    row = fetch_one(_SELECT, [token_id, organisation_id, organisation_id], retryable=True)
    if row is None:
        raise TokenNotFound
    document, issue_price, interest, tenor, frequency, completed, has_ended, *announced = row
    if has_ended or completed is None or issue_price is None:
        return Schedule(document, [], *announced)
    terms = Terms(issue_price, interest, tenor, frequency, completed)
    periods = list_periods(terms, today, _principal_changes(token_id, issue_price))
    record_at, payment_date = announced
    upcoming = next((period.ends for period in periods if period.ends > today), None)
    if upcoming is not None:
        record_at = record_at or dt.datetime.combine(upcoming, dt.time(), dt.UTC)
        payment_date = payment_date or upcoming
    return Schedule(document, periods, record_at, payment_date)


def _principal_changes(token_id: UUID, issue_price: Decimal) -> list[PrincipalChange]:
    """Return what each recorded repayment of principal left of a unit, oldest first."""
    repaid = Distribution.objects.filter(
        token_id=token_id, type=DistributionType.PRINCIPAL, status__in=RECORDED
    )
    changes = []
    for record_at, amount in repaid.order_by("record_at").values_list(
        "record_at", "amount_per_unit"
    ):
        issue_price -= amount
        changes.append(PrincipalChange(record_at.astimezone(dt.UTC).date(), issue_price))
    return changes


def terms_of(token: Token) -> Terms | None:
    """Return what the schedule of a token follows from; None where that is not known."""
    if token.issue_price is None or token.completed_at is None:
        return None
    completed = token.completed_at.astimezone(dt.UTC).date()
    return Terms(token.issue_price, token.interest, token.tenor, token.payout_frequency, completed)


def scheduled_tokens() -> QuerySet[Token]:
    """Return the tokens that pay interest by a schedule, in the order of their locks."""
    known = Token.objects.filter(completed_at__isnull=False, issue_price__isnull=False)
    return (
        known.filter(interest__gt=0, cancelled=False, exited=False)
        .exclude(payout_frequency=PayoutFrequency.NONE)
        .order_by("pk")
    )


def periods_between(token: Token, first: dt.date, last: dt.date) -> list[Period]:
    """Return the periods of one of `scheduled_tokens` that end from `first` to `last`."""
    terms = terms_of(token)
    if terms is None:
        return []

    def ending(changes: Sequence[PrincipalChange]) -> list[Period]:
        soon = takewhile(lambda period: period.ends <= last, iterate_periods(terms, changes))
        return [period for period in soon if period.ends >= first]

    # Repayments are read where they can matter.
    return ending(_principal_changes(token.pk, terms.issue_price)) if ending([]) else []


def drafts_begin(token: Token) -> dt.date | None:
    """Return the day from which on the interest of each period of a token is drafted.

    That of its completion, if the exchange stored it; else, as after an upgrade, the end of the
    first period that it drafted, None where it drafted none: what was due before was paid
    elsewhere.
    """
    if token.completed_at is not None and not token.completion_is_stated:
        return token.completed_at.astimezone(dt.UTC).date()
    found: dt.date | None = Distribution.objects.filter(token=token).aggregate(
        first=Min("period_end")
    )["first"]
    return found


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a distribution would pay if its record were made now."""

    holders: int
    units: Decimal
    gross: Decimal


@dataclass(frozen=True, slots=True)
class Holder:
    """An owner of units, and what it would receive if the record were made now."""

    owner_id: UUID
    units: Decimal
    gross: Decimal


def visible_distributions(organisation_id: UUID) -> QuerySet[Distribution]:
    """Return the distributions of the organisation's tokens, and announced ones of those it sees.

    A distribution that was never announced is the issuer's alone.
    """
    granted = TokenAccess.objects.filter(
        token=OuterRef("token_id"), organisation_id=organisation_id
    )
    announced = DistributionProposal.objects.filter(
        distribution=OuterRef("pk"),
        action=DistributionAction.ANNOUNCE,
        status=ApprovalStatus.APPROVED,
    )
    return Distribution.objects.filter(
        Q(token__issuer_id=organisation_id)
        | Q(Exists(announced)) & (Q(token__deal_access=DealAccess.PUBLIC) | Q(Exists(granted)))
    )


def get_own_distribution(organisation_id: UUID, distribution_id: UUID) -> Distribution:
    """Return a distribution of one of the organisation's tokens. Raises `DistributionNotFound`."""
    found = Distribution.objects.filter(
        pk=distribution_id, token__issuer_id=organisation_id
    ).first()
    if found is None:
        raise DistributionNotFound
    return found


def read_distribution(organisation_id: UUID, distribution_id: UUID) -> str:
    """Return one document as the organisation sees it. Raises `DistributionNotFound`."""
    found = visible_distributions(organisation_id).filter(pk=distribution_id)
    texts = read_distributions(organisation_id, list(found.values_list("id", flat=True)))
    if not texts:
        raise DistributionNotFound
    return texts[0]


def read_distributions(organisation_id: UUID | None, ids: Sequence[UUID]) -> list[str]:
    """Return the documents (JSON) of distributions as the organisation sees them, in order.

    None: as another than the issuer.
    """
    with read_cursor() as cursor:
        cursor.execute(_DISTRIBUTIONS, [organisation_id, list(ids)])
        return [text for (text,) in cursor.fetchall()]


def income_of_organisation(organisation_id: UUID) -> QuerySet[Income]:
    """Return the income of an organisation and its members, not of what was cancelled."""
    income = Income.objects.filter(organisation_id=organisation_id)
    return income.exclude(distribution__status=DistributionStatus.CANCELLED)


def read_income(organisation_id: UUID, ids: Sequence[UUID]) -> list[str]:
    """Return the documents of income, in order; owners of other organisations are left out."""
    with read_cursor() as cursor:
        cursor.execute(_INCOME, [organisation_id, list(ids)])
        return [text for (text,) in cursor.fetchall()]


def due_until(day: dt.date) -> QuerySet[Distribution]:
    """Return the distributions to be paid until `day`, and overdue ones, by day of payment."""
    open_ones = Distribution.objects.exclude(
        status__in=[DistributionStatus.PAID, DistributionStatus.CANCELLED]
    )
    return (
        open_ones.filter(payment_date__lte=day)
        .select_related("token__issuer", "corrects")
        .order_by("payment_date", "record_at", "pk")
    )


def expected_gross(distributions: Collection[Distribution]) -> dict[UUID, Decimal]:
    """Return what is due for each, before the record what today's holders would receive."""
    due = {each.pk: each.gross for each in distributions if each.gross is not None}
    with connection.cursor() as cursor:
        unknown = [each.pk for each in distributions if each.pk not in due]
        cursor.execute(_EXPECTED, {"ids": unknown})
        return due | dict(cursor.fetchall())


def estimate(distribution: Distribution) -> Estimate:
    """Return what it would pay if its record were made now."""
    terms = _amounts(distribution)
    return estimate_terms(distribution.token_id, terms, corrects_id=distribution.corrects_id)


def estimate_largest(distribution: Distribution, count: int) -> list[Holder]:
    """Return the owners who would receive most, or return most, if the record were made now."""
    parameters = {
        "token": distribution.token_id,
        "corrects": distribution.corrects_id,
        "count": count,
        **_amounts(distribution),
    }
    with connection.cursor() as cursor:
        cursor.execute(_LARGEST.format(_income(distribution.corrects_id)), parameters)
        return [Holder(*row) for row in cursor.fetchall()]


def _amounts(distribution: Distribution) -> dict[str, Any]:
    names = ("amount_per_unit", "principal_per_unit", "rate", "days")
    return {name: getattr(distribution, name) for name in names}


def estimate_terms(
    token_id: UUID, terms: Mapping[str, Any], *, corrects_id: UUID | None = None
) -> Estimate:
    """Return what a distribution of these terms would pay to today's holders.

    With `corrects_id`, what a correction of that paid one to these terms would pay, or recover: of
    those whose income it changes; `gross` is below 0 where it recovers.
    """
    parameters = {"token": token_id, "corrects": corrects_id, **terms}
    with connection.cursor() as cursor:
        cursor.execute(_ESTIMATE.format(_income(corrects_id)), parameters)
        return Estimate(*cursor.fetchone())


def _income(corrects_id: UUID | None) -> str:
    """Return the rows of owners with units and what each would receive, as SQL."""
    return _ENTITLED if corrects_id is None else _CORRECTED


_DISTRIBUTIONS = f"""
    SELECT {DISTRIBUTION.expression("r")}
    FROM (
        SELECT d.id, d.token_id, d.type, d.currency_id, d.amount_per_unit, d.principal_per_unit,
               d.rate, d.days, d.record_at, d.payment_date, d.status, d.overdue, d.version,
               d.corrects_id, d.final, d.holders, d.gross, d.tax, d.net, d.created_at,
               d.updated_at, t.issuer_id IS NOT DISTINCT FROM %s::uuid AS own, wanted.place
        FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
        JOIN credit_distribution d ON d.id = wanted.id
        JOIN exchange_token t ON t.id = d.token_id
    ) r
    ORDER BY r.place
"""  # noqa: S608 - built from the declaration in payloads
_INCOME = f"""
    SELECT {INCOME.expression("r")}
    FROM (
        SELECT i.id, i.distribution_id, d.token_id, i.member_id, i.units, i.gross, i.tax_rate,
               i.tax, i.net, i.status, i.paid_to, i.created_at,
               CASE WHEN i.organisation_id = %s THEN i.owner_id END AS own_owner_id, wanted.place
        FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
        JOIN credit_income i ON i.id = wanted.id
        JOIN credit_distribution d ON d.id = i.distribution_id
    ) r
    ORDER BY r.place
"""  # noqa: S608 - built from the declaration in payloads
_ENTITLED = """
    SELECT coalesce(h.member_id, h.organisation_id) AS owner_id, h.units, income_of(
        h.units, %(amount_per_unit)s, %(principal_per_unit)s, %(rate)s, %(days)s, c.decimals)
        AS gross
    FROM entitled_units(%(token)s) h
    JOIN exchange_token t ON t.id = %(token)s
    JOIN exchange_currency c ON c.code = t.currency_id
"""
_CORRECTED = """
    SELECT coalesce(i.member_id, i.organisation_id) AS owner_id, i.units, i.gross
    FROM corrected_income(
        %(corrects)s, %(amount_per_unit)s, %(principal_per_unit)s, %(rate)s, %(days)s) i
    WHERE i.gross <> 0
"""
_ESTIMATE = """
    SELECT count(DISTINCT x.owner_id), coalesce(sum(x.units), 0), coalesce(sum(x.gross), 0)
    FROM ({}) x
"""
# In the order of units where nothing is corrected: what is received grows with them.
_LARGEST = """
    SELECT x.owner_id, sum(x.units), sum(x.gross)
    FROM ({}) x
    GROUP BY x.owner_id
    ORDER BY abs(sum(x.gross)) DESC, sum(x.units) DESC, x.owner_id LIMIT %(count)s
"""
_EXPECTED = """
    SELECT d.id, coalesce(sum(income_of(
        h.units, d.amount_per_unit, d.principal_per_unit, d.rate, d.days, c.decimals)), 0)
    FROM credit_distribution d
    JOIN exchange_currency c ON c.code = d.currency_id
    LEFT JOIN LATERAL entitled_units(d.token_id) h ON true
    WHERE d.id = ANY (%(ids)s) AND d.corrects_id IS NULL
    GROUP BY d.id
    UNION ALL
    SELECT d.id, coalesce(sum(x.gross), 0)
    FROM credit_distribution d
    LEFT JOIN LATERAL corrected_income(
        d.corrects_id, d.amount_per_unit, d.principal_per_unit, d.rate, d.days) x ON true
    WHERE d.id = ANY (%(ids)s) AND d.corrects_id IS NOT NULL
    GROUP BY d.id
"""
