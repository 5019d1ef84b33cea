"""Figures of the configuration as staff propose and decide them in the back office."""

from __future__ import annotations

from datetime import timedelta

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories.back_office import (
    confirm,
)
from wallets.fees.models import ConfigurationFigure, FigureStatus

FEE = "NGN_WITHDRAWAL_FEE"


def propose(client: Client, value: str = "75.5", *, key: str = FEE, after: timedelta | None = None):
    when = timezone.now() + after if after else None
    return confirm(
        client,
        reverse("admin:wallets_configuration_propose", args=[key]),
        value=value,
        reason="Bank raised its price",
        effective_from_0=f"{when:%Y-%m-%d}" if when else "",
        effective_from_1=f"{when:%H:%M:%S}" if when else "",
    )


def page(figure: ConfigurationFigure, name: str) -> str:
    return reverse(f"admin:wallets_configurationfigure_{name}", args=[figure.pk])


def approve(client: Client, figure: ConfigurationFigure):
    return confirm(client, page(figure, "approve"))


def labels(client: Client, figure: ConfigurationFigure) -> list[str]:
    """What can be done from the page of `figure`, in the order of its buttons."""
    context = client.get(page(figure, "change")).context
    decision = context["decision"]
    ways = [*([decision.approve] if decision.approve else []), *decision.others] if decision else []
    return [tool.label for tool in [*ways, *context["tools"]]]


def coming(office: Client, finance: Client, value: str = "80") -> ConfigurationFigure:
    """An approved figure that takes effect in three hours."""
    propose(office, value, after=timedelta(hours=3))
    figure = ConfigurationFigure.objects.get(status="Pending")
    approve(finance, figure)
    figure.refresh_from_db()
    assert figure.status == FigureStatus.APPROVED
    return figure
