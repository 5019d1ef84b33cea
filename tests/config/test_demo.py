"""The demo world: complete, funded, provable, and the same however often it is loaded."""

from __future__ import annotations

import base64
import json
import stat
import time
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from standardwebhooks import Webhook

from config.demo import logos, trading
from config.demo.loader import load_demo
from config.demo.tokens import TOKENS
from config.demo.world import paid_in
from config.supervisor.service import Installation
from exchange.models import (
    ApiKey,
    DeliveryAttempt,
    Event,
    Member,
    Organisation,
    Quote,
    StaffUser,
    Token,
    TokenAccess,
    WebhookEndpoint,
)
from exchange.models.tokens import InvestmentCategory, InvestmentType
from orders.models import Order, Trade
from tests.support.access import make_organisation
from tests.support.payouts import control
from tests.support.services import Sandbox
from tests.support.signin import enter_password, present_code
from tests.support.world import SYSTEM, assert_books_hold
from wallets.models import (
    Account,
    Alert,
    BooksProof,
    Deposit,
    Entry,
    Reconciliation,
    ReportStatus,
    Withdrawal,
)
from wallets.providers.sandbox.rules import RETURNED_ACCOUNT
from wallets.selectors.configuration import minimum_withdrawal
from wallets.selectors.overview import floats
from wallets.selectors.wallets import wallet_balances
from wallets.services.banks import forget_bank_lists
from wallets.services.listings import Listing, list_token

pytestmark = pytest.mark.django_db

CURRENCIES = ["NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD"]
TABLES = (
    *(Organisation, Member, ApiKey, StaffUser, WebhookEndpoint),
    *(Deposit, Withdrawal, Entry, Event, Token, TokenAccess, Quote, Order, Trade),
    *(BooksProof, Reconciliation),
)


@pytest.fixture
def all_tokens(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of a world with all its tokens."""
    settings.DATA_DIR = tmp_path
    monkeypatch.delenv("DEMO_WEBHOOK_URL", raising=False)
    forget_bank_lists()
    return tmp_path


@pytest.fixture
def data_dir(all_tokens: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same with a few tokens only, for what is not about them."""
    monkeypatch.setattr(trading, "TOKENS", TOKENS[:2])
    return all_tokens


def await_returns(sandbox: Sandbox) -> None:
    """Wait for the money that the sandbox gives back after payouts of other tests."""
    deadline = time.monotonic() + 10
    while any(
        (row["account_number"], row["status"]) == (RETURNED_ACCOUNT, "SUCCESSFUL")
        for row in control(sandbox, "GET", "transfers")
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def funded(provider_sandbox: Sandbox) -> Iterator[dict[str, str]]:
    """The provider holds what the world pays in, as a new installation's does; floats before."""
    await_returns(provider_sandbox)
    before = control(provider_sandbox, "GET", "float")
    for currency, amount in paid_in().items():
        if currency in before:
            control(provider_sandbox, "POST", "float", currency=currency, amount=str(amount))
    yield before
    for currency, amount in before.items():
        control(provider_sandbox, "POST", "float", currency=currency, amount=amount)


def load(data_dir: Path, base_url: str = "http://127.0.0.1:8000") -> dict[str, Any]:
    call_command(
        "load_demo",
        base_url=base_url,
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
        *("organisations", "members", "staff", "tokens"),
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
    for person in demo["staff"]:
        assert list(person) == ["username", "password", "role", "totp_secret"]
    assert len(demo["staff"]) == 7
    assert Counter(person["role"] for person in demo["staff"])["Finance approver"] == 2
    assert [list(token) for token in demo["tokens"]] == [["_id", "symbol", "name"]] * 2


def test_every_owner_has_enough_of_every_currency_and_the_books_hold(all_tokens, provider_sandbox):
    demo = load(all_tokens)
    owners = [record["id"] for record in demo["organisations"] + demo["members"]]
    assert len(owners) == 12
    for owner in owners:
        rows = {row["currency"]: row for row in wallet_balances(owner)}
        assert list(rows) == CURRENCIES
        assert rows["NGN"]["available"] >= 1_000_000
        assert rows["USD"]["available"] >= 1_000
        for currency, row in rows.items():
            assert row["available"] >= 5 * minimum_withdrawal(currency)
    assert_books_hold()
    assert set(Event.objects.values_list("status", flat=True)) == {"Delivered"}


def test_the_withdrawals_shown_are_in_the_states_they_are_meant_to_be_in(data_dir, funded):
    load(data_dir)
    shown = Withdrawal.objects.select_related("bank")
    assert Counter(shown.values_list("status", flat=True)) == {
        "Pending": 5,
        "Cancelled": 1,
        "Rejected": 1,
        "Completed": 2,
    }
    assert {row.currency_id for row in shown if row.status == "Pending"} == {
        *("KES", "NGN", "UGX", "GHS", "ZAR")
    }
    ghs = shown.get(currency="GHS", status="Pending")
    assert ghs.bank.branch_code == ""
    large = shown.get(currency="NGN", status="Pending")
    assert (large.amount, large.approvals_needed) == (Decimal(6_250_000), 2)
    assert not Alert.objects.filter(resolved_at=None).exists()


def test_the_books_are_proved_and_compared_with_the_provider_once(data_dir, funded):
    load(data_dir)
    assert BooksProof.objects.get().passed
    assert Reconciliation.objects.get().status == ReportStatus.AGREES
    load(data_dir)
    assert BooksProof.objects.count() == Reconciliation.objects.count() == 1


def test_the_provider_holds_what_the_world_paid_in(data_dir, funded):
    load(data_dir)
    found = floats(Reconciliation.objects.get())
    assert {row.currency for row in found} == set(funded)
    for row in found:
        assert row.clearing is not None
        assert row.clearing > 0
        assert row.unexplained == 0, row


def test_a_new_sandbox_of_the_demo_begins_with_what_the_world_pays_in(data_dir):
    def floats_of(*, demo: bool) -> list[str]:
        installation = Installation("127.0.0.1", 1, demo=demo, data_dir=data_dir)
        installation._sandbox_port = 1
        return [word for word in installation._sandbox_command() if word.startswith("--float")]

    paid = paid_in()
    wanted = {f"--float={code}={paid[code]}" for code in CURRENCIES if code != "USD"}
    assert set(floats_of(demo=True)) == wanted
    assert floats_of(demo=False) == []


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
    assert Event.objects.filter(status="Pending").count() == 9


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
        assert len(key.scopes) == 15
        endpoint = WebhookEndpoint.objects.get(organisation_id=organisation["id"])
        assert endpoint.secret == organisation["webhook_secret"]
        assert organisation["webhook_secret"].startswith("whsec_")
        Webhook(organisation["webhook_secret"])
    for person in demo["staff"]:
        assert_signs_in(person)


def assert_signs_in(person: dict[str, str]) -> None:
    client = Client()
    enter_password(client, person["username"], person["password"])
    answer = client.post("/admin/login/code/", {"code": present_code(person["totp_secret"])})
    assert answer["Location"] == "/admin/"


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
        assert wallet(old["access_token"]).status_code == 401
        endpoint = WebhookEndpoint.objects.get(organisation_id=new["id"])
        assert endpoint.secret == new["webhook_secret"] != old["webhook_secret"]
    for person in second["staff"]:
        assert_signs_in(person)


def test_without_the_provider_there_are_no_withdrawals_until_it_answers(data_dir, provider_sandbox):
    provider_sandbox.fault("error_5xx", times=100)
    demo = load_demo(
        data_dir=data_dir,
        base_url="http://127.0.0.1:8000",
        provider_url="http://127.0.0.1:8001/v3",
        patience_seconds=0,
    )
    assert Withdrawal.objects.count() == 0
    assert not Reconciliation.objects.exists()
    assert BooksProof.objects.get().passed
    assert wallet(demo["organisations"][0]["access_token"]).status_code == 200
    provider_sandbox.reset()
    assert load(data_dir) == demo
    assert Withdrawal.objects.count() == 9
    assert_books_hold()


def test_the_catalogue_has_every_kind_in_every_currency_and_every_stage(
    all_tokens, provider_sandbox
):
    demo = load(all_tokens)
    tokens = Token.objects.all()
    assert len(demo["tokens"]) == tokens.count() == len(TOKENS) == 60
    assert {token.investment_type for token in tokens} == set(InvestmentType.values)
    assert {token.investment_category for token in tokens} == set(InvestmentCategory.values)
    assert {token.currency_id for token in tokens} == set(CURRENCIES)
    open_to_all = [
        token
        for token in tokens
        if token.deal_access == "Public" and not (token.closed or token.exited or token.cancelled)
    ]
    assert len(open_to_all) >= 45
    # Those that every demo organisation sees come first.
    first = [token["symbol"] for token in demo["tokens"][: len(open_to_all)]]
    assert {token.deal_access for token in tokens if token.symbol in first} == {"Public"}
    assert Counter(token.cancelled for token in tokens) == {False: 58, True: 2}
    assert sum(token.exited for token in tokens) == 3
    assert sum(token.closed for token in tokens) == 2
    shares = {
        token.total_raised / token.raise_amount
        for token in tokens
        if not (token.completed_raise or token.cancelled)
    }
    assert len(shares) >= 15
    assert min(shares) == 0
    assert max(shares) < 1
    for token in tokens:
        assert token.price_buy >= token.price_sell > 0
        assert token.price_exchange > 0
        assert token.completed_raise or token.raise_amount > 0
        assert bool(token.payout_frequency) == bool(token.interest or token.dividend) or (
            token.investment_category == "Charity"
        )
    assert Quote.objects.filter(status="Pending").count() == 2
    assert Token.objects.exclude(prev_price_buy=0).count() == 60


def test_everybody_holds_tokens_and_a_dozen_books_have_depth_on_both_sides(
    all_tokens, provider_sandbox
):
    demo = load(all_tokens)
    for owner in demo["organisations"] + demo["members"]:
        held = Account.objects.filter(
            owner_id=owner["id"], asset__token__isnull=False, kind="available", balance__gt=0
        )
        assert held.count() >= 5, owner["name"]
    active = Order.objects.filter(status="Active")
    depth = Counter(active.values_list("token__symbol", "type"))
    deep = {symbol for symbol, _ in depth if depth[symbol, "Buy"] > 4 < depth[symbol, "Sell"]}
    assert len(deep) >= 12
    assert len(deep) == Token.objects.filter(secondaries=True, closed=False).count()
    traded = Trade.objects.exclude(sell_order=None).values("token__symbol").distinct().count()
    assert traded >= len(deep)
    assert active.exclude(member=None).count() >= 20


def test_private_deals_are_seen_by_those_granted_access_only(
    data_dir, provider_sandbox, monkeypatch
):
    private = tuple(about for about in TOKENS if about.granted is not None)
    monkeypatch.setattr(trading, "TOKENS", private)
    load(data_dir)
    assert len(private) == 6
    assert set(Token.objects.values_list("deal_access", flat=True)) == {"Private"}
    for about in private:
        granted = Organisation.objects.filter(token_grants__token__symbol=about.symbol)
        demo = granted.exclude(members=None).distinct()
        assert demo.count() == len(about.granted or ())
        assert not granted.filter(issued_tokens__symbol=about.symbol).exists()
    assert_books_hold()


def test_every_token_has_a_logo_that_the_service_serves(data_dir, provider_sandbox):
    for about in TOKENS:
        assert (logos.FOLDER / f"{about.symbol}.svg").read_text() == logos.draw(about)
    assert len(list(logos.FOLDER.iterdir())) == len(TOKENS)
    load(data_dir)
    for token in Token.objects.all():
        assert token.image == f"http://127.0.0.1:8000/static/tokens/{token.symbol}.svg"
        answer = Client().get(token.image.removeprefix("http://127.0.0.1:8000"))
        assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")


def test_at_another_address_the_logos_are_found_there_unless_somebody_set_others(
    data_dir, provider_sandbox
):
    load(data_dir)
    Token.objects.filter(symbol="EA20").update(image="https://example.com/own.svg")
    before = counts()
    demo = load(data_dir, base_url="http://127.0.0.1:9000")
    assert demo["base_url"] == "http://127.0.0.1:9000"
    images = dict(Token.objects.values_list("symbol", "image"))
    assert images == {
        "EA20": "https://example.com/own.svg",
        "JOL30": "http://127.0.0.1:9000/static/tokens/JOL30.svg",
    }
    assert counts() == before


def test_tokens_that_an_earlier_run_left_out_are_made_up_for(
    data_dir, provider_sandbox, monkeypatch
):
    load(data_dir)
    orders = Order.objects.count()
    monkeypatch.setattr(trading, "TOKENS", TOKENS[:4])
    demo = load(data_dir)
    assert [token["symbol"] for token in demo["tokens"]] == [t.symbol for t in TOKENS[:4]]
    assert Order.objects.filter(token__symbol__in=["JOL30", "EA20"]).count() == orders
    assert_books_hold()


def test_a_symbol_that_somebody_else_took_stays_theirs(data_dir, provider_sandbox):
    listing = Listing(
        name="Jollof Kitchens",
        symbol="JOL30",
        currency="NGN",
        investment_type="Debt",
        investment_category="Bond",
        total_supply=Decimal(10),
        price_buy=Decimal(5),
        price_sell=Decimal(4),
    )
    list_token(issuer_id=make_organisation().id, listing=listing, actor=SYSTEM)
    demo = load(data_dir)
    assert [token["symbol"] for token in demo["tokens"]] == ["EA20"]
    assert Token.objects.get(symbol="JOL30").name == "Jollof Kitchens"
