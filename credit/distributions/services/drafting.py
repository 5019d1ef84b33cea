"""Drafts of the schedule: the interest of each period is proposed before its record.

The schedule is the issuer's consent; staff approve the draft, which announces it. A draft that is
rejected is not made again unless the terms of its token change within 14 days of its record. A
missed period is drafted however late, but none that ended before drafts of the token began
(`drafts_begin`): after an upgrade, or once terms are decided, what ended in the last 14 days.
"""

import datetime as dt
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from credit.distributions.models import (
    Distribution,
    DistributionAction,
    DistributionStatus,
    DistributionType,
)
from credit.distributions.schedule import Period
from credit.distributions.selectors import drafts_begin, periods_between, scheduled_tokens
from credit.distributions.services.proposals import (
    ALERT_MISSED,
    insert_distribution,
    propose_action,
)
from credit.distributions.services.terms import DistributionTerms, pays_for
from credit.loans.services.servicing import for_each
from exchange.core.actors import Actor, ActorKind
from exchange.tokens.models import Token
from orders.listings.services.lifecycle import lock_token
from wallets.alerts.services import raise_alert

# How long before its record a draft appears.
AHEAD = dt.timedelta(days=14)
_SYSTEM = Actor(kind=ActorKind.SYSTEM, id="draft_distributions", label="Schedule")


def draft_due() -> int:
    """Draft the interest that is recorded within 14 days; return how many. Alert about missed ones.

    Safe to run twice, and by two workers at once: the token is locked, and a period drafted once.
    """
    today = timezone.now().date()
    last = today + AHEAD
    due = {}
    for token in scheduled_tokens():
        first = min(drafts_begin(token) or today, today - AHEAD)
        if _undrafted(token, first, last):
            due[token.pk] = first
    made = for_each(
        due,
        lambda token_id: draft_periods(token_id, due[token_id], last),
        "distribution_draft_failed",
    )
    for missed in Distribution.objects.filter(
        status=DistributionStatus.DRAFT,
        period_end__isnull=False,
        record_at__lte=timezone.now(),
    ).select_related("token"):
        raise_alert(
            ALERT_MISSED,
            subject=str(missed.pk),
            message=f"{missed} was not approved before its record. Approve it, and it is recorded"
            " once the notice has passed",
        )
    return made


def draft_periods(token_id: UUID, first: dt.date, last: dt.date) -> int:
    """Draft what is missing of the periods that end from `first` to `last`; return how many."""
    with transaction.atomic():
        token = lock_token(token_id)
        periods = _undrafted(token, first, last)
        for period in periods:
            _draft_period(token, period)
        return len(periods)


def _undrafted(token: Token, first: dt.date, last: dt.date) -> list[Period]:
    """Return the periods that end from `first` to `last` and that nothing pays for or settles."""
    made = list(Distribution.objects.filter(token=token, type=DistributionType.INTEREST))
    return [
        period
        for period in periods_between(token, first, last)
        if not any(_settles(each, period) for each in made)
    ]


def _settles(made: Distribution, period: Period) -> bool:
    """Whether a distribution pays for a day of the period, or was its draft and is cancelled."""
    if not pays_for(made, period):
        return False
    if made.status != DistributionStatus.CANCELLED:
        return True
    # Terms that change later bring back no period that was settled long ago.
    long_ago = period.ends < timezone.now().date() - AHEAD
    same = made.period_end == period.ends and made.basis == period.basis
    return made.period_end is not None and (long_ago or same)


def _draft_period(token: Token, period: Period) -> None:
    terms = DistributionTerms(
        type=DistributionType.INTEREST,
        currency=token.currency_id,
        basis=period.basis,
        record_at=dt.datetime.combine(period.ends, dt.time(), dt.UTC),
        payment_date=period.ends,
    )
    distribution = insert_distribution(token, terms, _SYSTEM, period_end=period.ends)
    propose_action(
        distribution,
        DistributionAction.ANNOUNCE,
        _SYSTEM,
        f"Period {period.number} of the schedule, from {period.starts} to {period.ends}",
    )
