"""Staff with addresses, and what they are mailed about."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from exchange.staff.models import StaffMail, StaffUser
from tests.environment.owner import as_owner, without_guards
from tests.factories.wallets import OVERRIDE, make_staff, make_wallet
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions


def make_person(name: str, *codenames: str, **columns: Any) -> StaffUser:
    """Make established staff with the address `<name>@example.com`."""
    person = make_staff(*codenames)
    columns = {"email": f"{name}@example.com", "username": name, **columns}
    with as_owner():
        StaffUser.objects.filter(pk=person.pk).update(**columns)
    return StaffUser.objects.get(pk=person.pk)


def approve_once(approver: StaffUser, amount: int = 600_000) -> Withdrawal:
    """Make a withdrawal that awaits a second approval."""
    withdrawal = make_wallet(amount).request(amount)
    return decisions.approve(
        withdrawal_id=withdrawal.pk,
        version=withdrawal.version,
        approver=approver,
        override=OVERRIDE,
    )


def make_all_due() -> None:
    """Let the time of the next attempt come, or a lease end."""
    StaffMail.objects.filter(next_attempt_at__isnull=False).update(next_attempt_at=timezone.now())


def backdate_mail(ago: timedelta) -> None:
    """Move the creation of all e-mail into the past."""
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_staffmail SET created_at = created_at - %s", [ago])


def minutes_until(moment: datetime | None) -> int:
    """Return the minutes until `moment`, rounded."""
    assert moment is not None
    return round((moment - timezone.now()).total_seconds() / 60)
