"""A checkout from its link to the credited wallet, paid by a person in a browser."""

import json
from collections.abc import Iterator
from decimal import Decimal
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from exchange.events.models import Event
from exchange.participants.models import Member
from tests.environment.browser import TIMEOUT_MILLISECONDS
from tests.environment.processes import Program, wait_until
from tests.environment.services import Sandbox, Service
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.factories.wallets import assert_books_hold, balance_of
from wallets.deposits.models import Deposit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

# An address needs no name server. Nothing listens there: what counts is the request that is sent.
SHOP = "https://127.0.0.1:9"


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
def customer(chromium: Browser) -> Iterator[BrowserContext]:
    """The browser of a customer."""
    context = chromium.new_context()
    context.set_default_timeout(TIMEOUT_MILLISECONDS)
    yield context
    context.close()


def open_page(customer: BrowserContext, url: str) -> Page:
    """Open the checkout in a tab of its own, as a customer does who follows the link again."""
    page = customer.new_page()
    page.goto(url)
    return page


def returned(page: Page, link: Locator) -> dict[str, list[str]]:
    """Click, and return what the address says with which the provider sends the customer back."""
    with page.expect_request(f"{SHOP}/**") as sent:
        link.click()
    address = urlsplit(sent.value.url)
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{SHOP}/paid"
    return parse_qs(address.query)


@pytest.mark.slow
def test_a_checkout_that_fails_at_first_is_paid_by_bank_transfer_and_credited(
    live_service: Service,
    live_worker: Program,
    provider_sandbox: Sandbox,
    caller: ApiCaller,
    member: Member,
    customer: BrowserContext,
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

    page = open_page(customer, made["url"])
    expect(page.get_by_role("heading", name="Acme Investments")).to_be_visible()
    expect(page.get_by_text("Adaeze Ọbí")).to_be_visible()
    expect(page.get_by_text("NGN 2,500.50").first).to_be_visible()
    page.get_by_label("Card", exact=True).check()
    said = returned(page, page.get_by_role("button", name="Fail the payment"))
    assert (said["order"], said["status"], said["tx_ref"]) == (["7"], ["failed"], [reference])
    wait_until(lambda: status_of(deposit) == "Failed", "the deposit fails")
    assert balance_of(member.id, "NGN") == 0

    page = open_page(customer, made["url"])
    page.get_by_label("Bank transfer", exact=True).check()
    page.get_by_label("Account holder").fill("Adaeze Ọbí")
    page.get_by_label("Bank (optional)").fill("Access Bank")
    said = returned(page, page.get_by_role("button", name="Pay NGN 2,500.50"))
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

    page = open_page(customer, made["url"])
    expect(page.get_by_role("status")).to_contain_text("Payment received: NGN 2,500.50")
    link = page.get_by_role("link", name="Return to the merchant")
    assert returned(page, link)["transaction_id"] == said["transaction_id"]
    assert_books_hold()


def status_of(deposit_id: str) -> str:
    return Deposit.objects.get(pk=deposit_id).status
