"""Demo data: complete, funded, provable, and unchanged by repeated loading."""

import base64
import re
import shutil
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker
from standardwebhooks import Webhook

from config.local.demo import trading
from config.local.demo.coupons import NOTE
from config.local.demo.credentials_file import read
from config.local.demo.tokens import TOKENS
from exchange.core.currencies import PAYOUT_CURRENCIES
from exchange.events.models import DeliveryAttempt, Event, WebhookEndpoint
from exchange.participants.models import ApiKey, Member, Organisation
from exchange.staff.models import StaffUser
from exchange.tokens.models import Quote, Token, TokenAccess
from orders.book.models import Order, Trade
from tests.environment.processes import Program
from tests.environment.services import Sandbox, ServiceStack
from tests.factories.demo import CURRENCIES, demo_data_for_module, load_demo_data, read_wallet
from tests.factories.logins import current_code, enter_password, sign_in
from tests.factories.staff import create_superuser
from tests.factories.wallets import assert_books_hold
from wallets.adjustments.models import AdjustingEntry
from wallets.alerts.models import Alert
from wallets.bank_statements.models import StatementLine
from wallets.deposits.models import Deposit, Payment, VirtualAccount
from wallets.fees.models import SettingChange
from wallets.freezes.models import Freeze
from wallets.ledger.models import BooksProof, Entry, PeriodClose
from wallets.payouts.models import Proposal
from wallets.receivables.models import Receivable, ReceivableWriteOff
from wallets.reconciliation.models import Reconciliation, ReconciliationBreak, ReportStatus
from wallets.reconciliation.selectors.overview import float_positions
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db

# Two without a raise, and the one that pays coupons.
FEW = (*TOKENS[:2], next(token for token in TOKENS if token.symbol == NOTE))
TABLES = (
    *(Organisation, Member, ApiKey, StaffUser, WebhookEndpoint),
    *(Deposit, Withdrawal, Entry, Event, Token, TokenAccess, Quote, Order, Trade),
    *(BooksProof, Reconciliation, Payment, VirtualAccount),
)


@pytest.fixture(scope="module")
def loaded_dir(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    sandbox_program: Callable[[], Program],
    service_stack: ServiceStack,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Path]:
    """The data directory of demo data with a few tokens, loaded once."""
    folder = tmp_path_factory.mktemp("demo")
    sandbox = Sandbox(service_stack, sandbox_program())
    with pytest.MonkeyPatch.context() as few:
        few.setattr(trading, "TOKENS", FEW)
        with demo_data_for_module(folder, sandbox, django_db_blocker):
            yield folder


@pytest.fixture
def data_dir(loaded_dir: Path, tmp_path: Path, settings: Any, provider_sandbox: Sandbox) -> Path:
    """The same in a directory of its own, for loading again."""
    shutil.copy(loaded_dir / "demo.json", tmp_path)
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def demo(data_dir: Path) -> dict[str, Any]:
    """The content of demo.json."""
    return read(data_dir)


def counts() -> list[int]:
    return [table.objects.count() for table in TABLES]


def test_the_file_has_the_documented_content_and_is_private(data_dir, demo):
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
    assert len(demo["staff"]) == 8
    assert Counter(person["role"] for person in demo["staff"])["Finance approver"] == 2
    assert [list(token) for token in demo["tokens"]] == [["_id", "symbol", "name"]] * 3


_WITHOUT_ROWS = {"exchange.loggedrequest", "exchange.readcount"}


def test_every_list_of_the_back_office_has_a_row_that_leads_to_its_record(loaded_dir):
    client = Client()
    sign_in(client, create_superuser("owner"))
    empty, faults = set(), []
    for model in admin.site._registry:
        label, name = model._meta.label_lower, model._meta.model_name
        url = f"admin:{model._meta.app_label}_{name}"
        query = "?status=all" if name == "withdrawal" else ""
        html = client.get(reverse(f"{url}_changelist") + query).content.decode()
        rows = re.findall(r"<tr>(.*?)</tr>", html.partition('id="result_list"')[2], re.S)[1:]
        if not rows:
            empty.add(label)
        for row in rows:
            first = re.search(r'<a [^>]*href="([^"?]*)[^>]*>(.*?)</a>', row, re.S)
            own = reverse(f"{url}_change", args=["PK"]).partition("PK")[0]
            text = re.sub(r"<[^>]+>", "", first[2]).strip() if first else ""
            if first is None or not first[1].startswith(own) or not text:
                faults.append(f"{label}: {first and first[0]}")
    # The log of requests begins with the first request; the accountants' records with their work.
    assert (empty, faults) == (_WITHOUT_ROWS, [])
    assert_books_hold()


def test_the_withdrawals_have_their_states(loaded_dir):
    shown = Withdrawal.objects.select_related("bank")
    assert Counter(shown.values_list("status", flat=True)) == {
        "Pending": 5,
        "Approved": 1,
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


def test_the_payments_have_their_states(loaded_dir):
    paid = Deposit.objects.exclude(channel="manual").order_by("-amount")
    assert [(row.channel, row.status, row.net_amount, row.cleared_at) for row in paid] == [
        ("virtual_account", "Completed", Decimal(90_000), None),
        ("virtual_account", "Completed", Decimal("86400.50"), None),
        ("checkout", "Completed", Decimal(41_250), None),
        ("virtual_account", "Reversed", Decimal(24_000), None),
    ]
    assert [row.available_at is not None for row in paid] == [False, False, True, False]
    unmatched = Payment.objects.filter(status="Unmatched").order_by("-amount")
    assert [(row.amount, row.payer_name) for row in unmatched] == [
        (Decimal(127_300), "Efua Boateng"),
        (Decimal(8_450), "Yaw Darko"),
    ]
    alerts = Alert.objects.filter(resolved_at=None).values_list("kind", "subject")
    assert {subject for kind, subject in alerts if kind == "payment_unmatched"} == {
        str(row.transaction_id) for row in unmatched
    }
    assert_books_hold()


def test_the_cases_are_those_of_their_lists(loaded_dir):
    (debt,) = Receivable.objects.all()
    assert (str(debt.member), debt.owed, debt.asset_id) == ("Baraka Otieno", 15_000, "NGN")
    (write_off,) = ReceivableWriteOff.objects.all()
    assert (write_off.account_id, write_off.amount, write_off.status) == (
        debt.pk,
        Decimal(5_000),
        "Pending",
    )
    (frozen,) = Freeze.objects.all()
    assert (str(frozen.member), frozen.scope) == ("Esi Owusu", "All currencies and units")
    (proposal,) = Proposal.objects.all()
    withdrawal = proposal.withdrawal
    assert (proposal.action, withdrawal.status) == ("Return", "Approved")
    assert (withdrawal.member, withdrawal.payout.attempts) == (frozen.member, 0)
    breaks = ReconciliationBreak.objects.values_list("kind", "currency", "status")
    assert list(breaks) == [("Unexplained variance", "GHS", "Open")]
    assert set(SettingChange.objects.values_list("configuration", "status")) == {
        *((f"{currency}_USD_RATE", "Approved") for currency in PAYOUT_CURRENCIES),
        ("TZS_WITHDRAWAL_FEE", "Pending"),
    }


def test_a_statement_is_matched_in_part_and_the_last_month_can_be_closed(loaded_dir):
    lines = StatementLine.objects.values_list("status", flat=True)
    assert Counter(lines) == {"Open": 2, "Matched": 2, "Proposed": 1, "Set aside": 1}
    entries = AdjustingEntry.objects.values_list("status", "amount")
    assert set(entries) == {("Approved", Decimal(2150)), ("Pending", Decimal(750))}
    assert PeriodClose.objects.get().status == "Pending"


def test_the_books_are_proved_and_reconciled_once(data_dir):
    assert BooksProof.objects.get().passed
    # The earlier day was reconciled after a bank charge that the books do not have.
    reports = Reconciliation.objects.order_by("-day").values_list("status", flat=True)
    assert list(reports) == [ReportStatus.MATCHED, ReportStatus.DIFFERS]
    load_demo_data(data_dir)
    assert (BooksProof.objects.count(), Reconciliation.objects.count()) == (1, 2)


def test_the_provider_holds_all_demo_deposits(loaded_dir):
    found = float_positions(Reconciliation.objects.latest("day"))
    assert {row.currency for row in found} == set(CURRENCIES)
    for row in found:
        assert row.clearing is not None
        assert row.clearing > 0
        assert row.unexplained == 0, row


def test_demo_events_are_unsent_and_have_no_attempts(loaded_dir):
    assert set(Event.objects.values_list("status", "attempts")) == {("Unsent", 0)}
    assert not DeliveryAttempt.objects.exists()
    assert not WebhookEndpoint.objects.filter(enabled=True).exists()


def test_loading_it_twice_changes_nothing(data_dir, demo):
    Event.objects.filter(type="withdrawal.created").update(status="Pending")
    before = counts()
    assert load_demo_data(data_dir) == demo
    assert counts() == before
    assert Event.objects.filter(status="Pending").count() == 10


def test_keys_tokens_logins_and_webhook_secrets_work(demo):
    for organisation in demo["organisations"]:
        assert read_wallet(organisation["access_token"]).status_code == 200
        basic = f"{organisation['client_id']}:{organisation['client_secret']}"
        response = Client().post(
            "/v1/oauth/token",
            {"grant_type": "client_credentials"},
            headers={"Authorization": "Basic " + base64.b64encode(basic.encode()).decode()},
        )
        assert response.status_code == 200
        key = ApiKey.objects.get(client_id=organisation["client_id"])
        assert set(response.json()["scope"].split()) == set(key.scopes)
        assert len(key.scopes) == 14
        endpoint = WebhookEndpoint.objects.get(organisation_id=organisation["id"])
        assert endpoint.secret == organisation["webhook_secret"]
        assert organisation["webhook_secret"].startswith("whsec_")
        Webhook(organisation["webhook_secret"])
    for person in demo["staff"]:
        assert_signs_in(person)


def assert_signs_in(person: dict[str, str]) -> None:
    client = Client()
    enter_password(client, person["username"], person["password"])
    response = client.post("/admin/login/code/", {"code": current_code(person["totp_secret"])})
    assert response["Location"] == "/admin/"


def test_a_later_webhook_url_is_set_and_the_secret_kept(data_dir, demo, settings):
    settings.DEMO_WEBHOOK_URL = "http://127.0.0.1:9999/in"
    assert load_demo_data(data_dir) == demo
    endpoints = WebhookEndpoint.objects.all()
    assert {(row.url, row.enabled) for row in endpoints} == {("http://127.0.0.1:9999/in", True)}


def test_credentials_are_issued_again_after_the_file_is_lost(data_dir, demo):
    (data_dir / "demo.json").unlink()
    entries = Entry.objects.count()
    second = load_demo_data(data_dir)
    assert Entry.objects.count() == entries
    for old, new in zip(demo["organisations"], second["organisations"], strict=True):
        assert old["id"] == new["id"]
        assert old["client_secret"] != new["client_secret"]
        assert read_wallet(new["access_token"]).status_code == 200
        assert read_wallet(old["access_token"]).status_code == 401
        endpoint = WebhookEndpoint.objects.get(organisation_id=new["id"])
        assert endpoint.secret == new["webhook_secret"] != old["webhook_secret"]
    for person in second["staff"]:
        assert_signs_in(person)


def test_every_token_has_a_logo_that_the_service_serves(loaded_dir):
    logos = (Path(settings.BASE_DIR) / "config/static/tokens").iterdir()
    assert {logo.name for logo in logos} == {f"{about.symbol}.svg" for about in TOKENS}
    for token in Token.objects.all():
        assert token.image == f"http://127.0.0.1:8000/static/tokens/{token.symbol}.svg"
        response = Client().get(token.image.removeprefix("http://127.0.0.1:8000"))
        assert (response.status_code, response["Content-Type"]) == (200, "image/svg+xml")


def test_logo_urls_follow_the_base_url_unless_changed(data_dir):
    Token.objects.filter(symbol="EA20").update(image="https://example.com/own.svg")
    before = counts()
    demo = load_demo_data(data_dir, base_url="http://127.0.0.1:9000")
    assert demo["base_url"] == "http://127.0.0.1:9000"
    images = dict(Token.objects.values_list("symbol", "image"))
    assert images == {
        "ASHC": "http://127.0.0.1:9000/static/tokens/ASHC.svg",
        "EA20": "https://example.com/own.svg",
        "JOL30": "http://127.0.0.1:9000/static/tokens/JOL30.svg",
    }
    assert counts() == before


def test_missing_tokens_are_created_by_a_later_run(data_dir, monkeypatch):
    orders = Order.objects.count()
    more = (*FEW, *TOKENS[2:4])
    monkeypatch.setattr(trading, "TOKENS", more)
    demo = load_demo_data(data_dir)
    assert [token["symbol"] for token in demo["tokens"]] == [token.symbol for token in more]
    former = [token.symbol for token in FEW]
    assert Order.objects.filter(token__symbol__in=former).count() == orders
    assert_books_hold()
