"""Settings changes, proposed and decided on the pages of the back office."""

from datetime import timedelta
from itertools import count

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories.back_office import page, submit_confirmation
from wallets.fees.models import SettingChange, SettingChangeStatus

FEE = "NGN_WITHDRAWAL_FEE"
_numbers = count(1)


def propose(client: Client, value: str = "75.5", *, key: str = FEE, after: timedelta | None = None):
    """Propose a value; beyond the band, from the page that says so."""
    when = timezone.now() + after if after else None
    address = reverse("admin:wallets_configuration_propose", args=[key])
    typed = {
        "value": value,
        # Not the last one again.
        "reason": f"Bank raised its price to {value}, proposal {next(_numbers)}",
        "effective_from_0": f"{when:%Y-%m-%d}" if when else "",
        "effective_from_1": f"{when:%H:%M:%S}" if when else "",
    }
    shown = submit_confirmation(client, address, **typed)
    asks = shown.status_code == 200 and shown.context["confirmation"].warnings
    return submit_confirmation(client, address, at=shown, **typed) if asks else shown


def approve(client: Client, change: SettingChange):
    # The page has the field beyond the band only.
    reason = f"Compared with the bank's letter {next(_numbers)}"
    return submit_confirmation(client, page(change, "approve"), reason=reason)


def button_labels(client: Client, change: SettingChange) -> list[str]:
    """Return the labels of the buttons on the page of a change, in order."""
    context = client.get(page(change, "change")).context
    decision = context["decision"]
    ways = (
        [*([decision.approve] if decision.approve else []), *decision.other_tools]
        if decision
        else []
    )
    return [tool.label for tool in [*ways, *context["tools"]]]


def upcoming_change(office: Client, finance: Client, value: str = "80") -> SettingChange:
    """Return an approved change that takes effect in three hours."""
    propose(office, value, after=timedelta(hours=3))
    change = SettingChange.objects.get(status="Pending")
    approve(finance, change)
    change.refresh_from_db()
    assert change.status == SettingChangeStatus.APPROVED
    return change
