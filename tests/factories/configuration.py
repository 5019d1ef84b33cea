"""Settings that take effect at once."""

from decimal import Decimal

from django.contrib.postgres.functions import TransactionNow
from django.utils import timezone

from exchange.staff.models import StaffUser
from wallets.fees.models import SettingChange, SettingChangeStatus


def set_setting(key: str, value: str | int | Decimal) -> None:
    """Make `value` effective the way the database requires, without the services."""
    proposer, approver = (
        StaffUser.objects.get_or_create(username=name, defaults={"is_staff": True})[0]
        for name in ("proposer", "approver")
    )
    change = SettingChange.objects.create(
        configuration_id=key,
        value=value,
        reason="for a test",
        proposed_by=proposer,
        created_at=timezone.now(),
    )
    SettingChange.objects.filter(pk=change.pk).update(
        status=SettingChangeStatus.APPROVED,
        decided_by=approver,
        decided_at=timezone.now(),
        effective_at=TransactionNow(),
    )
