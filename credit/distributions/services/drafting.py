"""Drafts of the schedule: the interest of each period is proposed before its record.

The schedule is the issuer's consent; staff approve the draft, which announces it. A draft that is
rejected is not made again unless the terms of its token change.
"""

import datetime as dt
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from credit.distributions.errors import PeriodTaken
from credit.distributions.models import (
    Distribution,
    DistributionAction,
    DistributionStatus,
    DistributionType,
)
from credit.distributions.schedule import Period
from credit.distributions.selectors import periods_between, scheduled_tokens
from credit.distributions.services.proposals import (
    ALERT_MISSED,
    insert_distribution,
    propose_action,
)
from credit.distributions.services.terms import DistributionTerms, check_period
from credit.distributions.services.transitions import for_each
from exchange.core.actors import Actor, ActorKind
from exchange.tokens.models import Token
from orders.listings.services.lifecycle import lock_token
from wallets.alerts.services import raise_alert

# How long before its record a draft appears, and how long after it one that was missed still does.
AHEAD = dt.timedelta(days=14)
_SYSTEM = Actor(kind=ActorKind.SYSTEM, id="draft_distributions", label="Schedule")


def draft_due() -> int:
    """Draft the interest that is recorded within 14 days; return how many. Alert about missed ones.

    Safe to run twice, and by two workers at once: the token is locked, and a period drafted once.
    """
    today = timezone.now().date()
    first, last = today - AHEAD, today + AHEAD
    due = [token.pk for token in scheduled_tokens() if periods_between(token, first, last)]
    made = for_each(
        due, lambda token_id: draft_periods(token_id, first, last), "distribution_draft_failed"
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
        periods = periods_between(token, first, last)
        return sum(_draft_period(token, period) for period in periods)


def _draft_period(token: Token, period: Period) -> bool:
    """Draft the interest of one period; return False where it is proposed or was rejected."""
    basis = period.basis
    rejected = Distribution.objects.filter(
        token=token,
        period_end=period.ends,
        principal_per_unit=basis.principal_per_unit,
        rate=basis.rate,
        days=basis.days,
    )
    terms = DistributionTerms(
        type=DistributionType.INTEREST,
        currency=token.currency_id,
        basis=basis,
        record_at=dt.datetime.combine(period.ends, dt.time(), dt.UTC),
        payment_date=period.ends,
    )
    try:
        check_period(token, terms)
    except PeriodTaken:
        return False
    if rejected.exists():
        return False
    distribution = insert_distribution(token, terms, _SYSTEM, period_end=period.ends)
    propose_action(
        distribution,
        DistributionAction.ANNOUNCE,
        _SYSTEM,
        f"Period {period.number} of the schedule, from {period.starts} to {period.ends}",
    )
    return True
