"""The examples of the guide for API clients, run as they are against the running service."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from config.api_docs.guide import CODE_SAMPLES, EXAMPLES, LANGUAGES, chapters, examples_in
from credit.configurations.models import Access
from credit.loans.models import Loan
from exchange.core.ids import uuid7
from exchange.core.timestamps import wire_time
from exchange.events.models import Event
from exchange.events.webhooks.signing import new_secret, signed_headers
from exchange.participants.models import Member
from orders.book.models import Order
from tests.environment.node import node_modules
from tests.environment.processes import wait_until
from tests.environment.services import Sandbox, Service
from tests.environment.webhook_receiver import Receiver
from tests.factories.api_clients import make_caller
from tests.factories.conversions import set_rates
from tests.factories.deposits import arrive, transaction_record
from tests.factories.loan_configurations import make_configuration
from tests.factories.payouts import advance_time, settle_at_bank
from tests.factories.tokens import give_units, make_token
from tests.factories.traders import Trader
from tests.factories.wallets import (
    Wallet,
    make_member_wallet,
    make_staff,
    make_wallet,
    status_of,
)
from wallets.conversions.errors import RateOutdated
from wallets.conversions.models import Conversion
from wallets.deposits.models import Deposit, VirtualAccount
from wallets.payouts.services import execution, sweeps
from wallets.transfers.models import WalletTransfer
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.slow

NODE = {"@types/node": "20.19.43", "typescript": "5.9.3"}
TSCONFIG = {
    "compilerOptions": {
        "strict": True,
        "skipLibCheck": True,
        "target": "es2022",
        "lib": ["es2022", "dom"],
        "module": "nodenext",
        "moduleDetection": "force",
        "types": ["node"],
        # Node.js runs them without a compiler: it only removes the types.
        "erasableSyntaxOnly": True,
        "verbatimModuleSyntax": True,
        "outDir": "out",
    },
    "include": ["*.ts"],
}

Command = Callable[[str], list[str]]


def curl(example: str) -> list[str]:
    """The command that runs an example of curl."""
    return ["bash", "-eu", "-o", "pipefail", str(EXAMPLES / f"{example}.sh")]


def python(example: str) -> list[str]:
    """The command that runs an example in Python."""
    return [sys.executable, str(EXAMPLES / f"{example}.py")]


@pytest.fixture
def typescript(tmp_path: Path) -> Command:
    """The command that runs an example in TypeScript; all are compiled, strictly typed."""
    modules = node_modules("node-guide", NODE)
    for path in EXAMPLES.glob("*.ts"):
        shutil.copy(path, tmp_path)
    (tmp_path / "tsconfig.json").write_text(json.dumps(TSCONFIG))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(modules)
    compiled = subprocess.run(
        [modules / ".bin" / "tsc"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert compiled.returncode == 0, compiled.stdout
    return lambda example: ["node", str(tmp_path / "out" / f"{example}.js")]


class Reader:
    """A reader of the guide: an organisation with money, a member, and a lender to borrow from."""

    def __init__(self, base_url: str, command: Command) -> None:
        self.command = command
        self.member = make_member_wallet(1000, currency="NGN")
        self.organisation = Wallet(self.member.organisation).fund("200000", "KES")
        self.caller = make_caller(organisation=self.member.organisation)
        firm = self.member.organisation
        firm.email, firm.redirect_origins = "a@baobridge.example", ["https://baobridge.example"]
        firm.save()
        self.token = make_token(name="Kilimani Gardens Residences", total_supply=Decimal(1000))
        give_units(self.token, self.member, 200)
        lender = make_wallet(5_000_000, currency="NGN")
        rate = Decimal("0.025")
        offer = make_configuration(lender.organisation, access=Access.PUBLIC, interest_rate=rate)
        self.variables = {
            "BASE_URL": base_url,
            "CLIENT_ID": self.caller.key.client_id,
            "CLIENT_SECRET": self.caller.secret,
            "TOKEN_ID": str(self.token.id),
            "PRICE": "100",
            "TOKENS": "2",
            "MEMBER_ID": str(self.member.member_id),
            "DAY_FROM": wire_time(timezone.now() + timedelta(milliseconds=1)),
            "LOAN_CONFIGURATION_ID": str(offer.id),
        }
        self.examples: set[str] = set()

    def run(self, example: str, stdin: str = "", returncode: int = 0) -> str:
        """Run an example and return its output."""
        self.examples.add(example)
        ended = self.start(example, stdin)
        assert ended.returncode == returncode, f"{example}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def start(self, example: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run an example to its end, whatever that is."""
        return subprocess.run(
            self.command(example),
            env={"PATH": os.environ["PATH"], **self.variables},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def test_curl_examples(
    live_service: Service, provider_sandbox: Sandbox, receiver: Receiver
) -> None:
    follow_guide(Reader(live_service.base_url, curl), provider_sandbox, receiver)


def test_python_examples(
    live_service: Service, provider_sandbox: Sandbox, receiver: Receiver
) -> None:
    follow_guide(Reader(live_service.base_url, python), provider_sandbox, receiver)


@pytest.mark.node
def test_typescript_examples(
    typescript: Command, live_service: Service, provider_sandbox: Sandbox, receiver: Receiver
) -> None:
    follow_guide(Reader(live_service.base_url, typescript), provider_sandbox, receiver)


# Those of which the verdict, or what a failure of a request leads to, is the example itself.
_HANDLES = {"handle_error", "verify_webhook"}


def test_python_examples_show_code_and_message_of_an_error(live_service: Service) -> None:
    show_errors(Reader(live_service.base_url, python))


@pytest.mark.node
def test_typescript_examples_show_code_and_message_of_an_error(
    typescript: Command, live_service: Service
) -> None:
    show_errors(Reader(live_service.base_url, typescript))


def show_errors(reader: Reader) -> None:
    """Run every example without a valid credential."""
    reader.variables |= {
        "ACCESS_TOKEN": "wrong",
        "CLIENT_SECRET": "wrong",
        "WITHDRAWAL_ID": str(uuid7()),
        "WEBHOOK_URL": "https://baobridge.example/hook",
        "DAY_TO": wire_time(timezone.now()),
    }
    for example in sorted({path.stem for path in EXAMPLES.glob("*.*")} - _HANDLES):
        ended = reader.start(example)
        shown = ended.stdout + ended.stderr
        assert ended.returncode == 1, example
        if example == "get_access_token":
            assert "invalid_client" in shown
        else:
            assert 'invalid_token: {"status":"failed","message":"' in shown, example
        # Not where in the program it happened.
        assert reader.command is not python or "Traceback" not in shown, example


def follow_guide(reader: Reader, sandbox: Sandbox, receiver: Receiver) -> None:
    """Run every example in an order in which a reader can, and compare with the records."""
    get_access(reader)
    deposit(reader)
    withdraw(reader)
    move_money(reader)
    trade_and_borrow(reader)
    receive_events(reader, receiver)
    follow_events(reader)
    reconcile(reader, sandbox)
    assert reader.examples == {path.stem for path in EXAMPLES.glob("*.*")}


def get_access(reader: Reader) -> None:
    shown = reader.run("get_access_token")
    is_json = shown.startswith("{")
    print(shown)
    reader.variables["ACCESS_TOKEN"] = (
        json.loads(shown)["access_token"] if is_json else shown.strip()
    )
    member = reader.run("create_member")
    assert str(Member.objects.get(external_id="20417").id) in member


def deposit(reader: Reader) -> None:
    shown = reader.run("open_virtual_account")
    account = VirtualAccount.objects.get()
    assert account.account_number in shown
    assert (account.owner_id, account.currency_id) == (reader.member.member_id, "NGN")
    shown = reader.run("create_checkout")
    made = Deposit.objects.get(channel="checkout")
    assert str(made.id) in shown
    assert re.search(r"https?://", shown)
    assert (made.owner_id, made.amount) == (reader.member.member_id, Decimal(250_000))
    shown = reader.run("list_deposits")
    assert str(made.id) in shown
    assert "Pending" in shown


def withdraw(reader: Reader) -> None:
    assert re.search(r'KES.* ?200000|"KES","available":200000', reader.run("get_balances"))
    # The service keeps the list of an earlier test for half a minute.
    wait_until(lambda: "Equity Bank Kenya" in reader.run("list_banks"), "the provider's list")
    shown = reader.run("withdraw")
    withdrawal = Withdrawal.objects.get()
    assert str(withdrawal.id) in shown
    assert (withdrawal.amount, withdrawal.currency_id) == (Decimal("1250.5"), "KES")
    assert str(withdrawal.id) in reader.run("withdraw"), "replayed"
    assert Withdrawal.objects.count() == 1
    reader.variables["WITHDRAWAL_ID"] = str(withdrawal.id)
    assert "Pending" in reader.run("follow_withdrawal")
    assert "Withdrawal requested: 1,250.50 KES set aside" in reader.run("get_statement")
    others = [reader.organisation.request(500) for _ in range(100)]
    listed = reader.run("list_withdrawals")
    assert withdrawal.reference in listed
    # curl shows the first page only.
    assert (others[-1].reference in listed) == (reader.command is not curl)
    failure = reader.run("handle_error")
    assert "insufficient_balance" in failure
    assert "requested: 900000000" in failure
    assert Withdrawal.objects.count() == 101


def move_money(reader: Reader) -> None:
    shown = reader.run("transfer")
    moved = WalletTransfer.objects.get()
    assert str(moved.id) in shown
    assert (moved.amount, moved.payee_id) == (Decimal("250.5"), reader.member.member_id)
    if reader.command is curl:
        failure = json.loads(reader.run("convert"))
        assert failure == {"status": "failed", "message": str(RateOutdated(currency="KES"))}
    set_rates()
    shown = reader.run("convert")
    converted = Conversion.objects.get()
    assert str(converted.id) in shown
    assert [converted.amount, converted.converted_amount] == [129, Decimal("0.99")]


def trade_and_borrow(reader: Reader) -> None:
    assert reader.token.symbol in reader.run("list_tokens")
    assert reader.token.symbol in reader.run("search_tokens")
    shown = reader.run("place_order")
    order = Order.objects.get()
    assert str(order.id) in shown
    assert order.member_id == reader.member.member_id
    assert order.price == 100
    assert order.tokens == 2
    quote = reader.run("quote_loan")
    assert "GMT+0100" in quote
    assert re.search(r"(?i)\btrue\b", quote)
    assert "insufficient" not in quote
    shown = reader.run("create_loan")
    loan = Loan.objects.get()
    assert str(loan.id) in shown
    assert loan.amount == 8400
    assert loan.repayment_amount == 9030


def receive_events(reader: Reader, receiver: Receiver) -> None:
    reader.variables["WEBHOOK_URL"] = receiver.url
    assert "whsec_" in reader.run("set_webhook")
    secret, body = new_secret(), '{"type":"webhook.test","data":{"message":"Lipa ₦1"}}'
    headers = signed_headers(
        event_id=uuid7(), body=body, signing_secrets=[new_secret(), secret], at=datetime.now(UTC)
    )
    reader.variables["WEBHOOK_SECRET"] = secret
    for name, value in headers.items():
        reader.variables[name.upper().replace("-", "_")] = value
    verdict = "genuine" if reader.command is curl else "webhook.test"
    assert reader.run("verify_webhook", body).strip() == verdict
    reader.run("verify_webhook", body.replace("1", "2"), returncode=1)


def follow_events(reader: Reader) -> None:
    shown = reader.run("follow_events")
    made = Event.objects.filter(organisation_id=reader.organisation.organisation.id)
    ids = made.order_by("number__seq").values_list("id", flat=True)
    assert 100 < len(ids) < 200
    places = [shown.index(str(event)) for event in ids]
    assert places == sorted(places)
    found = re.search(r'(?:Next time: |"next_cursor":")([\w-]+)', shown)
    assert found
    reader.variables["EVENTS_CURSOR"] = found[1]
    again = reader.run("follow_events")
    assert found[1] in again
    assert str(ids[0]) not in again


def reconcile(reader: Reader, sandbox: Sandbox) -> None:
    """The day of all of the above, once an order was filled and money arrived and was paid out."""
    Trader(Wallet(reader.token.issuer)).place(reader.token, "Sell", 100, 2)
    made = Deposit.objects.get(channel="checkout")
    arrive(transaction_record(made.reference, "250000", currency="NGN"))
    paid = Withdrawal.objects.get(pk=reader.variables["WITHDRAWAL_ID"])
    decisions.approve(withdrawal_id=paid.pk, version=paid.version, approver=make_staff())
    execution.send_payout(paid.pk)
    settle_at_bank(sandbox, paid)
    advance_time(paid, 3600)
    sweeps.process_payout(paid.pk)
    assert status_of(paid) == "Completed"
    reader.variables["DAY_TO"] = wire_time(timezone.now())
    shown = reader.run("reconcile_day")
    if reader.command is curl:
        assert str(made.pk) in shown
    else:
        assert re.fullmatch(r"\d+ accounts tie out", shown.strip())
    Wallet(reader.organisation.organisation).fund(1, "USD")
    if reader.command is not curl:
        assert "USD available: " in reader.run("reconcile_day")


# --- The guide shows no other examples ---


def test_the_guide_shows_every_example_and_each_in_all_languages() -> None:
    shown = {name for chapter in chapters() for name in examples_in(chapter)}
    files = {path.name for path in EXAMPLES.glob("*.*")}
    assert files == {f"{name}.{language.suffix}" for name in shown for language in LANGUAGES}
    assert set(CODE_SAMPLES.values()) <= shown


def test_code_in_the_guide_comes_from_an_example() -> None:
    """What chapters have in fences themselves are responses, which nothing runs."""
    for chapter in chapters():
        text = chapter.read_text()
        fences = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        assert text.count("```") == 2 * len(fences), chapter.name
        assert {language for language, _ in fences} <= {"json", "http", "text"}, chapter.name
        for language, content in fences:
            if language == "json":
                json.loads(content)


def test_every_link_of_the_guide_leads_to_a_chapter_or_an_example() -> None:
    for chapter in chapters():
        for target in re.findall(r"\]\(([^)]+)\)", chapter.read_text()):
            if target.startswith("https://"):
                continue
            path, _, section = target.partition("#")
            page = chapter.parent / path if path else chapter
            assert page.exists(), target
            headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
            anchors = {heading.lower().replace(" ", "-") for heading in headings}
            assert not section or section in anchors, target
    assert (settings.BASE_DIR / "docs" / "api" / "examples").samefile(EXAMPLES)
