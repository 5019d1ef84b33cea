"""The demo world: complete, funded, provable, and the same however often it is loaded."""

from __future__ import annotations

import base64
import json
import stat
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from standardwebhooks import Webhook

from config.demo.loader import load_demo
from exchange.models import (
    ApiKey,
    DeliveryAttempt,
    Event,
    Member,
    Organisation,
    StaffUser,
    WebhookEndpoint,
)
from wallets.models import Alert, Deposit, Entry, Withdrawal
from wallets.selectors.configuration import minimum_withdrawal
from wallets.selectors.wallets import wallet_balances
from wallets.services import books
from wallets.services.banks import forget_bank_lists

pytestmark = pytest.mark.django_db

CURRENCIES = ["NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD"]
TABLES = (
    *(Organisation, Member, ApiKey, StaffUser, WebhookEndpoint),
    *(Deposit, Withdrawal, Entry, Event),
)


@pytest.fixture
def data_dir(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.DATA_DIR = tmp_path
    monkeypatch.delenv("DEMO_WEBHOOK_URL", raising=False)
    forget_bank_lists()
    return tmp_path


def load(data_dir: Path) -> dict[str, Any]:
    call_command(
        "load_demo",
        base_url="http://127.0.0.1:8000",
        provider_url="http://127.0.0.1:8001/v3",
        verbosity=0,
    )
    content: dict[str, Any] = json.loads((data_dir / "demo.json").read_text())
    return content


def counts() -> list[int]:
    return [table.objects.count() for table in TABLES]


def wallet(access_token: str) -> Any:
    return Client().get("/v1/api/wallet", headers={"Authorization": f"Bearer {access_token}"})


def test_the_file_has_exactly_what_is_promised_and_is_private(data_dir, provider_sandbox):
    demo = load(data_dir)
    assert stat.S_IMODE((data_dir / "demo.json").stat().st_mode) == 0o600
    assert list(demo) == [
        *("base_url", "admin_url", "provider_url"),
        *("organisations", "members", "staff"),
    ]
    assert demo["base_url"] == "http://127.0.0.1:8000"
    assert demo["admin_url"] == "http://127.0.0.1:8000/admin/"
    assert demo["provider_url"] == "http://127.0.0.1:8001/v3"
    assert len(demo["organisations"]) == 3
    for organisation in demo["organisations"]:
        assert list(organisation) == [
            *("id", "name", "client_id", "client_secret", "access_token", "webhook_secret")
        ]
    members = Counter(member["organisation"] for member in demo["members"])
    assert set(members) == {organisation["id"] for organisation in demo["organisations"]}
    assert min(members.values()) >= 2
    for member in demo["members"]:
        assert list(member) == ["id", "organisation", "name", "email"]
    assert [list(person) for person in demo["staff"]] == [["username", "password", "role"]] * 5
    assert Counter(person["role"] for person in demo["staff"])["Finance approver"] == 2


def test_every_owner_has_enough_of_every_currency_and_the_books_hold(data_dir, provider_sandbox):
    demo = load(data_dir)
    owners = [record["id"] for record in demo["organisations"] + demo["members"]]
    assert len(owners) == 12
    for owner in owners:
        rows = {row["currency"]: row for row in wallet_balances(owner)}
        assert list(rows) == CURRENCIES
        assert rows["NGN"]["available"] >= 1_000_000
        assert rows["USD"]["available"] >= 1_000
        for currency, row in rows.items():
            assert row["available"] >= 5 * minimum_withdrawal(currency)
    proof = books.prove()
    assert proof.findings == ()


def test_the_withdrawals_shown_are_in_the_states_they_are_meant_to_be_in(
    data_dir, provider_sandbox
):
    load(data_dir)
    shown = Withdrawal.objects.select_related("bank")
    assert Counter(shown.values_list("status", flat=True)) == {
        "Pending": 5,
        "Cancelled": 1,
        "Rejected": 1,
        "Completed": 1,
    }
    assert {row.currency_id for row in shown if row.status == "Pending"} == {
        *("KES", "NGN", "UGX", "GHS", "ZAR")
    }
    ghs = shown.get(currency="GHS", status="Pending")
    assert ghs.bank.branch_code == ""
    large = shown.get(currency="NGN", status="Pending")
    assert (large.amount, large.approvals_needed) == (Decimal(6_250_000), 2)
    assert not Alert.objects.filter(resolved_at=None).exists()


def test_its_own_events_count_as_delivered_and_nobody_was_sent_any(data_dir, provider_sandbox):
    load(data_dir)
    assert set(Event.objects.values_list("status", flat=True)) == {"Delivered"}
    assert not DeliveryAttempt.objects.exists()
    assert not WebhookEndpoint.objects.filter(enabled=True).exists()


def test_loading_it_twice_changes_nothing(data_dir, provider_sandbox):
    first = load(data_dir)
    Event.objects.filter(type="withdrawal.created").update(status="Pending")
    before = counts()
    assert load(data_dir) == first
    assert counts() == before
    assert Event.objects.filter(status="Pending").count() == 8


def test_keys_tokens_logins_and_webhook_secrets_work(data_dir, provider_sandbox):
    demo = load(data_dir)
    for organisation in demo["organisations"]:
        assert wallet(organisation["access_token"]).status_code == 200
        basic = f"{organisation['client_id']}:{organisation['client_secret']}"
        answer = Client().post(
            "/v1/oauth/token",
            {"grant_type": "client_credentials"},
            headers={"Authorization": "Basic " + base64.b64encode(basic.encode()).decode()},
        )
        assert answer.status_code == 200
        key = ApiKey.objects.get(client_id=organisation["client_id"])
        assert set(answer.json()["scope"].split()) == set(key.scopes)
        assert len(key.scopes) == 11
        endpoint = WebhookEndpoint.objects.get(organisation_id=organisation["id"])
        assert endpoint.secret == organisation["webhook_secret"]
        assert organisation["webhook_secret"].startswith("whsec_")
        Webhook(organisation["webhook_secret"])
    for person in demo["staff"]:
        assert Client().login(username=person["username"], password=person["password"])


def test_a_webhook_address_given_later_is_taken_and_the_secret_stays(
    data_dir, provider_sandbox, monkeypatch
):
    first = load(data_dir)
    monkeypatch.setenv("DEMO_WEBHOOK_URL", "http://127.0.0.1:9999/in")
    assert load(data_dir) == first
    endpoints = WebhookEndpoint.objects.all()
    assert {(row.url, row.enabled) for row in endpoints} == {("http://127.0.0.1:9999/in", True)}


def test_credentials_whose_file_was_lost_are_issued_anew(data_dir, provider_sandbox):
    first = load(data_dir)
    (data_dir / "demo.json").unlink()
    entries = Entry.objects.count()
    second = load(data_dir)
    assert Entry.objects.count() == entries
    for old, new in zip(first["organisations"], second["organisations"], strict=True):
        assert old["id"] == new["id"]
        assert old["client_secret"] != new["client_secret"]
        assert wallet(new["access_token"]).status_code == 200
        endpoint = WebhookEndpoint.objects.get(organisation_id=new["id"])
        assert endpoint.secret == new["webhook_secret"] != old["webhook_secret"]
    for person in second["staff"]:
        assert Client().login(username=person["username"], password=person["password"])


def test_without_the_provider_there_are_no_withdrawals_until_it_answers(data_dir, provider_sandbox):
    provider_sandbox.fault("error_5xx", times=100)
    demo = load_demo(
        data_dir=data_dir,
        base_url="http://127.0.0.1:8000",
        provider_url="http://127.0.0.1:8001/v3",
        patience_seconds=0,
    )
    assert Withdrawal.objects.count() == 0
    assert wallet(demo["organisations"][0]["access_token"]).status_code == 200
    provider_sandbox.reset()
    assert load(data_dir) == demo
    assert Withdrawal.objects.count() == 8
    assert books.prove().findings == ()
