"""The record of a distribution: who held units when its time came.

`record_at` needs no clock that strikes: past it nothing changes an owner of units until the record
is made (`exchange.tokens.selectors.tokens.require_recorded`, and the same rule of the order book).
So a late worker records the same.
"""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from credit.distributions.models import Distribution, DistributionStatus
from credit.distributions.services.transitions import RECORDED, emit_to_issuer
from credit.loans.services.servicing import for_each
from exchange.core.actors import Actor
from exchange.core.audit_context import actor_parameters
from exchange.core.database import fetch_one
from wallets.alerts.services import raise_alert, resolve_alert

ALERT = "distribution_record"
# A record that takes longer holds up trading noticeably.
_LATE = timedelta(seconds=60)
_SYSTEM = Actor.system("record_distributions")


def record_due() -> int:
    """Make the records whose time has come; return their number. Alert about late ones."""
    now = timezone.now()
    due = Distribution.objects.filter(status=DistributionStatus.ANNOUNCED, record_at__lte=now)
    late = due.filter(record_at__lte=now - _LATE).select_related("token")
    for distribution in late:
        raise_alert(
            ALERT,
            subject=str(distribution.pk),
            message=f"The record of {distribution} is late. Orders of {distribution.token.symbol}"
            " are rejected until it is made",
        )
    ids = list(due.order_by("record_at", "id").values_list("pk", flat=True))
    return for_each(ids, record, "distribution_record_failed")


def record(distribution_id: UUID) -> bool:
    """Make one record; return False where it is made already, or not due."""
    with transaction.atomic():
        row = fetch_one(
            "SELECT record_distribution(%s, %s, %s) FROM act_as(%s, %s, %s)",
            [
                distribution_id,
                settings.EX_INCOME_PERCENT,
                str(_SYSTEM),
                *actor_parameters(_SYSTEM),
            ],
        )
        if row != (True,):
            return False
        made = Distribution.objects.select_related("token").get(pk=distribution_id)
        emit_to_issuer(made, RECORDED)
        resolve_alert(ALERT, subject=str(distribution_id))
    return True
