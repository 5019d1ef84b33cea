"""Corrections: what a paid distribution paid its holders too little, or too much.

Its terms are those that would have been right. The issuer or staff propose it, other staff approve,
which announces it and at once makes its record: the difference of each holder (`correction.sql`).
What was too little is funded and paid like any distribution. What was too much is taken back
(`recovering`).
"""

import datetime as dt
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from credit.distributions.errors import CorrectionPending, DistributionNotFound
from credit.distributions.models import (
    Distribution,
    DistributionStatus,
    DistributionType,
    Income,
    IncomeStatus,
)
from credit.distributions.selectors import estimate_terms
from credit.distributions.services.terms import (
    MAX_WAIT,
    DistributionTerms,
    check_principal,
    check_size,
    check_values,
)
from credit.distributions.services.transitions import RECORDED, emit_to_issuer
from exchange.core.actors import Actor
from exchange.core.audit_context import actor_parameters
from exchange.core.database import fetch_one
from exchange.core.errors import Rejected
from exchange.core.querysets import get_or_raise
from exchange.core.timestamps import wire_time
from exchange.tokens.models import Token

_CLOSED = (DistributionStatus.PAID, DistributionStatus.CANCELLED)


def check_correction(
    token: Token, corrects_id: UUID, terms: DistributionTerms, *, but: Distribution | None = None
) -> Distribution:
    """Return the distribution of the token that can be corrected to these terms.

    The caller locks the token; `but` is the correction itself. Raises `InvalidRequest` for a value,
    `DistributionNotFound`, `CorrectionPending`, `Rejected` with the code of a rule.
    """
    check_values(terms, zero=True)
    rows = Distribution.objects.filter(pk=corrects_id, token=token).select_related("token")
    original = get_or_raise(rows, DistributionNotFound)
    if original.corrects_id or original.type == DistributionType.PRINCIPAL:
        raise Rejected(
            "Correct the distribution itself, not a correction of it"
            if original.corrects_id
            else "A repayment of principal is not corrected: repay the difference with the next",
            code="not_correctable",
        )
    # Clients read times in milliseconds.
    if (terms.type, terms.currency, wire_time(terms.record_at)) != (
        original.type,
        original.currency_id,
        wire_time(original.record_at),
    ):
        raise Rejected(
            f"It corrects {original}: {original.type} in {original.currency_id}, recorded at"
            f" {wire_time(original.record_at)}",
            code="correction_differs",
        )
    check_principal(token, terms, original)
    chain = Distribution.objects.filter(corrects=original)
    if but is not None:
        chain = chain.exclude(pk=but.pk)
    if chain.exclude(status__in=_CLOSED).exists():
        raise CorrectionPending
    due = Income.objects.filter(
        Q(distribution=original) | Q(distribution__in=chain, gross__gt=0),
        status=IncomeStatus.DUE,
    ).exclude(distribution__status=DistributionStatus.CANCELLED)
    if original.status != DistributionStatus.PAID or due.exists():
        raise Rejected("Only what is paid to all its holders is corrected", code="not_paid")
    check_size(token, terms)
    today = timezone.now().date()
    if terms.payment_date > today + MAX_WAIT:
        raise Rejected("The payment must be within a year", code="too_far_ahead")
    earliest = today + dt.timedelta(days=settings.DISTRIBUTION_NOTICE_DAYS)
    if terms.payment_date < earliest:
        raise Rejected(
            f"The payment is too early for the notice: it can be from {earliest} on",
            code="notice_too_short",
        )
    if not estimate_terms(token.pk, terms.columns(), corrects_id=original.pk).gross:
        raise Rejected("These terms pay each holder what it received", code="corrects_nothing")
    return original


def record_correction(distribution: Distribution, actor: Actor) -> None:
    """Make the record of a correction that was just announced: the difference of each holder."""
    made = fetch_one(
        "SELECT record_correction(%s, %s) FROM act_as(%s, %s, %s)",
        [distribution.pk, str(actor), *actor_parameters(actor)],
    )
    if made != (True,):
        raise RuntimeError(f"{distribution.pk} is not an announced correction")
    distribution.refresh_from_db()
    emit_to_issuer(distribution, RECORDED)
