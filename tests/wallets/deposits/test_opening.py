"""Virtual accounts and checkouts at the provider: what it declines, and eight requests at once."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

import pytest
import requests
from django.db import IntegrityError, connection

from config.local.sandbox import SandboxServer
from config.local.sandbox.faults import Fault
from exchange.core.errors import InvalidRequest, ProviderFailed, Rejected
from exchange.core.idempotency import IdempotencyClaim
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.deposits import Owner
from wallets.deposits.models import Deposit, VirtualAccount
from wallets.deposits.services.opening import (
    Checkout,
    open_checkout,
    open_virtual_account,
    request_page,
    store_checkout,
)

pytestmark = pytest.mark.django_db

BVN = "12345678901"
T = TypeVar("T")


@pytest.fixture
def owner() -> Owner:
    organisation = make_organisation("Acme")
    organisation.email = "money@example.com"
    organisation.redirect_origins = ["https://example.com", "https://example.com:8443"]
    organisation.save()
    return Owner(organisation, make_member(organisation, "Ada Ngozi Obi"))


def open_account(owner: Owner, currency: str = "NGN", bvn: str = BVN) -> UUID:
    return open_virtual_account(
        organisation_id=owner.organisation.pk,
        member_id=owner.member_id,
        currency=currency,
        bvn=bvn,
    )


def make_checkout(owner: Owner, **changes: Any) -> Checkout:
    values: dict[str, Any] = {
        "amount": Decimal("25.5"), "currency": "NGN", "redirect_url": "https://example.com/paid",
    }  # fmt: skip
    return Checkout(
        organisation_id=owner.organisation.pk, member_id=owner.member_id, **{**values, **changes}
    )


def checkout(owner: Owner, **changes: Any) -> str:
    """Return the address of a new page at the provider; nothing is stored."""
    return request_page(make_checkout(owner, **changes))


def listed(sandbox: SandboxServer, what: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = requests.get(f"{sandbox.url}/sandbox/{what}", timeout=20).json()
    return found


def test_an_account_is_opened_once_in_the_owners_name(sandbox, owner):
    opened = open_account(owner)
    account = VirtualAccount.objects.get()
    assert account.pk == opened
    assert owner.member_id is not None
    assert (account.organisation_id, account.member_id, account.currency_id) == (
        owner.organisation.pk, owner.member_id, "NGN",
    )  # fmt: skip
    assert (account.reference, account.account_name, account.bank_name) == (
        f"account_ngn_{owner.member_id.hex}", "Ada Ngozi Obi", "Wema Bank",
    )  # fmt: skip
    [made] = listed(sandbox, "accounts")
    assert (made["tx_ref"], made["order_ref"], made["account_number"]) == (
        account.reference, account.order_reference, account.account_number,
    )  # fmt: skip
    with assert_nothing_changes():
        assert open_account(owner, bvn="") == opened
    assert open_account(owner, "GHS", bvn="") != opened
    assert open_account(Owner(owner.organisation)) != opened
    assert len(listed(sandbox, "accounts")) == 3


def eight_at_once(act: Callable[[], T]) -> list[T]:
    """Return the results of `act` in eight threads, each on a connection of its own."""
    barrier = threading.Barrier(8)

    def run(_: int) -> T:
        try:
            barrier.wait(30)
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(run, range(8)))


@pytest.mark.django_db(transaction=True)
def test_one_account_is_opened_by_eight_requests_at_once(sandbox, owner):
    assert set(eight_at_once(lambda: open_account(owner))) == {VirtualAccount.objects.get().pk}
    # The provider made several, all with the one reference by which their payments are matched.
    assert {each["tx_ref"] for each in listed(sandbox, "accounts")} == {
        VirtualAccount.objects.get().reference
    }


@pytest.mark.django_db(transaction=True)
def test_one_checkout_is_opened_by_eight_requests_at_once_under_one_key(sandbox, owner):
    claim = IdempotencyClaim(owner.organisation.pk, "POST", "/v1/checkout", "key", "hash")
    responses = eight_at_once(lambda: open_checkout(make_checkout(owner), claim=claim))
    deposit = Deposit.objects.get()
    assert [response.replayed for response in responses].count(False) == 1
    [text] = {response.data for response in responses}
    assert json.loads(text)["deposit"]["reference"] == deposit.reference
    # The provider made several; the one in the response is the deposit's.
    pages = {f"{sandbox.url}/pay/{each['token']}": each for each in listed(sandbox, "checkouts")}
    assert pages[json.loads(text)["url"]]["tx_ref"] == deposit.reference


def test_what_the_provider_declines_is_explained_and_nothing_is_written(sandbox, owner):
    owner.organisation.email = "no-address"
    owner.organisation.save()
    with assert_nothing_changes():
        with pytest.raises(Rejected) as caught:
            open_account(Owner(owner.organisation))
        assert (caught.value.code, caught.value.message) == (
            "account_declined",
            "The payment provider declined the account: email must be a valid email",
        )
        with pytest.raises(Rejected) as caught:
            checkout(owner, currency="EUR")
        assert (caught.value.code, caught.value.message) == (
            "checkout_declined",
            "The payment provider declined the checkout: Payments in EUR are not supported",
        )


@pytest.mark.parametrize("open_one", [open_account, checkout])
def test_nothing_is_written_while_the_provider_is_away(sandbox, owner, open_one):
    sandbox.faults.add(Fault("error_5xx"))
    with assert_nothing_changes(), pytest.raises(ProviderFailed) as caught:
        open_one(owner)
    assert caught.value.message == "The payment provider did not respond. Please try again"
    assert listed(sandbox, "accounts") == listed(sandbox, "checkouts") == []


def test_an_organisation_needs_an_email_address(sandbox, owner):
    owner.organisation.email = ""
    owner.organisation.save()
    with assert_nothing_changes():
        for open_one in (open_account, checkout):
            with pytest.raises(Rejected) as caught:
                open_one(Owner(owner.organisation))
            assert caught.value.code == "email_required"
    assert sandbox.requests.entries() == []


def test_a_checkout_is_requested_for_its_owner_and_stored_once(sandbox, owner):
    address = "https://EXAMPLE.com:8443/paid?order=7"
    own = {"client_reference": "a", "metadata": {"cart": "1"}}
    made = make_checkout(owner, redirect_url=address, **own)
    url = request_page(made)
    [page] = listed(sandbox, "checkouts")
    assert (page["tx_ref"], page["amount"], page["currency"], page["redirect_url"]) == (
        made.reference, 25.5, "NGN", address,
    )  # fmt: skip
    assert url == f"{sandbox.url}/pay/{page['token']}"
    deposit = Deposit.objects.get(pk=store_checkout(made))
    assert (deposit.status, deposit.channel, deposit.amount, deposit.currency_id) == (
        "Pending", "checkout", Decimal("25.5"), "NGN",
    )  # fmt: skip
    assert (deposit.organisation_id, deposit.member_id, deposit.reference) == (
        owner.organisation.pk, owner.member_id, made.reference,
    )  # fmt: skip
    assert (deposit.redirect_url, deposit.client_reference, deposit.metadata) == (
        address, "a", {"cart": "1"},
    )  # fmt: skip
    with assert_nothing_changes(), pytest.raises(IntegrityError, match="deposit_reference_once"):
        store_checkout(replace(made, client_reference=None))


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com:443/paid",
        "https://example.com.evil.example/paid",
        "https://example.com@evil.example/paid",
        "https://evil.example/https://example.com",
        "https:///example.com",
    ],
)
def test_the_payer_returns_to_registered_addresses_only(sandbox, owner, url):
    with assert_nothing_changes(), pytest.raises(InvalidRequest) as caught:
        checkout(owner, redirect_url=url)
    assert caught.value.message == (
        "redirect_url must be on one of your organisation's registered addresses"
        " (https://example.com, https://example.com:8443). Ask the exchange to register another"
    )
    assert sandbox.requests.entries() == []
