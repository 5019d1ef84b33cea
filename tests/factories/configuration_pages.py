"""Settings changes, proposed and decided on the pages of the back office."""

from __future__ import annotations

from datetime import timedelta

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories.back_office import (
    submit_confirmation,
)
from wallets.fees.models import SettingChange, SettingChangeStatus

FEE = "NGN_WITHDRAWAL_FEE"


def propose(client: Client, value: str = "75.5", *, key: str = FEE, after: timedelta | None = None):
    when = timezone.now() + after if after else None
    return submit_confirmation(
        client,
        reverse("admin:wallets_configuration_propose", args=[key]),
        value=value,
        reason="Bank raised its price",
        effective_from_0=f"{when:%Y-%m-%d}" if when else "",
        effective_from_1=f"{when:%H:%M:%S}" if when else "",
    )


def page(change: SettingChange, name: str) -> str:
    return reverse(f"admin:wallets_settingchange_{name}", args=[change.pk])


def approve(client: Client, change: SettingChange):
    return submit_confirmation(client, page(change, "approve"))


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
