"""Helpers: the pages of loan configurations and their forms."""

from typing import Any

from django.test import Client
from django.urls import reverse

from credit.configurations.models import LoanConfiguration
from tests.factories.api_clients import make_organisation
from tests.factories.back_office import page, submit_confirmation
from tests.factories.loan_configurations import pending_version


def form(**changes: Any) -> dict[str, Any]:
    """Return a valid form with `changes`."""
    return {
        "name": "Secured",
        "access": "own",
        "investment_categories": ["Bond", "Fund"],
        "collateral_ratio": "80",
        "interest_rate": "5",
        "duration": "12",
        "grace_period": "7",
        "max_amount_NGN": "2000000.50",
        "max_outstanding_NGN": "",
        **changes,
    }


def decision(configuration: LoanConfiguration, name: str) -> str:
    return reverse(
        f"admin:credit_loanconfiguration_{name}",
        args=[configuration.pk, pending_version(configuration).pk],
    )


def offer(client: Client, **changes: Any) -> Any:
    body = form(creditor=str(make_organisation("Umoja Credit").pk), **changes)
    return client.post(reverse("admin:credit_loanconfiguration_add"), body)


def shown_values(client: Client, configuration: LoanConfiguration) -> dict[str, Any]:
    """Return what the form of new terms shows."""
    shown = client.get(page(configuration, "propose")).context["form"]
    found = {name: shown[name].value() for name in shown.fields}
    return {name: value for name, value in found.items() if value is not None}


def propose_terms(client: Client, configuration: LoanConfiguration, **body: Any) -> Any:
    """Propose terms beyond their band, from the page that says so."""
    address = page(configuration, "propose")
    asked = submit_confirmation(client, address, **body)
    why = {"note": "Agreed with the creditor in May"}
    return submit_confirmation(client, address, at=asked, **body | why)
