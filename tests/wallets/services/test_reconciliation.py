"""Our payouts beside the provider's, over HTTP against a sandbox of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from config.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, CREDIT_OFFICER, FINANCE_APPROVER
from tests.support.back_office import everything, said, signed_in, text_of
from tests.support.exports import body, sheet, table
from tests.support.payouts import open_alerts, pass_time
from tests.support.world import (
    BANKS,
    FAILS_LATER,
    REFUSED_AT_ONCE,
    SYSTEM,
    Wallet,
    approved,
    assert_books_hold,
    know_banks,
    make_member_wallet,
    make_staff,
    status_of,
)
from wallets.models import Payout, ProposalAction, Reconciliation, ReconciliationLine, Withdrawal
from wallets.providers.base import TransferRequest
from wallets.providers.flutterwave import FlutterwaveClient
from wallets.providers.registry import payment_provider
from wallets.providers.sandbox import SandboxOptions, SandboxServer
from wallets.providers.sandbox.faults import Fault
from wallets.services import payouts, reconciliation, resolutions, sweeps
from wallets.services.banks import forget_bank_lists

pytestmark = pytest.mark.django_db


@pytest.fixture
def sandbox(tmp_path: Path, settings: Settings) -> Iterator[SandboxServer]:
    """A provider that knows nothing yet and decides only when it is told to."""
    server = SandboxServer(
        SandboxOptions(data=tmp_path, secret_key="FLWSECK_TEST-tests-X", delay=3600)
    )
    server.start()
    settings.PAYMENT_PROVIDER = {
        **settings.PAYMENT_PROVIDER,
        "base_url": server.base_url,
        "secret_key": "FLWSECK_TEST-tests-X",
        "read_timeout": 1.0,
        "total_timeout": 2.0,
        "read_backoff": 0.01,
    }
    payment_provider.cache_clear()
    forget_bank_lists()
    yield server
    server.stop()
    payment_provider.cache_clear()
    forget_bank_lists()


@pytest.fixture
def wallet(sandbox: SandboxServer) -> Wallet:
    know_banks()
    return make_member_wallet(20_000)


def pay(wallet: Wallet, amount: str | int = 500, **more: Any) -> Withdrawal:
    """A payout at the provider, which has not decided."""
    withdrawal = approved(wallet, amount, **more)
    payouts.pay(withdrawal.id)
    return withdrawal


def done(sandbox: SandboxServer, *withdrawals: Withdrawal) -> None:
    """The bank has decided, and we have asked."""
    for withdrawal in withdrawals:
        sandbox.book.settle(withdrawal.reference)
        payouts.look_up(withdrawal.id)


def book(sandbox: SandboxServer, sql: str, *values: Any) -> None:
    """Changes what the provider has written down."""
    with sandbox.book._lock, sandbox.book._db:
        assert sandbox.book._db.execute(sql, values).rowcount > 0


def today() -> date:
    return timezone.now().date()


def compare(day: date | None = None) -> Reconciliation:
    report = reconciliation.ask(day=day or today(), actor=SYSTEM)
    assert reconciliation.claim(report)
    return reconciliation.run(report)


def off(report: Reconciliation) -> list[tuple[str, str, str, str]]:
    """Its differences: kind, reference, ours, theirs."""
    return [
        (line.kind, line.reference, line.our_text, line.their_text)
        for line in report.lines.filter(off=True)
    ]


def figure(report: Reconciliation, kind: str, currency: str = "KES") -> tuple[Any, ...]:
    line = ReconciliationLine.objects.get(report=report, kind=kind, currency=currency)
    return (line.our_count, line.our_amount, line.their_count, line.their_amount)


def test_what_both_sides_know_alike_agrees_with_figures_by_currency(sandbox, wallet):
    paid, failed = pay(wallet), pay(wallet, 600, account=FAILS_LATER)
    done(sandbox, paid, failed)
    pay(wallet, 700)
    refused = approved(wallet, 800, account=REFUSED_AT_ONCE)
    payouts.pay(refused.id)
    assert status_of(refused) == "Failed"
    report = compare()
    assert (report.status, report.reason, off(report)) == ("Agrees", "", [])
    assert (report.compared, report.differences) == (4, 0)
    fee = paid.fee
    assert figure(report, "Completed") == (1, 500 - fee, 1, 500 - fee)
    assert figure(report, "In flight") == (1, 700 - fee, 1, 700 - fee)
    # What is refused at once leaves no trace there.
    assert figure(report, "Failed") == (2, 1400 - 2 * fee, 1, 600 - fee)
    assert figure(report, "Charges") == (None, 100, None, 100)
    assert figure(report, "Clearing at the start of the day") == (None, 0, None, None)
    assert figure(report, "Deposits") == (None, 20_000, None, None)
    assert figure(report, "Payouts") == (None, -(500 - fee), None, None)
    assert figure(report, "Charges of the provider") == (None, -100, None, None)
    held = 20_000 - (500 - fee) - 100
    assert figure(report, "Clearing at the end of the day") == (None, held, None, None)
    float_ = Decimal(10) ** 12 - (500 - fee) - 100 - (700 - fee) - 100
    assert figure(report, "Balance now") == (None, held, None, float_)
    assert figure(report, "Expected gap") == (None, None, None, -(700 - fee) - 100)
    assert figure(report, "Gap nobody explains")[3] == Decimal(10) ** 12 - 20_000
    assert open_alerts() == set()
    assert_books_hold()


def test_each_kind_of_difference_is_found_and_leads_to_its_withdrawal(sandbox, wallet):
    names = ("missing", "amount", "currency", "account", "status", "fee")
    mine = {name: pay(wallet, 500 + place) for place, name in enumerate(names)}
    done(sandbox, *mine.values())
    change = "UPDATE transfers SET {} WHERE reference = ?"
    by = {name: withdrawal.reference for name, withdrawal in mine.items()}
    book(sandbox, "DELETE FROM transfers WHERE reference = ?", by["missing"])
    book(sandbox, change.format("amount = '999'"), by["amount"])
    book(sandbox, change.format("currency = 'NGN'"), by["currency"])
    book(sandbox, change.format("account_number = '0690000040'"), by["account"])
    book(sandbox, change.format("status = 'FAILED'"), by["status"])
    book(sandbox, change.format("fee = '101.5'"), by["fee"])
    send_past_us("payout_stranger")
    before = everything()
    report = compare()
    assert (report.status, report.differences) == ("Differs", 7)
    code = mine["account"].bank.code
    assert set(off(report)) == {
        ("Missing at the provider", by["missing"], "Completed", ""),
        ("Amount", by["amount"], f"{mine['amount'].disburse_amount:f}".rstrip("0").rstrip("."),
         "999"),
        ("Currency", by["currency"], "KES", "NGN"),
        ("Account", by["account"], f"{code} 0690000031", f"{code} 0690000040"),
        ("Status", by["status"], "Completed", "FAILED"),
        ("Charge", by["fee"], "100", "101.5"),
        ("Unknown to us", "payout_stranger", "", "NEW KES to 01 0690000031"),
    }  # fmt: skip
    assert open_alerts() == {"reconciliation"}
    touched = {table for table, seen in everything().items() if seen != before[table]}
    assert touched == {
        "exchange_change",
        "wallets_reconciliation",
        "wallets_reconciliationline",
        "wallets_alert",
    }
    client = signed_in(AUDITOR)
    page = client.get(reverse("admin:wallets_reconciliation_change", args=[report.pk]))
    for name in names:
        link = reverse("admin:wallets_withdrawal_change", args=[mine[name].pk])
        assert f'href="{link}"' in page.content.decode(), name
    assert "✗ Differs" in text_of(page)


def send_past_us(reference: str) -> None:
    payment_provider().transfer(
        TransferRequest(
            reference=reference,
            amount=Decimal(50),
            currency="KES",
            bank_code="01",
            account_number="0690000031",
            beneficiary_name="Nobody",
            narration="Not ours",
        )
    )


def test_what_we_have_not_noticed_yet_differs_and_agrees_once_we_have(sandbox, wallet):
    withdrawal = pay(wallet)
    sandbox.book.settle(withdrawal.reference)
    report = compare()
    assert off(report) == [("Status", withdrawal.reference, "Processing", "SUCCESSFUL")]
    assert open_alerts() == {"reconciliation"}
    payouts.look_up(withdrawal.id)
    assert compare().status == "Agrees"
    assert open_alerts() == set()


def test_a_returned_payout_differs_until_two_people_reversed_it(sandbox, wallet):
    withdrawal = pay(wallet)
    done(sandbox, withdrawal)
    assert compare().status == "Agrees"
    sandbox.book.return_money(withdrawal.reference)
    payouts.look_up(withdrawal.id)
    assert off(compare()) == [("Status", withdrawal.reference, "Completed", "FAILED")]
    proposal = resolutions.propose(
        withdrawal_id=withdrawal.id,
        action=ProposalAction.REVERSE,
        reason="returned",
        proposer=make_staff(),
    )
    resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    report = compare()
    assert (report.status, off(report)) == ("Agrees", [])
    assert_books_hold()


def test_a_gap_that_changed_is_a_difference_once(sandbox, wallet):
    assert compare().status == "Agrees"
    sandbox.book.set_float("KES", Decimal(10) ** 12 - 7)
    report = compare()
    assert off(report) == [
        ("Balance", "", "", "The gap changed by -7 since the last report"),
    ]
    assert compare().status == "Agrees"


def test_a_payout_belongs_to_the_day_we_sent_it_whatever_their_clock_says(sandbox, wallet):
    edge = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    early, late = pay(wallet), pay(wallet, 600)
    done(sandbox, early, late)
    just_before = edge - timedelta(seconds=1)
    Payout.objects.filter(withdrawal=early).update(posted_at=just_before)
    # Theirs says today of what we sent a second before midnight.
    yesterday, day = compare(today() - timedelta(days=1)), compare()
    assert (yesterday.status, yesterday.compared) == ("Agrees", 1)
    assert (day.status, day.compared) == ("Agrees", 1)
    assert figure(day, "Completed")[:2] == (1, late.disburse_amount)


def more_than_a_page(wallet: Wallet) -> None:
    pay(wallet)
    for number in range(21):
        send_past_us(f"payout_other_{number}")


LIES: list[tuple[str, dict[str, Any], str]] = [
    ("short_page", {}, "the list says 22 transfers and shows 21"),
    ("repeated_row", {}, "the list repeats 1 of its transfers"),
    ("broken_row", {}, "malformed answer: status is not a text"),
    ("malformed", {"times": 3}, "malformed answer: body is not JSON"),
    ("malformed", {"times": 3, "body": '{"status":"success","data":[]}'}, "malformed answer"),
    ("hidden", {}, "changed|leaves payout_"),
    ("error_5xx", {"times": 3}, "the provider failed (503)"),
    ("timeout_before", {"times": 3}, "no complete answer"),
    ("reset", {"times": 3}, "no complete answer"),
    ("rate_limit", {"times": 3, "retry_after": None}, "slow down (429)"),
    ("unauthorized", {}, "does not accept our key (401)"),
    ("wrong_reference", {}, "does not find it|leaves payout_"),
]


@pytest.mark.parametrize(
    ("fault", "options", "why"), LIES, ids=[f"{n}-{w[:12]}" for n, _, w in LIES]
)
def test_a_provider_that_fails_or_lies_never_makes_a_report_green(
    sandbox, wallet, fault, options, why
):
    more_than_a_page(wallet)
    Payout.objects.update(posted_at=timezone.now() - timedelta(minutes=5))
    sandbox.faults.add(fault_of(fault, **options))
    report = compare()
    assert (report.status, report.differences) == ("Incomplete", 0)
    assert any(part in report.reason for part in why.split("|")), report.reason
    assert off(report) == []
    assert open_alerts() == {"reconciliation_incomplete"}
    sandbox.faults.clear()
    assert compare().status == "Differs"  # 21 transfers are unknown to us
    assert open_alerts() == {"reconciliation"}


def fault_of(kind: str, path: str = "/v3/transfers", **options: Any) -> Fault:
    return Fault(fault=kind, method="GET", path_prefix=path, **options)


@pytest.mark.parametrize("kind", ["malformed", "error_5xx", "unauthorized"])
def test_without_balances_a_report_is_incomplete(sandbox, wallet, kind):
    sandbox.faults.add(fault_of(kind, "/v3/balances", times=3))
    report = compare()
    assert report.status == "Incomplete"
    sandbox.faults.clear()
    assert compare().status == "Agrees"


def test_a_provider_that_is_gone_makes_it_incomplete_and_the_ledgers_figures_stay(sandbox, wallet):
    sandbox.stop()
    report = compare()
    assert (report.status, report.reason) == ("Incomplete", "no connection could be made")
    assert figure(report, "Deposits") == (None, 20_000, None, None)


def test_a_list_of_other_days_is_not_believed(sandbox, wallet):
    pay(wallet)
    client = payment_provider()
    assert isinstance(client, FlutterwaveClient)
    book(sandbox, "UPDATE transfers SET created_at = created_at - 86400 * 3")
    listed = client.list_transfers(first=today() - timedelta(days=3), last=today())
    assert len(listed) == 1
    assert client.list_transfers(first=today(), last=today()) == []


# --- asked for, daily and by people ---------------------------------------------------------------


def test_yesterday_is_reported_on_once_and_again_while_it_is_incomplete(sandbox, wallet):
    sandbox.faults.add(fault_of("unauthorized", "/v3/balances"))
    now = timezone.now()
    if now.hour < 2:
        assert reconciliation.ask_for_yesterday() is None
        return
    first = reconciliation.ask_for_yesterday()
    assert first is not None
    assert first.day == today() - timedelta(days=1)
    assert reconciliation.ask_for_yesterday() is None
    assert made_next().status == "Incomplete"
    assert reconciliation.ask_for_yesterday() is None
    earlier(first, hours=2)
    again = reconciliation.ask_for_yesterday()
    assert again is not None
    assert made_next().status == "Agrees"
    earlier(again, hours=2)
    assert reconciliation.ask_for_yesterday() is None
    assert reconciliation.run_next() is None


def made_next() -> Reconciliation:
    """The report that was asked for and is made now."""
    report = reconciliation.run_next()
    assert report is not None
    return report


def earlier(report: Reconciliation, hours: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE NONE")
        cursor.execute(
            "UPDATE wallets_reconciliation SET created_at = created_at - make_interval(hours => %s)"
            " WHERE id = %s",
            [hours, report.pk],
        )
        cursor.execute("SET LOCAL ROLE exchange_runtime")


def test_a_report_whose_worker_died_is_made_by_the_next_one(sandbox, wallet):
    report = reconciliation.ask(day=today(), actor=SYSTEM)
    assert reconciliation.claim(report)
    assert reconciliation.run_next() is None
    gone = timezone.now() - timedelta(seconds=1)
    Reconciliation.objects.update(leased_until=gone)
    assert made_next().status == "Agrees"
    # What the dead worker may still send is not taken.
    assert reconciliation.run(report).status == "Agrees"
    assert Reconciliation.objects.get().attempts == 2
    compare_cut_off()


def compare_cut_off() -> None:
    report = reconciliation.ask(day=today() - timedelta(days=9), actor=SYSTEM)
    Reconciliation.objects.filter(pk=report.pk).update(
        status="Running", attempts=3, leased_until=timezone.now() - timedelta(seconds=1)
    )
    assert reconciliation.run_next() is None
    report.refresh_from_db()
    assert (report.status, report.reason) == (
        "Incomplete",
        "It was cut off again and again while it was made",
    )


def test_the_command_prints_what_differs_and_says_so_by_its_exit(sandbox, wallet, capsys):
    call_command("reconcile", str(today()))
    assert capsys.readouterr().out == f"{today()}: Agrees, payouts compared: 0\n"
    send_past_us("payout_stranger")
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile", str(today()))
    assert ended.value.code == 1
    assert capsys.readouterr().out.splitlines() == [
        "Unknown to us: payout_stranger: ours 0, theirs NEW KES to 01 0690000031",
        "Balance: KES: ours 999999980000, theirs The gap changed by -150 since the last report",
        f"{today()}: Differs, payouts compared: 1, differences: 2",
    ]
    sandbox.faults.add(fault_of("unauthorized"))
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile", str(today()))
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (FINANCE_APPROVER, True),
        (BACK_OFFICE, True),
        (CREDIT_OFFICER, False),
        (AUDITOR, False),
        (ADMINISTRATOR, False),
    ],
)
def test_who_may_run_it(sandbox, wallet, role, may):
    client = signed_in(role)
    add = reverse("admin:wallets_reconciliation_add")
    report = compare()
    page = reverse("admin:wallets_reconciliation_change", args=[report.pk])
    assert "✓ Agrees" in text_of(client.get(page))
    again = reverse("admin:wallets_reconciliation_again", args=[report.pk])
    before = everything()
    assert client.get(again).status_code == 405
    response = client.post(add, {"day": str(today())})
    if may:
        assert said(response)[-1].startswith("Asked for.")
        made = Reconciliation.objects.latest("created_at")
        assert response["Location"].endswith(f"{made.pk}/change/")
        assert client.post(again).status_code == 302
        assert Reconciliation.objects.filter(status="Waiting").count() == 1
        assert made_next().status == "Agrees"
        future = client.post(add, {"day": str(today() + timedelta(days=2))})
        assert "The day has not come yet" in text_of(future)
    else:
        assert (response.status_code, client.post(again).status_code) == (403, 403)
        assert everything() == before


def test_the_report_as_a_file(sandbox, wallet):
    withdrawal = pay(wallet)
    sandbox.book.settle(withdrawal.reference)
    report = compare()
    client: Client = signed_in(AUDITOR)
    address = reverse("admin:wallets_reconciliation_export", args=[report.pk])
    assert client.get(address).status_code == 405
    rows, last = table(body(client.post(address)))
    assert last.startswith(f"Complete: {report.lines.count()} rows")
    first = rows[0]
    assert (first["Line"], first["What"], first["Ours"], first["Theirs"]) == (
        "Difference",
        "Status",
        "Processing",
        "SUCCESSFUL",
    )
    assert first["Withdrawal id"] == str(withdrawal.pk)
    [deposits] = [row for row in rows if (row["What"], row["Currency"]) == ("Deposits", "KES")]
    assert deposits["Our amount"] == "20000"
    found, _ = sheet(body(client.post(f"{address}?form=xlsx")))
    assert [row["Our amount"] for row in found if row["What"] == "Deposits"].count(20000) == 1


@pytest.mark.django_db(transaction=True)
def test_a_charge_that_is_booked_rounded_is_no_changed_gap(sandbox, settings):
    wallet = make_member_wallet(50_000, currency="NGN")
    assert compare().status == "Agrees"
    withdrawal = pay(wallet, 20_000, currency="NGN", bank=BANKS["NGN"])
    done(sandbox, withdrawal)
    assert status_of(withdrawal) == "Completed"
    report = compare()
    assert (report.status, off(report)) == ("Agrees", [])
    ours, theirs = figure(report, "Gap nobody explains", "NGN")[1::2]
    assert theirs - ours == Decimal("0.005")


def test_an_unknown_payout_that_is_found_again_is_no_longer_missing(sandbox, wallet):
    withdrawal = approved(wallet)
    sandbox.faults.add(_post("timeout_before"))
    payouts.pay(withdrawal.id)
    assert status_of(withdrawal) == "Unknown"
    assert off(compare()) == [("Missing at the provider", withdrawal.reference, "Unknown", "")]
    pass_time(withdrawal, 3600)
    sweeps.take_step(withdrawal.id)


def _post(kind: str) -> Fault:
    return Fault(fault=kind, method="POST", path_prefix="/v3/transfers", seconds=2)
