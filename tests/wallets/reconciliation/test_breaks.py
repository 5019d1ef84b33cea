"""Breaks: what opens one, what a later report notes, and what gap is expected from then on."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.db import transaction
from django.utils import timezone

from exchange.core.numbers import format_plain
from tests.environment.concurrency import Callers
from tests.environment.processes import wait_until
from tests.environment.write_pause import WritePause
from tests.factories.breaks import make_break
from tests.factories.payouts import open_alerts
from tests.factories.wallets import BANKS, SYSTEM, Wallet, make_member_wallet, store_bank_list
from tests.wallets.reconciliation.harness import (
    approver,
    breaks,
    close,
    compare,
    differences_of,
    gap_of,
    order_without_record,
    pay,
    settle_at_bank,
    today,
    total_line,
    unexplained,
    update_provider,
)
from wallets.alerts.models import Alert
from wallets.payouts.services import execution as payouts
from wallets.reconciliation.models import LineKind, ReconciliationBreak
from wallets.reconciliation.services import comparison, explanations, reports
from wallets.reconciliation.services.breaks import apply_report
from wallets.reconciliation.services.differences import ReportLine

pytestmark = pytest.mark.django_db

LOST = "250000.55"


@pytest.fixture
def naira(sandbox) -> Wallet:
    """A wallet of a million NGN, which the provider holds."""
    store_bank_list()
    sandbox.store.set_float("NGN", Decimal(1_000_000))
    return make_member_wallet(1_000_000, currency="NGN")


def hold(sandbox, amount: str, currency: str = "NGN") -> None:
    """The provider holds so much."""
    sandbox.store.set_float(currency, Decimal(amount))


def test_250000_55_ngn_that_went_missing_stay_open_however_often_the_day_is_compared(
    sandbox, naira
):
    assert compare().status == "Matched"
    hold(sandbox, "749999.45")
    for _ in range(3):
        report = compare()
        assert (report.status, differences_of(report)) == (
            "Differs",
            [unexplained(f"-{LOST}")],
        )
        assert gap_of(report) == (Decimal(0), -Decimal(LOST))
        assert total_line(report, "Unexplained variance", "NGN") == (
            None,
            Decimal(0),
            None,
            -Decimal(LOST),
        )
        assert breaks() == [("Unexplained variance", f"-{LOST}", "Open", True)]
        assert open_alerts() == {"reconciliation"}
    found = ReconciliationBreak.objects.get()
    assert (found.first_report.day, found.latest_report) == (today(), report)
    assert found.first_report != report


def test_an_older_day_changes_nothing_of_what_a_newer_day_shows(sandbox, naira):
    compare()
    hold(sandbox, "749999.45")
    compare()
    older = compare(today() - timedelta(days=30))
    # The balance is that of now: the older day's report shows it as well, and takes nothing away.
    assert differences_of(older) == [unexplained(f"-{LOST}")]
    assert differences_of(compare()) == [unexplained(f"-{LOST}")]
    assert breaks() == [("Unexplained variance", f"-{LOST}", "Open", True)]
    assert ReconciliationBreak.objects.get().day == today()
    assert [alert.subject for alert in Alert.objects.filter(resolved_at=None)] == [str(today())]


def test_a_gap_that_two_people_explained_is_expected_from_then_on(sandbox, naira):
    compare()
    hold(sandbox, "749999.45")
    compare()
    close(ReconciliationBreak.objects.get())
    assert open_alerts() == set()
    report = compare()
    assert (report.status, gap_of(report)) == ("Matched", (-Decimal(LOST), -Decimal(LOST)))
    assert breaks() == [("Unexplained variance", f"-{LOST}", "Closed", True)]
    # What moves afterwards is a break of its own.
    hold(sandbox, "749999.44")
    report = compare()
    assert differences_of(report) == [unexplained("-0.01")]
    assert breaks()[1:] == [("Unexplained variance", "-0.01", "Open", True)]


@pytest.mark.parametrize(("held", "variance"), [("25000", "5000"), ("20000.01", "0.01")])
def test_the_first_gap_of_all_is_explained_too(sandbox, wallet, held, variance):
    hold(sandbox, held, "KES")
    assert differences_of(compare()) == [unexplained(variance, "KES")]
    assert breaks() == [("Unexplained variance", variance, "Open", True)]
    close(ReconciliationBreak.objects.get(), "Our own float, paid in when the account was opened")
    assert compare().status == "Matched"


def test_each_change_of_the_variance_is_a_break_of_its_own_and_counts_once(sandbox, naira):
    compare()
    hold(sandbox, "900000")
    compare()
    hold(sandbox, "899999.50")
    assert differences_of(compare()) == [unexplained("-100000.5")]
    first, second = ReconciliationBreak.objects.order_by("pk")
    assert breaks() == [
        ("Unexplained variance", "-100000", "Open", True),
        ("Unexplained variance", "-0.5", "Open", True),
    ]
    close(second)
    assert differences_of(compare()) == [unexplained("-100000")]
    close(first)
    report = compare()
    assert (report.status, gap_of(report)[0]) == ("Matched", Decimal("-100000.5"))


def test_a_break_without_a_difference_stays_open_and_closing_it_expects_no_variance(sandbox, naira):
    compare()
    hold(sandbox, "1000007")
    compare()
    hold(sandbox, "1000000")
    report = compare()
    assert (report.status, breaks()) == ("Matched", [("Unexplained variance", "7", "Open", False)])
    assert open_alerts() == {"reconciliation"}
    # It comes back: the same break.
    hold(sandbox, "1000007")
    assert differences_of(compare()) == [unexplained("7")]
    assert breaks() == [("Unexplained variance", "7", "Open", True)]
    hold(sandbox, "1000000")
    compare()
    close(ReconciliationBreak.objects.get())
    assert (compare().status, breaks()) == (
        "Matched",
        [("Unexplained variance", "7", "Closed", False)],
    )
    # After it was closed as gone, the same amount is something new.
    hold(sandbox, "1000007")
    assert differences_of(compare()) == [unexplained("7")]
    assert breaks()[1:] == [("Unexplained variance", "7", "Open", True)]


@pytest.mark.parametrize(
    ("held", "left", "shown"),
    [("1000030", ["30"], [False, True]), ("1000000", [], [False, False])],
)
def test_reverted_changes_of_the_variance_are_no_longer_differences(
    sandbox, naira, held, left, shown
):
    compare()
    for each in ("1000100", "1000130", held):
        hold(sandbox, each)
        report = compare()
    assert breaks() == [
        ("Unexplained variance", "100", "Open", shown[0]),
        ("Unexplained variance", "30", "Open", shown[1]),
    ]
    assert differences_of(report) == [unexplained(amount) for amount in left]


@pytest.mark.parametrize(
    ("returned", "unexplained", "shown"),
    [
        ("0", "-130", [True, True]),
        ("30", "-99.995", [True, False]),
        ("130", "0", [False, False]),
    ],
)
@pytest.mark.django_db(transaction=True)
@pytest.mark.one_in(3)
def test_rounding_of_a_charge_opens_no_break_and_keeps_none_that_is_undone(
    sandbox, naira, returned, unexplained, shown
):
    for held in ("1000000", "999900", "999870"):
        hold(sandbox, held)
        compare()
    withdrawal = pay(naira, 20_000, currency="NGN", bank=BANKS["NGN"])
    settle_at_bank(sandbox, withdrawal)
    sandbox.store.set_float("NGN", sandbox.store.floats()["NGN"] + Decimal(returned))
    expected, found = gap_of(compare())
    assert found - expected == Decimal(unexplained)
    amounts = ("-100", "-30")
    assert breaks() == [
        ("Unexplained variance", amount, "Open", still)
        for amount, still in zip(amounts, shown, strict=True)
    ]


def test_a_variance_that_moves_back_while_a_break_is_closed_is_found_again(sandbox, naira):
    """Two people accept the gap, and then the provider puts it right."""
    compare()
    hold(sandbox, "999000")
    compare()
    close(ReconciliationBreak.objects.get())
    hold(sandbox, "1000000")
    assert differences_of(compare()) == [unexplained("1000")]
    assert breaks()[1:] == [("Unexplained variance", "1000", "Open", True)]


def test_an_older_reading_that_is_stored_later_changes_no_break(sandbox, naira):
    """Two days are compared at once; the first to read the balances is the last to be kept."""
    compare()
    slow = reports.request_report(day=today() - timedelta(days=3), actor=SYSTEM)
    assert reports.claim_report(slow)
    before = comparison.compare(slow.day, [])
    hold(sandbox, "999000")
    compare()
    reports._store(slow, before, [])
    assert breaks() == [("Unexplained variance", "-1000", "Open", True)]
    assert differences_of(compare()) == [unexplained("-1000")]
    assert breaks() == [("Unexplained variance", "-1000", "Open", True)]


@pytest.mark.parametrize(("later", "opened"), [(0, 1), (-1, 0)])
def test_a_reading_of_the_same_moment_as_the_last_one_is_judged(sandbox, naira, later, opened):
    report = compare()
    assert report.balances_at is not None
    line = ReportLine(LineKind.VARIANCE, "NGN", their_amount=Decimal(5))
    apply_report(report, [line], report.balances_at + timedelta(microseconds=later))
    assert ReconciliationBreak.objects.count() == opened


@pytest.mark.django_db(transaction=True)
def test_one_report_is_judged_at_a_time_and_breaks_are_locked_for_who_changes_them(
    owner_connection,
):
    report = make_break().first_report
    missing = ReportLine(LineKind.MISSING, "KES", is_difference=True, reference="payout_a")
    with transaction.atomic():
        apply_report(report, [missing], timezone.now())
    look = "SELECT id FROM wallets_reconciliationbreak FOR {} SKIP LOCKED"
    lock = "SELECT pg_try_advisory_xact_lock(hashtextextended('reconciliation', 0))"
    with transaction.atomic():
        apply_report(
            report,
            [ReportLine(LineKind.VARIANCE, "NGN", their_amount=Decimal(5)), missing],
            timezone.now(),
        )
        assert owner_connection.execute(lock).fetchone() == (False,)
        assert owner_connection.execute(look.format("SHARE")).fetchall() == []
        # An explanation of a break may be written meanwhile.
        assert len(owner_connection.execute(look.format("KEY SHARE")).fetchall()) == 2
    assert owner_connection.execute(lock).fetchone() == (True,)


def test_differences_of_payouts_are_one_break_each_however_often_they_are_found(sandbox, wallet):
    withdrawal = pay(wallet)
    settle_at_bank(sandbox, withdrawal)
    update_provider(
        sandbox, "UPDATE transfers SET amount = '999' WHERE reference = ?", withdrawal.reference
    )
    order_without_record("payout_stranger")
    for _ in range(2):
        report = compare()
        assert report.differences == 3
        assert unexplained("-150", "KES") in differences_of(report)
        assert sorted(breaks()) == [
            ("Amount", format_plain(999 - withdrawal.disburse_amount), "Open", True),
            ("Not in our records", "50", "Open", True),
            ("Unexplained variance", "-150", "Open", True),
        ]
    # The unknown transfer settles: the break stays the same.
    sandbox.store.settle("payout_stranger")
    compare()
    assert len(breaks()) == 3
    update_provider(
        sandbox, "UPDATE transfers SET amount = '998' WHERE reference = ?", withdrawal.reference
    )
    compare()
    amounts = breaks(kind="Amount")
    assert [(status, shown) for _, _, status, shown in amounts] == [("Open", False), ("Open", True)]
    found = ReconciliationBreak.objects.filter(kind="Amount").latest("pk")
    assert found.withdrawal_id == withdrawal.pk
    assert found.their_amount == 998


def test_a_closed_break_stays_closed_while_the_facts_are_the_same(sandbox, wallet):
    order_without_record("payout_stranger")
    compare()
    for found in ReconciliationBreak.objects.all():
        close(found)
    assert open_alerts() == set()
    report = compare()
    assert (report.status, [kind for kind, *_ in differences_of(report)]) == (
        "Differs",
        ["Not in our records"],
    )
    assert {status for _, _, status, _ in breaks()} == {"Closed"}
    assert open_alerts() == set()
    update_provider(
        sandbox, "UPDATE transfers SET amount = '51' WHERE reference = ?", "payout_stranger"
    )
    compare()
    assert breaks(kind="Not in our records") == [
        ("Not in our records", "50", "Closed", False),
        ("Not in our records", "51", "Open", True),
    ]
    assert open_alerts() == {"reconciliation"}


def test_a_break_of_one_day_leaves_the_alert_of_another_day_alone(sandbox, wallet):
    withdrawal = pay(wallet)
    sandbox.store.settle(withdrawal.reference)
    compare()
    payouts.check_status(withdrawal.id)
    hold(sandbox, "1", "KES")
    compare(today() - timedelta(days=2))
    days = {alert.subject for alert in Alert.objects.filter(resolved_at=None)}
    assert days == {str(today()), str(today() - timedelta(days=2))}
    # Nor does a report say anything of the breaks of other days.
    assert breaks(day=today()) == [("Status", "", "Open", True)]
    close(ReconciliationBreak.objects.get(day=today()))
    assert [alert.subject for alert in Alert.objects.filter(resolved_at=None)] == [
        str(today() - timedelta(days=2))
    ]


def test_a_balance_that_is_not_named_is_one_break(sandbox, naira):
    update_provider(sandbox, "DELETE FROM floats WHERE currency = ?", "NGN")
    for _ in range(2):
        report = compare()
        assert [line[0] for line in differences_of(report)] == ["Balance not provided"]
        # The other balances are compared all the same.
        gaps = {gap_of(report, code) for code in ("GHS", "KES", "ZAR")}
        assert gaps == {(Decimal(0), Decimal(0))}
        naira.fund(1, "NGN")
    assert breaks() == [("Balance not provided", "-1000000", "Open", True)]


def test_a_day_that_is_not_over_is_compared_provisionally(sandbox, wallet):
    compare(today() - timedelta(days=1))
    hold(sandbox, "7")
    order_without_record("payout_stranger")
    report = compare(over=False)
    assert report.provisional
    assert (report.status, report.differences) == ("Differs", 3)
    assert (breaks(), open_alerts()) == ([], set())
    # It was no baseline: the day shows the same when it is over.
    assert differences_of(compare()) == differences_of(report)
    assert len(breaks()) == 3


def test_a_provisional_report_that_is_incomplete_raises_no_alert(sandbox, naira):
    sandbox.stop()
    assert compare(over=False).status == "Incomplete"
    assert open_alerts() == set()
    assert compare().status == "Incomplete"
    assert open_alerts() == {"reconciliation_incomplete"}


@pytest.mark.django_db(transaction=True)
def test_closing_a_break_waits_for_a_comparison_that_is_being_stored(
    sandbox, naira, owner_connection
):
    """The comparison has judged the gap, and has not written its report yet."""
    compare()
    hold(sandbox, "749999.45")
    compare()
    proposed = explanations.explain_break(
        break_id=ReconciliationBreak.objects.get().pk, explanation="A fee", user=approver()
    )
    second = approver()
    with (
        WritePause("UPDATE", "wallets_reconciliation", "NEW.finished_at IS NOT NULL") as pause,
        Callers(3) as callers,
    ):

        def close_meanwhile() -> None:
            pause.wait()
            explanations.close_break(explanation_id=proposed.pk, user=second)

        def release_both() -> None:
            try:
                wait_until(lambda: advisory_waits(owner_connection) == 2, "the close waits too")
            finally:
                pause.release()

        report, closed, released = callers.at_once([compare, close_meanwhile, release_both])
    assert (closed, released) == (None, None)
    assert differences_of(report) == [unexplained(f"-{LOST}")]
    assert (breaks(), open_alerts()) == (
        [("Unexplained variance", f"-{LOST}", "Closed", True)],
        set(),
    )
    assert compare().status == "Matched"


def advisory_waits(connection: psycopg.Connection[Any]) -> int:
    """How many wait for an advisory lock in this database."""
    row = connection.execute(
        "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
        " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted"
    ).fetchone()
    return int(row[0]) if row else 0
