"""First loads of demo data under other conditions."""

from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from config.back_office.roles import AUDITOR
from config.local.demo import trading
from config.local.demo.data import PAYMENTS, total_deposits
from config.local.demo.loader import enrol_second_factor, load_demo
from config.local.demo.payments import load_payments
from config.local.demo.tokens import TOKENS
from config.local.supervisor.service import Installation
from exchange.participants.models import Organisation
from exchange.staff.models import SecondFactor
from exchange.staff.services import second_factor
from exchange.tokens.models import Token
from orders.listings.services.listing import Listing, list_token
from tests.environment.owner import as_owner
from tests.environment.webhook_receiver import Receiver, Reply
from tests.factories.api_clients import make_organisation
from tests.factories.demo import CURRENCIES, load_demo_data, read_wallet
from tests.factories.staff import create_staff
from tests.factories.wallets import SYSTEM, assert_books_hold
from wallets.banks.services import clear_bank_cache
from wallets.deposits.models import Payment
from wallets.fees.models import SettingChange
from wallets.ledger.models import BooksProof
from wallets.reconciliation.models import Reconciliation
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def data_dir(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of demo data with a few tokens."""
    settings.DATA_DIR = tmp_path
    settings.DEMO_WEBHOOK_URL = ""
    monkeypatch.setattr(trading, "TOKENS", TOKENS[:2])
    clear_bank_cache()
    return tmp_path


def test_a_new_sandbox_starts_with_all_demo_deposits(data_dir):
    def floats_of(*, demo: bool) -> list[str]:
        installation = Installation("127.0.0.1", 1, demo=demo, data_dir=data_dir)
        installation._sandbox_port = 1
        return [word for word in installation._sandbox_command() if word.startswith("--float")]

    paid = total_deposits()
    assert set(floats_of(demo=True)) == {f"--float={code}={paid[code]}" for code in CURRENCIES}
    assert floats_of(demo=False) == []


def test_without_the_provider_withdrawals_are_created_later(data_dir, provider_sandbox):
    provider_sandbox.fault("error_5xx", times=100)
    with as_owner():
        demo = load_demo(
            data_dir=data_dir,
            base_url="http://127.0.0.1:8000",
            provider_url="http://127.0.0.1:8001/v3",
            owner="default",
            timeout_seconds=0,
        )
    assert Withdrawal.objects.count() == Payment.objects.count() == 0
    assert not Reconciliation.objects.exists()
    assert BooksProof.objects.get().passed
    assert read_wallet(demo["organisations"][0]["access_token"]).status_code == 200
    assert_every_currency_converts(demo["organisations"][0]["access_token"])
    provider_sandbox.reset()
    assert load_demo_data(data_dir) == demo
    rates = SettingChange.objects.filter(configuration__key__endswith="_USD_RATE")
    assert rates.count() == len(CURRENCIES) - 1
    assert (Withdrawal.objects.count(), Payment.objects.count()) == (10, 6)
    assert_books_hold()


def assert_every_currency_converts(token: str) -> None:
    """Quote a conversion from each currency into the next one."""
    client = Client(headers={"Authorization": f"Bearer {token}"})
    for number, currency in enumerate(CURRENCIES):
        body = {
            "from_currency": currency,
            "to_currency": CURRENCIES[number - 1],
            "amount": 100_000,
        }
        quoted = client.post("/v1/api/conversions/quote", body, content_type="application/json")
        assert quoted.status_code == 200, (currency, quoted.content)


def test_rates_are_confirmed_again_before_they_are_outdated(data_dir, provider_sandbox, settings):
    load_demo_data(data_dir)
    rates = SettingChange.objects.filter(configuration__key__endswith="_USD_RATE")
    before = rates.count()
    settings.RATE_MAX_AGE_HOURS = 0
    load_demo_data(data_dir)
    assert rates.count() == 2 * before
    assert set(rates.values_list("status", flat=True)) == {"Approved"}


def test_at_a_real_provider_nothing_is_opened_or_paid(settings):
    with Receiver() as provider:
        provider.reply = Reply(status=404)
        base_url = f"http://127.0.0.1:{provider.port}/v3"
        settings.PAYMENT_PROVIDER = {**settings.PAYMENT_PROVIDER, "base_url": base_url}
        load_payments(PAYMENTS, parties={}, actor=SYSTEM)
        assert [request.path for request in provider.received] == ["/sandbox/accounts"]
    assert not Payment.objects.exists()


def test_a_code_that_gets_too_old_before_it_is_checked_is_replaced(monkeypatch):
    user = create_staff("ada", "correct horse battery", AUDITOR)
    times = iter([29.9])
    clock = SimpleNamespace(time=lambda: 60_000_000 * 30 + next(times, 30.1))
    monkeypatch.setattr(second_factor, "time", clock)
    secret = enrol_second_factor(user)
    factor = SecondFactor.objects.get(user=user)
    assert (factor.secret, factor.last_step) == (secret, 60_000_000)


def test_private_deals_are_visible_to_granted_organisations_only(
    data_dir, provider_sandbox, monkeypatch
):
    private = tuple(about for about in TOKENS if about.granted is not None)
    monkeypatch.setattr(trading, "TOKENS", private)
    load_demo_data(data_dir)
    assert len(private) == 6
    assert set(Token.objects.values_list("deal_access", flat=True)) == {"Private"}
    for about in private:
        granted = Organisation.objects.filter(token_grants__token__symbol=about.symbol)
        demo = granted.exclude(members=None).distinct()
        assert demo.count() == len(about.granted or ())
        assert not granted.filter(issued_tokens__symbol=about.symbol).exists()
    assert_books_hold()


def test_a_symbol_of_another_issuer_is_left_alone(data_dir, provider_sandbox):
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
    demo = load_demo_data(data_dir)
    assert [token["symbol"] for token in demo["tokens"]] == ["EA20"]
    assert Token.objects.get(symbol="JOL30").name == "Jollof Kitchens"
