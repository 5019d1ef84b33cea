"""A checkout from its link to the credited wallet, paid by a person in a browser."""

import json
from collections.abc import Iterator
from decimal import Decimal
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from playwright.sync_api import Browser, Page, expect

from exchange.events.models import Event
from exchange.participants.models import Member
from tests.environment.browser import TIMEOUT_MILLISECONDS
from tests.environment.processes import Program, wait_until
from tests.environment.services import Sandbox, Service
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.factories.wallets import assert_books_hold, balance_of
from wallets.deposits.models import Deposit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

SHOP = "https://shop.example.com"


@pytest.fixture
def caller(transactional_db: None) -> ApiCaller:
    made = make_caller()
    made.organisation.name = "Acme Investments"
    made.organisation.redirect_origins = [SHOP]
    made.organisation.save()
    return made


@pytest.fixture
def member(caller: ApiCaller) -> Member:
    return make_member(caller.organisation, "Adaeze Ọbí")


@pytest.fixture
def customer(chromium: Browser) -> Iterator[Page]:
    """The browser of a customer; the shop that they return to is a page of this test."""
    context = chromium.new_context()
    context.set_default_timeout(TIMEOUT_MILLISECONDS)
    context.route(f"{SHOP}/**", lambda route: route.fulfill(body="Welcome back"))
    yield context.new_page()
    context.close()


def returned(page: Page) -> dict[str, list[str]]:
    """Return what the address says with which the provider sent the customer back."""
    expect(page.get_by_text("Welcome back")).to_be_visible()
    address = urlsplit(page.url)
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{SHOP}/paid"
    return parse_qs(address.query)


def test_a_checkout_that_fails_at_first_is_paid_by_bank_transfer_and_credited(
    live_service: Service,
    live_worker: Program,
    provider_sandbox: Sandbox,
    caller: ApiCaller,
    member: Member,
    customer: Page,
):
    response = requests.post(
        f"{live_service.base_url}/v1/api/members/{member.id}/deposits/checkout",
        json={"amount": 2500.5, "currency": "NGN", "redirect_url": f"{SHOP}/paid?order=7"},
        headers=caller.headers,
        timeout=30,
    )
    assert response.status_code == 201, response.text
    made = response.json()["data"]
    deposit, reference = made["deposit"]["_id"], made["deposit"]["reference"]

    customer.goto(made["url"])
    expect(customer.get_by_role("heading", name="Acme Investments")).to_be_visible()
    expect(customer.get_by_text("Adaeze Ọbí")).to_be_visible()
    expect(customer.get_by_text("NGN 2,500.50").first).to_be_visible()
    customer.get_by_label("Card", exact=True).check()
    customer.get_by_role("button", name="Fail the payment").click()
    said = returned(customer)
    assert (said["order"], said["status"], said["tx_ref"]) == (["7"], ["failed"], [reference])
    wait_until(lambda: status_of(deposit) == "Failed", "the deposit fails")
    assert balance_of(member.id, "NGN") == 0

    customer.goto(made["url"])
    customer.get_by_label("Bank transfer", exact=True).check()
    customer.get_by_label("Account holder").fill("Adaeze Ọbí")
    customer.get_by_label("Bank (optional)").fill("Access Bank")
    customer.get_by_role("button", name="Pay NGN 2,500.50").click()
    said = returned(customer)
    assert (said["status"], said["tx_ref"]) == (["successful"], [reference])
    wait_until(lambda: balance_of(member.id, "NGN") == Decimal("2500.50"), "it is credited")

    found = requests.get(
        f"{live_service.base_url}/v1/api/deposits/{deposit}", headers=caller.headers, timeout=30
    ).json()["data"]
    assert (found["status"], found["amount"], found["net_amount"]) == (
        "Completed", 2500.5, 2500.5,
    )  # fmt: skip
    assert found["payer"]["name"] == "Adaeze Ọbí"
    assert found["payer"]["bank"] == "Access Bank"
    events = [json.loads(each.body) for each in Event.objects.order_by("id")]
    assert [each["type"] for each in events] == ["deposit.failed", "deposit.completed"]
    assert events[1]["data"]["deposit"] == found
    assert Deposit.objects.get().flags == ["paid_after_failure"]

    customer.goto(made["url"])
    expect(customer.get_by_role("status")).to_contain_text("Payment received: NGN 2,500.50")
    customer.get_by_role("link", name="Return to the merchant").click()
    assert returned(customer)["transaction_id"] == said["transaction_id"]
    assert_books_hold()


def status_of(deposit_id: str) -> str:
    return Deposit.objects.get(pk=deposit_id).status
