"""Panels on record pages, as assigned in config."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.panels import EVERYWHERE, PANELS, panels_of
from config.back_office.roles import AUDITOR
from exchange.core.models import Change
from exchange.events.models import WebhookEndpoint
from exchange.exports.models import Export
from exchange.participants.models import Member, Organisation
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.back_office import signed_in_client
from tests.factories.logins import create_login_user

pytestmark = pytest.mark.django_db

WALLET = ["Accounts", "Ledger entries", "Deposits", "Withdrawals"]


def links(client: Client, record: Organisation | Member) -> list[str]:
    """The labels of the links on the page of a record."""
    address = reverse(f"admin:exchange_{record._meta.model_name}_change", args=[record.pk])
    tools = client.get(address).context["tools"]
    return [tool.label for tool in tools if tool.is_navigation]


def test_an_organisation_links_to_its_own_records_in_order():
    client, organisation = signed_in_client(AUDITOR), make_organisation()
    shown = links(client, organisation)
    trade = ["Orders", "Issued tokens", "Loan configurations", "Loans"]
    assert shown == ["Members", "API keys", "Events", *WALLET, *trade]
    WebhookEndpoint.objects.create(
        organisation=organisation, url="https://acme.example/hook", secret="x"
    )
    assert links(client, organisation) == [*shown[:3], "Webhook", *shown[3:]]


def test_a_member_links_to_their_own_records():
    assert links(signed_in_client(AUDITOR), make_member(make_organisation())) == [
        *WALLET,
        "Orders",
        "Loans",
    ]


def test_every_page_has_the_common_panels():
    for model in admin.site._registry:
        assert tuple(panels_of(model))[-len(EVERYWHERE) :] == EVERYWHERE
    assert set(PANELS) <= set(admin.site._registry)
    assert panels_of(Export) == EVERYWHERE


def test_a_change_links_to_its_record_unless_only_the_owner_may_open_it(auditor):
    organisation = make_organisation()
    export = Export.objects.create(
        source="x", title="X", form="csv", file_name="x.csv",
        requested_by=create_login_user(AUDITOR),
        about_rows=0, created_at=timezone.now(),
    )  # fmt: skip
    for record, leads in ((organisation, True), (export, False)):
        change = Change.objects.get(record_id=str(record.pk))
        page = auditor.get(reverse("admin:exchange_change_change", args=[change.pk]))
        name = f"admin:exchange_{record._meta.model_name}_change"
        assert (reverse(name, args=[record.pk]) in page.content.decode()) is leads
