"""Outcomes by API: every address, who may call it, what it refuses, and where it is absent."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
import requests
from django.conf import settings as installed
from django.db import connections
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings
from pytest_django import Settings

from config.books import CHECKS
from config.local.demo import loader
from config.local.demo.data import ORGANISATIONS
from config.local.demo.loader import DemoParticipant
from config.local.outcomes.people import FIRST, PREPARER, SECOND, create_identities
from config.local.outcomes.samples import sample_data
from config.local.outcomes.settings import is_sandbox, sandbox_settings
from config.local.sandbox.banks import BANKS_OF_COUNTRY
from config.settings import base
from exchange.core.errors import InvalidRequest
from exchange.core.ids import uuid7
from exchange.events.models import Event
from exchange.participants.services.api_keys import get_live_keys, issue_api_key
from exchange.staff.models import SecondFactor, StaffUser
from exchange.tokens.models import Quote
from tests.environment.owner import as_owner, owner_alias
from tests.environment.processes import wait_until
from tests.environment.services import Sandbox
from tests.factories.api_clients import TESTER, assert_error, make_caller, make_organisation
from tests.factories.distributions import make_holding, make_terms, propose
from tests.factories.lending import make_lending
from tests.factories.wallets import Wallet, balance_of, make_staff, make_wallet
from wallets.banks.payout_details import PayoutDetails
from wallets.banks.services import bank_directory
from wallets.ledger.proof import prove
from wallets.payouts.services import execution
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = [pytest.mark.django_db]

ADDRESSES = (
    *(
        f"withdrawals/{{id}}/{outcome}"
        for outcome in ("approve", "reject", "complete", "fail", "return")
    ),
    *("deposits", "deposits/{id}/dispute"),
    *(f"loans/{{id}}/{outcome}" for outcome in ("fall-due", "default", "shortfall")),
    *("distributions/{id}/record", "distributions/{id}/pay", "events"),
)


@pytest.fixture
def sandbox_urls(settings: Settings) -> None:
    """The settings of a sandbox installation."""
    added = sandbox_settings(base.SCOPES, base.OAUTH2_PROVIDER, base.SPECTACULAR_SETTINGS)
    for name, value in added.items():
        setattr(settings, name, value)


@pytest.fixture
def sandbox(sandbox_urls: None, provider_sandbox: Sandbox, settings: Settings) -> Iterator[Sandbox]:
    """The same, with its identities; the books hold at the end."""
    settings.DISTRIBUTION_NOTICE_DAYS = 0
    with as_owner():
        create_identities(owner_alias())
    yield provider_sandbox
    assert prove(CHECKS).findings == ()


class Client:
    """An organisation with 100,000 of a currency and a key for everything."""

    def __init__(self, currency: str = "KES", wallet: Wallet | None = None) -> None:
        self.wallet = wallet or make_wallet(100_000, currency=currency)
        self.caller = make_caller(organisation=self.wallet.organisation)
        self.currency = currency

    def set(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.caller.post(f"/v1/sandbox/{path}", body, **headers)

    def withdraw(self, amount: int = 5000, **more: Any) -> str:
        body = {
            "amount": amount,
            "currency": self.currency,
            "bank_name": bank_directory(self.currency).banks[0].name,
            "account_name": "Ada",
            "account_number": "0690000031",
            **more,
        }
        made = self.caller.post("/v1/api/wallet/withdraw", body)
        assert made.status_code == 201, made.content
        return str(made.json()["data"]["withdrawalRequest"]["_id"])

    def decide(self, withdrawal: str, *outcomes: str) -> Any:
        for outcome in outcomes:
            answer = self.set(f"withdrawals/{withdrawal}/{outcome}")
        return answer

    @property
    def available(self) -> Decimal | int:
        return balance_of(self.wallet.owner_id, self.currency)


def status_of(answer: Any) -> str:
    assert answer.status_code in {200, 201}, answer.content
    return str(answer.json()["data"]["status"])


def events_about(record: str) -> list[str]:
    found = Event.objects.filter(subject_id=record).order_by("id")
    return list(found.values_list("type", flat=True))


# --- Where it is, and for whom ---


def test_no_address_or_scope_exists_without_the_sandbox():
    caller = make_caller()
    for address in ADDRESSES:
        answer = caller.post(f"/v1/sandbox/{address.format(id=uuid7())}")
        assert_error(answer, 404, "not_found")
    assert "sandbox" not in installed.SCOPES
    with pytest.raises(InvalidRequest, match="Unknown scopes: sandbox"):
        make_caller(["sandbox"])


@pytest.mark.parametrize(
    ("url", "key", "expected"),
    [
        ("http://127.0.0.1:8001/v3", "FLWSECK_TEST-1-X", True),
        ("http://[::1]:8001/v3", "FLWSECK_TEST-1-X", True),
        ("http://127.0.0.1:8001/v3", "FLWSECK-1-X", False),
        ("https://api.flutterwave.com/v3", "FLWSECK_TEST-1-X", False),
        ("https://127.0.0.1.example.com/v3", "FLWSECK_TEST-1-X", False),
        ("https://sandbox.example.com/v3", "", False),
    ],
)
def test_a_real_provider_is_no_sandbox(url, key, expected):
    assert is_sandbox({"base_url": url, "secret_key": key}) is expected


def test_the_document_describes_every_address_once_it_exists(sandbox_urls, settings):
    hooks = settings.SPECTACULAR_SETTINGS["POSTPROCESSING_HOOKS"]
    with patched_settings({"POSTPROCESSING_HOOKS": hooks}):
        document = SchemaGenerator().get_schema(public=True)
    described = {
        path.removeprefix("/v1/sandbox/"): operations
        for path, operations in document["paths"].items()
        if path.startswith("/v1/sandbox/")
    }
    assert {re.sub(r"\{\w+\}", "{id}", path) for path in described} == set(ADDRESSES)
    assert all(list(operations) == ["post"] for operations in described.values())
    assert document["tags"][-1]["name"] == "Sandbox"
    assert document["x-tagGroups"][0]["tags"][-1] == "Sandbox"


def test_a_key_without_the_scope_is_refused_everywhere(sandbox_urls):
    caller = make_caller([scope for scope in installed.SCOPES if scope != "sandbox"])
    for address in ADDRESSES:
        answer = caller.post(f"/v1/sandbox/{address.format(id=uuid7())}", {})
        assert_error(answer, 403, "insufficient_scope")


def test_records_of_others_do_not_exist(sandbox):
    mine = Client()
    withdrawal = mine.withdraw()
    loan = make_lending().lend()
    holding = make_holding()
    distribution = propose(holding.token)
    other = Client()
    for address in ADDRESSES:
        if "{id}" not in address:
            continue
        record = {"w": withdrawal, "d": distribution.pk, "l": loan.pk}[address[0]]
        kind = address.split("/")[0].removesuffix("s")
        for name in (record, uuid7(), "x"):
            answer = other.set(address.format(id=name))
            assert_error(answer, 404, f"{kind}_not_found")
    answer = other.set("deposits", {"deposit": str(uuid7())})
    assert_error(answer, 404, "deposit_not_found")
    answer = other.set("deposits", {"account_number": "9900000000", "amount": 5})
    assert_error(answer, 404, "virtual_account_not_found")
    assert Withdrawal.objects.get(pk=withdrawal).status == "Pending"
    loan.refresh_from_db()
    distribution.refresh_from_db()
    assert (loan.status, distribution.status) == ("ACTIVE", "Draft")


def test_the_identities_cannot_sign_in(sandbox):
    for name in (PREPARER, FIRST, SECOND):
        person = StaffUser.objects.get(username=name)
        assert not person.has_usable_password()
        assert not person.check_password("")
        assert not SecondFactor.objects.filter(user=person).exists()
    with as_owner():
        create_identities(owner_alias())
    assert StaffUser.objects.filter(username__startswith="sandbox.").count() == 3


def test_the_demo_replaces_a_key_without_the_scope_once(sandbox_urls):
    firm = make_organisation()
    party = DemoParticipant(ORGANISATIONS[0], firm, ())
    scopes = [scope for scope in installed.SCOPES if scope != "sandbox"]
    earlier, _ = issue_api_key(
        organisation=firm, name=loader._KEY_NAME, scopes=scopes, actor=TESTER
    )
    entry = {"id": str(firm.pk), "client_id": earlier.client_id}
    made = loader._credentials(party, {"organisations": [entry]})
    earlier.refresh_from_db()
    assert earlier.revoked_at is not None
    assert loader._credentials(party, {"organisations": [made]}) == made
    [key] = get_live_keys(firm)
    assert (key.client_id, set(key.scopes)) == (made["client_id"], set(installed.SCOPES))


def test_without_identities_nothing_is_decided(sandbox_urls, provider_sandbox):
    client = Client()
    withdrawal = client.withdraw()
    for outcome in ("approve", "reject"):
        assert_error(client.decide(withdrawal, outcome), 409, "sandbox_not_prepared")
    assert (Withdrawal.objects.get(pk=withdrawal).status, client.available) == ("Pending", 95_000)


# --- Withdrawals ---


def test_the_ways_of_a_withdrawal(sandbox):
    client = Client()
    paid, failed, rejected = client.withdraw(), client.withdraw(), client.withdraw()
    assert status_of(client.decide(paid, "approve", "complete")) == "Completed"
    assert events_about(paid) == [
        f"withdrawal.{what}" for what in ("created", "approved", "processing", "completed")
    ]
    assert status_of(client.decide(failed, "approve", "fail")) == "Failed"
    answer = client.set(f"withdrawals/{rejected}/reject", {"reason": "No such payee here"})
    assert (status_of(answer), answer.json()["data"]["reason"]) == (
        "Rejected",
        "No such payee here",
    )
    assert client.available == 95_000
    assert status_of(client.decide(paid, "return")) == "Reversed"
    assert client.available == 100_000 - Withdrawal.objects.get(pk=paid).fee


def test_a_large_withdrawal_is_approved_by_two(sandbox):
    client = Client(wallet=make_wallet(50_000_000, currency="KES"))
    withdrawal = client.withdraw(40_000_000)
    assert status_of(client.decide(withdrawal, "approve")) == "Approved"
    people = ("first_approver__username", "second_approver__username")
    assert Withdrawal.objects.values_list(*people).get(pk=withdrawal) == (FIRST, SECOND)


def test_an_impossible_outcome_is_refused(sandbox):
    client = Client()
    withdrawal = client.withdraw()
    for outcome in ("complete", "fail", "return"):
        assert_error(client.decide(withdrawal, outcome), 409, "state_conflict")
    client.decide(withdrawal, "approve", "complete")
    for outcome in ("approve", "reject", "complete", "fail"):
        assert_error(client.decide(withdrawal, outcome), 409, "state_conflict")
    client.decide(withdrawal, "return")
    assert_error(client.decide(withdrawal, "return"), 409, "state_conflict")
    assert client.available == 100_000 - Withdrawal.objects.get(pk=withdrawal).fee


def test_a_payout_stays_open_after_an_approval_here_only(sandbox):
    client = Client("GHS")
    open_one, refused = client.withdraw(branch_code=_branch()), client.withdraw()
    answer = client.decide(refused, "approve")
    assert_error(answer, 400, "corridor_incomplete")
    assert status_of(client.decide(open_one, "approve")) == "Approved"
    _approve_as_staff(refused)
    for each in (open_one, refused):
        execution.send_payout(Withdrawal.objects.get(pk=each).pk)
    wait_until(lambda: _at_provider(sandbox, refused) == "SUCCESSFUL", "the usual outcome")
    assert _at_provider(sandbox, open_one) == "NEW"
    assert status_of(client.decide(open_one, "fail")) == "Failed"
    assert status_of(client.decide(refused, "complete")) == "Completed"


def _branch() -> str:
    return next(bank.branches for bank in BANKS_OF_COUNTRY["GH"] if bank.name == _bank())[0].code


def _bank() -> str:
    return bank_directory("GHS").banks[0].name


def _approve_as_staff(withdrawal: str) -> None:
    person = make_staff("decide_withdrawal")
    found = Withdrawal.objects.get(pk=withdrawal)
    details = PayoutDetails(branch_code=_branch())
    found = decisions.complete_payout_details(
        withdrawal_id=found.pk, version=found.version, corridor=details, approver=person
    )
    decisions.approve(withdrawal_id=found.pk, version=found.version, approver=person)


def _at_provider(sandbox: Sandbox, withdrawal: str) -> str:
    reference = Withdrawal.objects.get(pk=withdrawal).reference
    rows = requests.get(f"{sandbox.url}/sandbox/transfers", timeout=10).json()
    return next(str(row["status"]) for row in rows if row["reference"] == reference)


def test_a_repeat_by_key_returns_the_first_answer(sandbox):
    client = Client()
    withdrawal = client.withdraw()
    first = client.set(f"withdrawals/{withdrawal}/approve", Idempotency_Key="a")
    again = client.set(f"withdrawals/{withdrawal.upper()}/approve", Idempotency_Key="a")
    assert again.content == first.content
    assert again["Idempotent-Replayed"] == "true"
    assert events_about(withdrawal).count("withdrawal.approved") == 1

    event = client.set("events", {"type": "loan.repaid"}, Idempotency_Key="a")
    assert client.set("events", {"type": "loan.repaid"}, Idempotency_Key="a").content == (
        event.content
    )
    answer = client.set("events", {"type": "loan.created"}, Idempotency_Key="a")
    assert_error(answer, 422, "idempotency_key_reused")
    refused = client.set(f"withdrawals/{withdrawal}/reject", Idempotency_Key="b")
    assert_error(refused, 409, "state_conflict")


@pytest.mark.django_db(transaction=True)
def test_of_two_outcomes_at_once_one_is_set(sandbox):
    client = Client()

    def race(*outcomes: str, **headers: str) -> list[Any]:
        def call(outcome: str) -> Any:
            try:
                return client.set(f"withdrawals/{withdrawal}/{outcome}", **headers)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(len(outcomes)) as threads:
            return list(threads.map(call, outcomes))

    withdrawal = client.withdraw()
    assert sorted(a.status_code for a in race("approve", "reject")) == [200, 409]
    withdrawal = client.withdraw()
    client.decide(withdrawal, "approve")
    assert sorted(a.status_code for a in race("complete", "fail")) == [200, 409]
    withdrawal = client.withdraw()
    client.decide(withdrawal, "approve", "complete")
    answers = race("return", "return", "return", Idempotency_Key="once")
    assert {a.content for a in answers} == {answers[0].content}
    assert status_of(answers[0]) == "Reversed"
    assert sorted(a.get("Idempotent-Replayed", "") for a in answers) == ["", "true", "true"]


# --- Deposits ---


def _account(client: Client) -> str:
    organisation = client.wallet.organisation
    organisation.email = f"{organisation.pk}@example.com"
    organisation.redirect_origins = ["https://example.com"]
    organisation.save()
    body = {"currency": "NGN", "bvn": "22222222222"}
    made = client.caller.post("/v1/api/wallet/virtual-accounts", body)
    assert made.status_code == 201, made.content
    return str(made.json()["data"]["account_number"])


def _checkout(client: Client) -> str:
    body = {"amount": 900, "currency": "NGN", "redirect_url": "https://example.com/paid"}
    made = client.caller.post("/v1/api/wallet/deposits/checkout", body)
    assert made.status_code == 201, made.content
    return str(made.json()["data"]["deposit"]["_id"])


def test_the_ways_of_a_deposit(sandbox):
    client = Client("NGN")
    number = _account(client)
    made = client.set("deposits", {"account_number": number, "amount": 250.5, "payer_name": "Al"})
    deposit = made.json()["data"]
    assert (made.status_code, deposit["status"], deposit["payer"]["name"]) == (
        201,
        "Completed",
        "Al",
    )
    assert client.available == Decimal("100250.5")
    for odd in (0, -1, "5", 0.001, 10**16, True, 251):
        answer = client.set(f"deposits/{deposit['_id']}/dispute", {"amount": odd})
        assert_error(answer, 400, "invalid_request")
    disputed = client.set(f"deposits/{deposit['_id']}/dispute")
    assert disputed.json()["data"]["disputed_amount"] == 250.5
    assert client.available == 100_000
    assert_error(client.set(f"deposits/{deposit['_id']}/dispute"), 409, "state_conflict")

    checkout = _checkout(client)
    assert status_of(client.set("deposits", {"deposit": checkout})) == "Completed"
    in_part = client.set(f"deposits/{checkout}/dispute", {"amount": 100})
    assert in_part.json()["data"]["disputed_amount"] == 100
    again = client.set(f"deposits/{checkout}/dispute", {"amount": 100})
    assert_error(again, 409, "state_conflict")
    assert_error(client.set("deposits", {"deposit": checkout}), 409, "state_conflict")
    failing = {"deposit": _checkout(client), "status": "failed"}
    assert status_of(client.set("deposits", failing)) == "Failed"
    card = {"deposit": _checkout(client), "payment_type": "CARD", "amount": 905}
    resting = client.set("deposits", card).json()["data"]
    assert (resting["amount"], resting["available_on"] is not None) == (905, True)
    assert client.available == 100_800
    by_hand = {"deposit": _checkout(client), "payment_type": "mobilemoneyghana"}
    assert_error(client.set("deposits", by_hand), 409, "state_conflict")


def test_odd_payments_are_refused(sandbox):
    client = Client("NGN")
    number = _account(client)
    bodies: tuple[Any, ...] = (
        {},
        [],
        "x",
        {"account_number": number},
        {"account_number": number, "amount": 0.001},
        {"account_number": number, "amount": "5"},
        {"account_number": number, "amount": 5, "status": "failed"},
        {"account_number": number, "amount": 5, "deposit": str(uuid7())},
        {"account_number": 9900000001, "amount": 5},
        {"account_number": number, "amount": 5, "payer_name": "\u202e"},
        {"deposit": str(uuid7()), "payment_type": "cash"},
        {"deposit": 5},
    )
    for body in bodies:
        answer = client.set("deposits", json.dumps(body))
        assert_error(answer, 400, "invalid_request")
    large = json.dumps({"account_number": number, "amount": 5, "x": "x" * 70_000})
    assert_error(client.set("deposits", large), 413, "body_too_large")
    assert client.available == 100_000


# --- Loans and distributions ---


def test_the_ways_of_a_loan(sandbox):
    lending = make_lending()
    client = Client(wallet=Wallet(lending.borrower.organisation))
    due, short = lending.lend(), lending.lend()
    date, sell = due.repayment_date, lending.token.price_sell
    assert status_of(client.set(f"loans/{due.pk}/fall-due")) == "OVERDUE"
    assert_error(client.set(f"loans/{due.pk}/fall-due"), 409, "state_conflict")
    assert status_of(client.set(f"loans/{due.pk}/default")) == "DEFAULTED"
    assert_error(client.set(f"loans/{due.pk}/default"), 409, "state_conflict")
    due.refresh_from_db()
    assert due.repayment_date == date
    # Each for the borrower's organisation and the creditor.
    assert events_about(str(due.pk))[-4:] == ["loan.overdue"] * 2 + ["loan.defaulted"] * 2

    creditor = Client(wallet=Wallet(lending.creditor.organisation))
    found = creditor.set(f"loans/{short.pk}/shortfall").json()["data"]
    assert found["shortfall"]["collateral_value"] < found["shortfall"]["required_value"]
    assert found["collateral_value"] == found["shortfall"]["collateral_value"]
    assert events_about(str(short.pk))[-2:] == ["loan.shortfall"] * 2
    lending.token.refresh_from_db()
    assert lending.token.price_sell == sell
    quotes = Quote.objects.filter(token=lending.token, note__contains="sandbox").order_by("id")
    people = quotes.values_list("proposed_by__username", "decided_by__username")
    assert list(people) == [(PREPARER, FIRST)] * 2
    assert quotes[0].sell < sell == quotes[1].sell
    assert_error(client.set(f"loans/{short.pk}/shortfall"), 409, "state_conflict")


def test_a_distribution_is_recorded_and_paid(sandbox, settings):
    holding = make_holding()
    issuer = Client(
        holding.token.currency_id,
        wallet=Wallet(holding.token.issuer).fund(10_000, holding.token.currency_id),
    )
    distribution = propose(holding.token, make_terms(holding.token))
    path = f"distributions/{distribution.pk}"
    assert_error(issuer.set(f"{path}/pay"), 409, "state_conflict")
    # A notice that this installation requires stays required.
    settings.DISTRIBUTION_NOTICE_DAYS = 1
    assert_error(issuer.set(f"{path}/record"), 400, "notice_too_short")
    distribution.refresh_from_db()
    assert distribution.status == "Draft"
    settings.DISTRIBUTION_NOTICE_DAYS = 0
    recorded = issuer.set(f"{path}/record")
    assert status_of(recorded) == "Recorded"
    assert recorded.json()["data"]["version"] == 2
    assert_error(issuer.set(f"{path}/record"), 409, "state_conflict")
    paid = issuer.set(f"{path}/pay").json()["data"]
    assert (paid["status"], paid["gross"]) == ("Paid", paid["net"])
    assert_error(issuer.set(f"{path}/pay"), 409, "state_conflict")
    assert issuer.available == 10_000 - Decimal(str(paid["gross"]))
    steps = ["announced", "updated", "recorded", "paid"]
    emitted = events_about(str(distribution.pk))
    assert list(dict.fromkeys(emitted)) == [f"distribution.{step}" for step in steps]


# --- Events ---


def test_every_type_has_a_sample_and_is_an_event_like_any_other(sandbox_urls):
    make_organisation()
    client = Client()
    assert set(sample_data()) == set(installed.EVENT_TYPES)
    for event_type in installed.EVENT_TYPES:
        made = client.set("events", {"type": event_type})
        assert made.status_code == 201, made.content
        event = Event.objects.get(pk=made.json()["data"]["id"])
        assert event.organisation_id == client.wallet.organisation.pk
        assert json.loads(event.body)["data"] == sample_data()[event_type]
    for body in ({}, {"type": None}, {"type": "loan.vanished"}, {"type": 5}, {"type": ["x"]}):
        assert_error(client.set("events", body), 400, "invalid_request")
    assert client.set("events", {"type": "LOAN.created"}).json()["data"]["type"] == "loan.created"
