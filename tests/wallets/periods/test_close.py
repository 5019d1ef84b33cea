"""The close of a month: its figures, who closes it, and what is refused from then on."""

import csv
import random
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from config.books import CHECKS
from exchange.core.errors import (
    Forbidden,
    InvalidRequest,
    NotFound,
    Rejected,
    StateConflict,
)
from exchange.core.ids import uuid7
from exchange.pdf.printer import Printer
from exchange.pdf.printout import Printout
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.database import Connection
from tests.environment.owner import as_owner, without_guards
from tests.environment.processes import wait_until
from tests.factories.adjustments import WHY, explain_and_close, make_explained_break
from tests.factories.breaks import make_break
from tests.factories.periods import (
    MONTH,
    close_month,
    closer,
    date_transfers,
    spread,
    store_proof,
    work,
)
from tests.factories.wallets import assert_books_hold, make_member_wallet, make_staff
from wallets.ledger.models import BooksProof, Entry, PeriodClose
from wallets.ledger.periods import Period
from wallets.ledger.proof import prove_and_store
from wallets.periods.selectors import read_month
from wallets.periods.services import (
    confirm_close,
    find_changed_files,
    propose_close,
    reject_close,
)
from wallets.reconciliation.models import Reconciliation

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def rows_of(close: PeriodClose) -> list[list[str]]:
    _, *rows, last = csv.reader(bytes(close.csv).decode("utf-8-sig").splitlines())
    assert last[0] == (
        f"Complete: {len(rows)} rows, as of"
        f" {Period.month_of(close.month).ends:%Y-%m-%dT%H:%M:%S.000Z}"
    )
    return rows


def ledger_sums(kind: str, before: datetime) -> Decimal:
    """Return the sum of the entries of system accounts in KES of one kind, dated before."""
    rows = Entry.objects.filter(account__kind=kind, account__organisation=None, asset_id="KES")
    amounts = rows.filter(transfer__created_at__lt=before).values_list("amount")
    return sum((amount for (amount,) in amounts), Decimal(0))


def signed(debit: str, credit: str) -> Decimal:
    return Decimal(credit or 0) - Decimal(debit or 0)


# --- the figures ---


def test_a_month_of_random_work_is_closed_by_two_people_with_the_figures_of_the_ledger():
    choose = random.Random(11)
    work(choose, 25)
    both = Period(MONTH.previous.first, MONTH.last)
    date_transfers(spread(both, choose), jitter=choose)
    make_explained_break("-7.50", currency="KES", day=MONTH.first)
    proof = prove_and_store(CHECKS)
    assert proof.passed
    close_month(MONTH.previous)
    close = close_month()
    rows = rows_of(close)
    for moment, columns in ((MONTH.ends, (6, 7)), (MONTH.begins, (8, 9))):
        found = {
            row[2]: signed(*(row[column] for column in columns))
            for row in rows
            if row[0] == "Trial balance" and row[3] == "The exchange"
        }
        assert found == {
            label: ledger_sums(label.lower(), moment)
            for label in ("Clearing", "Fees", "Expenses", "Treasury")
            if ledger_sums(label.lower(), MONTH.ends) or ledger_sums(label.lower(), MONTH.begins)
        }
        [total] = [row for row in rows if row[2] == "Total"]
        assert Decimal(total[columns[0]]) == Decimal(total[columns[1]]) > 0
    for account in ("Clearing", "Treasury"):
        lines = [row for row in rows if row[0] == "Statement" and row[2] == account]
        opening, *moved, closing = [(row[4], row[5], signed(row[6], row[7])) for row in lines]
        assert (opening[0], closing[0]) == ("Opening balance", "Closing balance")
        assert opening[2] == ledger_sums(account.lower(), MONTH.begins)
        assert closing[2] == opening[2] + sum(amount for *_, amount in moved)
        assert closing[2] == ledger_sums(account.lower(), MONTH.ends)
        counted = Entry.objects.filter(
            account__kind=account.lower(), transfer__created_at__gte=MONTH.begins,
            transfer__created_at__lt=MONTH.ends,
        )  # fmt: skip
        assert sum(int(count) for _, count, _ in moved) == counted.count()
    [broken] = [row for row in rows if row[0] == "Break"]
    assert broken[1:3] == ["KES", "Unexplained variance"]
    assert broken[4].startswith(f"{MONTH.first}: Unexplained variance KES: {WHY} (closed by ")
    assert Decimal(broken[10]) == Decimal("-7.5")
    controls = [row[4] for row in rows if row[0] == "Control"]
    assert controls[:2] == [f"Month: {MONTH}", f"Proposed by: {close.proposed_by}"]
    assert controls[2].startswith("Ledger integrity: the full check of")
    assert controls[3] == "Breaks: 1, all explained and closed"
    assert bytes(close.pdf or b"").startswith(b"%PDF-")
    assert_books_hold()


def test_the_document_names_both_people_and_the_hash_of_the_csv(monkeypatch):
    made: list[Printout] = []
    printed = Printer.print

    def keep(self: Printer, printout: Printout) -> bytes:
        made.append(printout)
        return printed(self, printout)

    monkeypatch.setattr(Printer, "print", keep)
    make_member_wallet(100)
    date_transfers([MONTH.begins])
    store_proof()
    close = close_month()
    [printout] = made
    text = str(printout.parts)
    assert f"('Proposed by', '{close.proposed_by}')" in text
    assert f"('Confirmed by', '{close.decided_by}')" in text
    assert f"SHA-256 of the CSV of this set: {sha256(close.csv).hexdigest()}" in text
    assert "'Total', '', '100.00', '100.00', '0.00', '0.00'" in text
    assert (close.csv_sha256, close.pdf_sha256) == (
        sha256(close.csv).hexdigest(), sha256(close.pdf or b"").hexdigest(),
    )  # fmt: skip


def test_days_without_a_complete_reconciliation_are_named():
    make_member_wallet(100)
    date_transfers([MONTH.begins])
    proof = store_proof()
    with without_guards():
        for offset, status in ((0, "Matched"), (1, "Differs"), (2, "Incomplete")):
            Reconciliation.objects.create(
                day=MONTH.first + timedelta(days=offset), status=status, requested_by="x",
                requested_by_label="x", created_at=timezone.now(),
            )  # fmt: skip
    days = (MONTH.last - MONTH.first).days + 1
    assert read_month(MONTH, proof, "x").unreconciled == [
        MONTH.first + timedelta(days=offset) for offset in range(2, days)
    ]


# --- what is refused ---


def refuse(match: str, period: Period = MONTH) -> None:
    person = closer()
    with assert_no_table_changes(), pytest.raises(StateConflict, match=match):
        propose_close(month=period.first, user=person)


def test_a_month_that_is_not_over_is_not_closed():
    store_proof()
    refuse("can be closed from one hour after its end", Period.month_of(timezone.now().date()))


@pytest.mark.parametrize(
    "changes",
    [
        {"passed": False},
        {"incremental": True},
        {"ran_at": MONTH.ends + HOUR - timedelta(seconds=1)},
    ],
)
def test_a_month_is_closed_with_a_full_proof_that_passed_since_its_end(changes):
    store_proof(**changes)
    refuse("ledger integrity check failed, or no full one has passed since")


def test_a_month_is_not_closed_after_a_later_proof_that_failed():
    store_proof()
    store_proof(passed=False, incremental=True)
    refuse("ledger integrity check failed")
    store_proof(incremental=True)
    close_month()


def test_a_month_is_not_closed_without_any_proof():
    refuse("ledger integrity check failed, or no full one")


@pytest.mark.parametrize("day", [MONTH.first, MONTH.last, MONTH.previous.first])
@pytest.mark.one_in(3)
def test_a_month_is_not_closed_with_breaks_that_are_not_explained(day):
    store_proof()
    found = make_break("-3", day=day)
    refuse(f"Not explained and closed up to the end of {MONTH}: 1 break")
    explain_and_close(found)
    make_break("-3", day=MONTH.last + timedelta(days=1))
    close_month()


def test_a_break_that_opens_after_the_proposal_keeps_the_month_open():
    store_proof()
    proposed, person = propose_close(month=MONTH.first, user=closer()), closer()
    found = make_break("-3", day=MONTH.last)
    with (
        assert_no_table_changes(),
        pytest.raises(StateConflict, match="Not explained and closed up to"),
    ):
        confirm_close(close_id=proposed.pk, user=person)
    # Explained, it is part of the figures, and they are others than were proposed.
    explain_and_close(found)
    with assert_no_table_changes(), pytest.raises(StateConflict, match="figures have changed"):
        confirm_close(close_id=proposed.pk, user=person)


def test_months_are_closed_one_after_the_other():
    make_member_wallet(100)
    date_transfers([MONTH.begins - timedelta(seconds=1)])
    store_proof()
    refuse(f"Close {MONTH.previous} first")
    close_month(MONTH.previous)
    close_month()
    refuse("already closed, or proposed to be")


def test_a_ledger_that_begins_with_the_month_needs_no_close_before():
    make_member_wallet(100)
    date_transfers([MONTH.begins])
    store_proof()
    close_month()


def test_a_pending_close_of_the_month_before_is_none():
    make_member_wallet(100)
    date_transfers([MONTH.begins - HOUR])
    store_proof()
    propose_close(month=MONTH.previous.first, user=closer())
    refuse(f"Close {MONTH.previous} first")


def test_what_is_dated_into_the_month_after_the_proposal_is_noticed():
    store_proof()
    make_member_wallet(100)
    date_transfers([MONTH.begins])
    proposed, person = propose_close(month=MONTH.first, user=closer()), closer()
    make_member_wallet(7)
    date_transfers([MONTH.begins, MONTH.ends - HOUR])
    with assert_no_table_changes(), pytest.raises(StateConflict, match="figures have changed"):
        confirm_close(close_id=proposed.pk, user=person)
    reject_close(close_id=proposed.pk, reason="A transfer was dated into it", user=person)
    close_month()


def test_figures_that_do_not_balance_are_not_closed():
    store_proof()
    make_member_wallet(100)
    date_transfers([MONTH.begins])
    with without_guards():
        Entry.objects.filter(account__kind="clearing").update(amount=-99)
    refuse("Debits and credits in KES differ")


def test_a_close_takes_two_people_who_may_and_a_first_day():
    store_proof()
    person, stranger = closer(), make_staff("move_treasury")
    proposed = propose_close(month=MONTH.first, user=person)
    with assert_no_table_changes():
        for attempt, error in (
            (lambda: confirm_close(close_id=proposed.pk, user=person), Rejected),
            (lambda: confirm_close(close_id=proposed.pk, user=stranger), Forbidden),
            (lambda: confirm_close(close_id=uuid7(), user=person), NotFound),
            (lambda: propose_close(month=MONTH.first, user=stranger), Forbidden),
            (lambda: propose_close(month=MONTH.last, user=person), InvalidRequest),
            (lambda: reject_close(close_id=proposed.pk, reason="x", user=stranger), Forbidden),
            (lambda: reject_close(close_id=proposed.pk, reason=" ", user=person), InvalidRequest),
        ):
            with pytest.raises(error):
                attempt()
    reject_close(close_id=proposed.pk, reason="Not complete", user=person)
    with pytest.raises(StateConflict):
        confirm_close(close_id=proposed.pk, user=closer())
    close_month()


# --- in the database ---


@pytest.mark.django_db(transaction=True)
def test_transactions_that_began_before_the_end_keep_a_month_open(owner_connection: Connection):
    def problem() -> Any:
        with connection.cursor() as cursor:
            # As if the hour were over.
            cursor.execute("SELECT older_transaction(clock_timestamp())")
            return cursor.fetchone()[0]

    assert not problem()
    owner_connection.execute("BEGIN")
    owner_connection.execute("SELECT")
    assert problem()
    owner_connection.execute("COMMIT")
    wait_until(lambda: not problem(), "the transaction has ended")


@pytest.mark.parametrize(
    ("statement", "constraint"),
    [
        ("pdf_sha256 = repeat('0', 64)", "period_hashes"),
        ("pdf = NULL", "period_hashes"),
        ("pdf = ''", "period_hashes"),
        ("pdf_sha256 = ''", "period_hashes"),
        ("decided_by_id = proposed_by_id", "period_close_approved_by_another"),
    ],
)
def test_only_two_people_freeze_files_of_their_hashes(statement, constraint):
    store_proof()
    proposed = propose_close(month=MONTH.first, user=closer())
    values = {"status": "'Approved'", "decided_by_id": f"'{closer().pk}'", "pdf": "'x'"}
    values["pdf_sha256"] = f"'{sha256(b'x').hexdigest()}'"
    column, _, value = statement.partition(" = ")
    changes = ", ".join(f"{name} = {value}" for name, value in {**values, column: value}.items())
    with (
        pytest.raises(IntegrityError) as refused,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE wallets_periodclose SET {changes} WHERE id = %s", [proposed.pk])
    assert isinstance(refused.value.__cause__, psycopg.Error)
    assert refused.value.__cause__.diag.constraint_name == constraint


def test_the_guard_compares_what_the_service_compared():
    proof = store_proof(passed=True)
    proposed, person = propose_close(month=MONTH.first, user=closer()), closer()

    def approve() -> str | None:
        with pytest.raises(IntegrityError) as refused, transaction.atomic():
            PeriodClose.objects.filter(pk=proposed.pk).update(
                status="Approved", decided_by=person, decided_at=timezone.now(), pdf=b"x",
                pdf_sha256=sha256(b"x").hexdigest(),
            )  # fmt: skip
        assert isinstance(refused.value.__cause__, psycopg.Error)
        return refused.value.__cause__.diag.constraint_name

    found = make_break("-3", day=MONTH.last)
    assert approve() == "period_breaks_explained"
    explain_and_close(found)
    with without_guards():
        BooksProof.objects.filter(pk=proof.pk).update(passed=False)
    assert approve() == "period_closable"


@pytest.mark.parametrize(
    "changes", ["csv = 'y'", "pdf = 'y'", "month = '2020-01-01'", "status = 'Rejected'"]
)
def test_a_closed_month_never_changes(changes):
    store_proof()
    close = close_month()
    for statement in (
        f"UPDATE wallets_periodclose SET {changes}",
        "DELETE FROM wallets_periodclose",
    ):
        with (
            pytest.raises(IntegrityError, match=r"decided|never removed"),
            as_owner() as cursor,
        ):
            cursor.execute(statement)
    assert PeriodClose.objects.get() == close


def test_a_month_is_a_whole_one():
    values = {
        "month": MONTH.last, "proof": store_proof(), "csv": b"x", "csv_sha256": "x",
        "proposed_by": closer(), "created_at": timezone.now(),
    }  # fmt: skip
    with pytest.raises(IntegrityError, match="period_close_of_whole_month"), transaction.atomic():
        PeriodClose.objects.create(**values)


# --- the hash ---


def test_the_hash_notices_a_changed_byte():
    store_proof()
    close = close_month()
    assert find_changed_files(PeriodClose.objects.get()) == []
    for column in ("csv", "pdf"):
        data = bytearray(getattr(close, column))
        data[len(data) // 2] ^= 1
        with without_guards():
            PeriodClose.objects.update(**{column: bytes(data)})
        [warning] = find_changed_files(PeriodClose.objects.get())
        assert warning.startswith(f"The stored {column.upper()} is not the one that was frozen")
        assert getattr(close, f"{column}_sha256") in warning
        with without_guards():
            PeriodClose.objects.update(**{column: getattr(close, column)})
    with without_guards():
        PeriodClose.objects.update(pdf=None)
    assert len(find_changed_files(PeriodClose.objects.get())) == 1


# --- from then on ---
