"""Hostile webhooks among the payments of a real sandbox: only what it confirms is credited.

Forged, replayed, reordered, repeated and tampered webhooks go to the endpoint; status checks go to
the sandbox over HTTP. RACE_WEBHOOKS is their number (`make races` sends 2,000), RACE_WEBHOOKS_SEED
the seed.
"""

import hashlib
from collections import Counter, defaultdict
from decimal import Decimal
from random import Random
from typing import Any

import pytest
import requests
from django.test import Client
from django.utils import timezone

from config.local.sandbox import SandboxServer
from exchange.events.models import Event
from tests.environment.concurrency import race_size
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.deposits import Owner
from tests.factories.wallets import assert_books_hold
from tests.wallets.deposits.hostile_webhooks import HostileWebhooks, Webhook, genuine
from wallets.deposits.models import Deposit, Payment, VirtualAccount
from wallets.deposits.services import opening
from wallets.deposits.services.payments import due_payments
from wallets.deposits.tasks import find_payments, sweep_deposits
from wallets.ledger.models import Account, Transfer
from wallets.providers.models import ProviderEvent

pytestmark = pytest.mark.django_db

WEBHOOKS = race_size("WEBHOOKS", 200)
SEED = race_size("WEBHOOKS_SEED", 18)
# Status checks run after as many webhooks.
BETWEEN_SWEEPS = 100
Record = dict[str, Any]


def control(sandbox: SandboxServer, method: str, path: str, **body: Any) -> Any:
    response = requests.request(
        method, f"{sandbox.url}/sandbox/{path}", json=body or None, timeout=20
    )
    assert response.status_code == 200, response.text
    return response.json()


def make_owners() -> list[Owner]:
    """Make two organisations with two members each; all of them own a wallet."""
    owners = []
    for name in ("Acme", "Umbrella"):
        organisation = make_organisation(name)
        organisation.email = "money@example.com"
        organisation.redirect_origins = ["https://example.com"]
        organisation.save()
        owners.append(Owner(organisation))
        for number in range(2):
            owners.append(Owner(organisation, make_member(organisation, f"Ada Obi {number}")))
    return owners


def open_account(owner: Owner, currency: str) -> VirtualAccount:
    made = opening.open_virtual_account(
        organisation_id=owner.organisation.pk,
        member_id=owner.member_id,
        currency=currency,
        bvn="12345678901",
    )
    return VirtualAccount.objects.get(pk=made)


def open_checkout(owner: Owner, amount: str, currency: str) -> Deposit:
    checkout = opening.Checkout(
        organisation_id=owner.organisation.pk,
        member_id=owner.member_id,
        amount=Decimal(amount),
        currency=currency,
        redirect_url="https://example.com/paid",
    )
    opening.open_checkout(checkout)
    return Deposit.objects.get(reference=checkout.reference)


def make_payments(sandbox: SandboxServer) -> dict[str, Owner]:
    """Pay into accounts and checkouts of all kinds; return the owner of each reference."""
    owners: dict[str, Owner] = {}
    for number, owner in enumerate(make_owners()):
        account = open_account(owner, "GHS" if number % 2 else "NGN")
        owners[account.reference] = owner
        for amount in ("5000", f"{700 + number}.25", "90"):
            control(
                sandbox, "POST", "pay", account_number=account.account_number, amount=amount
            )  # fmt: skip
        for amount, currency, more in (
            ("2500.50", "NGN", {}),
            ("1000", "NGN", {"amount": "999.99"}),
            ("120", "USD", {"payment_type": "card"}),
            ("7000", "KES", {"payment_type": "mobilemoneykenya", "amount": "7000.01"}),
            ("40000", "UGX", {"status": "failed"}),
            ("60", "ZAR", {"status": "pending"}),
        ):
            checkout = open_checkout(owner, amount, currency)
            owners[checkout.reference] = owner
            control(sandbox, "POST", "pay", tx_ref=checkout.reference, **more)
    # An account at the same provider that is not ours: we have no record of it.
    body = {"email": "a@example.com", "tx_ref": "elsewhere", "currency": "NGN", "amount": 300}
    made = requests.post(
        f"{sandbox.base_url}/virtual-account-numbers",
        json=body,
        headers={"Authorization": f"Bearer {sandbox.options.secret_key}"},
        timeout=20,
    ).json()["data"]
    control(sandbox, "POST", "pay", account_number=made["account_number"])
    return owners


def transactions(sandbox: SandboxServer) -> list[Record]:
    found: list[Record] = control(sandbox, "GET", "transactions")
    return found


def settle_pending(sandbox: SandboxServer, random: Random) -> None:
    """End most of the pending payments in either way."""
    for record in transactions(sandbox):
        if record["status"] == "pending" and random.random() < 0.8:
            outcome = random.choice(["successful", "failed"])
            control(sandbox, "POST", "settle-payment", id=record["id"], status=outcome)


def look_up_all() -> None:
    """Sweep until nothing is due, with the pauses between status checks left out."""
    for _ in range(20):
        Payment.objects.filter(status="Reported").update(next_lookup_at=timezone.now())
        if not due_payments(timezone.now()):
            return
        sweep_deposits()
    raise AssertionError("Reported payments remain")


def deliver(client: Client, webhooks: list[Webhook]) -> None:
    for number, webhook in enumerate(webhooks):
        headers = {} if webhook.secret is None else {"verif-hash": webhook.secret}
        response = client.post(
            "/hooks/flutterwave", webhook.body, content_type="application/json", headers=headers
        )
        assert response.status_code == webhook.status, (webhook, response.content)
        if number % BETWEEN_SWEEPS == BETWEEN_SWEEPS - 1:
            sweep_deposits()


def amount_of(record: Record) -> Decimal:
    return Decimal(str(record["amount"]))


@pytest.mark.slow
def test_hostile_webhooks_credit_exactly_what_the_provider_confirms(sandbox):
    random = Random(SEED)
    owners = make_payments(sandbox)
    first = HostileWebhooks(random, transactions(sandbox)).draw(WEBHOOKS // 2)
    settle_pending(sandbox, random)
    records = transactions(sandbox)
    second = HostileWebhooks(random, records).draw(WEBHOOKS - WEBHOOKS // 2)
    # The webhooks of some payments never arrive as they were sent.
    lost = {genuine(record).body for record in random.sample(records, 10)}
    webhooks = [webhook for webhook in first + second if webhook.body not in lost]
    deliver(Client(enforce_csrf_checks=True), webhooks)
    look_up_all()
    find_payments()
    look_up_all()

    confirmed = {each["id"]: each for each in records if each["status"] == "successful"}
    known = {key: each for key, each in confirmed.items() if each["tx_ref"] in owners}
    credited = {each.transaction_id: each for each in Payment.objects.filter(status="Credited")}
    assert set(credited) == set(known)
    for transaction_id, record in known.items():
        payment, owner = credited[transaction_id], owners[record["tx_ref"]]
        deposit = payment.deposit
        assert deposit is not None
        assert (deposit.status, deposit.organisation_id, deposit.member_id) == (
            "Completed", owner.organisation.pk, owner.member_id,
        )  # fmt: skip
        assert (deposit.amount, deposit.currency_id, deposit.provider_reference) == (
            amount_of(record), record["currency"], record["flw_ref"],
        )  # fmt: skip
        assert (payment.provider_fee, payment.tx_ref) == (
            Decimal(str(record["app_fee"])), record["tx_ref"],
        )  # fmt: skip
    assert_nothing_else_was_credited(owners, known)
    others = Payment.objects.exclude(status="Credited").values_list("transaction_id", "status")
    assert {key for key, status in others if status == "Unmatched"} == set(confirmed) - set(known)
    wanted = {each["id"]: each["status"] for each in records if each["status"] != "successful"}
    for transaction_id, status in others:
        assert status in {"Disproved", "Unmatched", "Failed", "Pending"}
        if status in {"Failed", "Pending"}:
            assert wanted[transaction_id] == status.lower()
    assert_every_webhook_is_stored_once(webhooks)
    assert_books_hold()


def assert_nothing_else_was_credited(owners: dict[str, Owner], known: dict[int, Record]) -> None:
    """Wallets hold the sums of the provider's list, by one transfer and one event each."""
    sums: defaultdict[tuple[Any, str], Decimal] = defaultdict(Decimal)
    for record in known.values():
        owner = owners[record["tx_ref"]]
        sums[(owner.member or owner.organisation).pk, record["currency"]] += amount_of(record)
    held: defaultdict[tuple[Any, str], Decimal] = defaultdict(Decimal)
    for account in Account.objects.filter(owner_id__isnull=False).exclude(balance=0):
        assert account.kind in {"available", "uncleared"}
        held[account.owner_id, account.asset_id] += account.balance or 0
    assert held == sums
    completed = Event.objects.filter(type="deposit.completed")
    assert completed.count() == completed.values("subject_id").distinct().count() == len(known)
    kinds = Counter(Transfer.objects.values_list("kind", flat=True))
    assert kinds == {
        "deposit": len(known), "deposit_charge": len(known), "payment_unmatched": 1,
    }  # fmt: skip


def assert_every_webhook_is_stored_once(webhooks: list[Webhook]) -> None:
    """Authentic bodies are stored, each once with its deliveries; forged ones are not."""
    accepted = Counter(
        hashlib.sha256(each.body).hexdigest() for each in webhooks if each.status == 200
    )
    assert dict(ProviderEvent.objects.values_list("digest", "deliveries")) == accepted
