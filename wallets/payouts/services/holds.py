"""Holds on payouts: placed at once by a command, for example after a restore; ended by two people.

A hold is a value of the setting PAYOUTS_ON_HOLD. The circuit and the database refuse to post while
it is 1. After a restore a hold is effective from the restored moment: the database does not know
what was paid since. It ends only once every day since then is reconciled.
"""

from datetime import datetime

from django.contrib.postgres.functions import TransactionNow
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from exchange.core.errors import InvalidRequest, StateConflict
from exchange.core.text import clean_text
from wallets.fees.definitions import PAYOUTS_ON_HOLD
from wallets.fees.models import SettingChange, SettingChangeStatus
from wallets.fees.selectors import effective_setting
from wallets.payouts.models import PayoutCircuit

_MAX_REASON_LENGTH = 300


def hold_payouts(*, reason: str, restored_to: datetime | None = None) -> SettingChange:
    """Put payouts on hold now; after a restore, from the moment it restored.

    Raises `InvalidRequest` for a moment in the future or a reason that is missing or too long, and
    `StateConflict` when a release later than `restored_to` is effective: the moment is wrong then.
    """
    reason = clean_text(reason, missing="Enter a reason", max_length=_MAX_REASON_LENGTH)
    if restored_to is not None and restored_to > timezone.now():
        raise InvalidRequest.for_field("restored_to", "The restored moment is in the future")
    with transaction.atomic():
        # A payout marked after this lock is released sees the hold.
        PayoutCircuit.objects.select_for_update(no_key=True).get()
        hold = SettingChange.objects.create(
            configuration_id=PAYOUTS_ON_HOLD,
            value=1,
            reason=reason,
            status=SettingChangeStatus.APPROVED,
            # By the database's clock, which decides what is effective.
            effective_at=restored_to or TransactionNow(),
            created_at=TransactionNow(),
        )
        hold.refresh_from_db()
        if not effective_setting(PAYOUTS_ON_HOLD):
            raise StateConflict(
                f"Payouts were released after {hold.effective_at:%Y-%m-%d %H:%M:%S} UTC, so the"
                " database has a later state. Give the moment that was restored"
            )
    return hold


def released_since_request() -> Exists:
    """Match withdrawals requested before a hold ended: their payout may have been sent before."""
    return Exists(
        SettingChange.objects.filter(
            configuration_id=PAYOUTS_ON_HOLD,
            status=SettingChangeStatus.APPROVED,
            value=0,
            effective_at__gte=OuterRef("created_at"),
        )
    )
