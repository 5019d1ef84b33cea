"""Closes of months, and the reports of past periods, in the back office."""

import csv
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.owner import without_guards
from tests.factories.back_office import messages_of, page, submit_confirmation, text_of
from tests.factories.breaks import make_break
from tests.factories.periods import MONTH, close_month, date_transfers, store_proof
from tests.factories.wallets import make_member_wallet
from wallets.ledger.models import PeriodClose
from wallets.ledger.selectors import as_of

pytestmark = pytest.mark.django_db

ADD = "admin:wallets_periodclose_add"
TRIAL_BALANCE = "admin:wallets_account_trial_balance"
GENERAL_LEDGER = "admin:wallets_entry_general_ledger"
OF_MONTH = {"period": "month", "day": MONTH.last.isoformat()}


@pytest.fixture
def deposits() -> None:
    """Deposits of 100 KES in the month before, 30 in the month, and 7 after it."""
    for amount in (100, 30, 7):
        make_member_wallet(amount)
    before = MONTH.previous.begins
    date_transfers([before, MONTH.begins + timedelta(days=3), MONTH.ends])


def test_a_month_is_closed_by_two_people(maker, checker, auditor):
    make_member_wallet(130)
    date_transfers([MONTH.begins])
    store_proof()
    month = {"month": MONTH.first.isoformat()}
    response = maker.post(reverse(ADD), month)
    assert messages_of(response) == [f"Close of {MONTH} proposed. A second person must confirm it."]
    close = PeriodClose.objects.get()
    shown = text_of(checker.get(page(close, "change")))
    assert "Clearing The exchange 130" in shown
    assert "Opening balance" in shown
    refused = submit_confirmation(maker, page(close, "confirm"))
    assert "Someone other than the proposer must approve this." in messages_of(refused)[-1]
    done = submit_confirmation(checker, page(close, "confirm"))
    assert messages_of(done)[-1] == f"{MONTH} is closed."
    close.refresh_from_db()
    for form, start in (("csv", b"\xef\xbb\xbfPart,"), ("pdf", b"%PDF-")):
        file = auditor.get(page(close, form))
        assert file.content.startswith(start)
        assert sha256(file.content).hexdigest() == getattr(close, f"{form}_sha256")
        assert file["Content-Disposition"] == (
            f'attachment; filename="close-{MONTH.first:%Y-%m}.{form}"'
        )
    shown = text_of(auditor.get(reverse(TRIAL_BALANCE), OF_MONTH))
    assert (
        f"{MONTH}: closed by {close.proposed_by} and {close.decided_by} on"
        f" {close.decided_at:%Y-%m-%d %H:%M:%S} UTC, SHA-256 {close.pdf_sha256}"
    ) in shown


def test_a_month_that_cannot_be_closed_says_why(maker, checker):
    make_break("-3", day=MONTH.first)
    store_proof()
    with assert_no_table_changes():
        shown = text_of(maker.post(reverse(ADD), {"month": MONTH.first.isoformat()}))
        assert f"Not explained and closed up to the end of {MONTH}: 1 break" in shown
        this_month = timezone.now().date().replace(day=1).isoformat()
        shown = text_of(maker.post(reverse(ADD), {"month": this_month}))
        assert "not one of the available choices" in shown


def test_a_proposal_that_has_become_impossible_says_why(maker, checker):
    store_proof()
    maker.post(reverse(ADD), {"month": MONTH.first.isoformat()})
    close = PeriodClose.objects.get()
    make_break("-3", day=MONTH.first)
    [message] = messages_of(checker.get(page(close, "confirm")))
    assert message.startswith(f"Not explained and closed up to the end of {MONTH}: 1 break")
    submit_confirmation(checker, page(close, "confirm"))
    close.refresh_from_db()
    assert close.status == "Pending"


@pytest.mark.parametrize("form", ["csv", "pdf"])
def test_a_file_with_a_changed_byte_is_not_given_out(auditor, form):
    store_proof()
    close = close_month()
    data = bytearray(getattr(close, form))
    data[-9] ^= 1
    with without_guards():
        PeriodClose.objects.update(**{form: bytes(data)})
    answer = auditor.get(page(close, form))
    assert answer.status_code == 302
    assert messages_of(answer) == ["This file is not there, or not the one that was frozen."]
    shown = text_of(auditor.get(page(close, "change")))
    assert f"The stored {form.upper()} is not the one that was frozen: its SHA-256 is" in shown


def test_a_pending_close_has_no_document_yet(maker):
    store_proof()
    maker.post(reverse(ADD), {"month": MONTH.first.isoformat()})
    close = PeriodClose.objects.get()
    assert "Download PDF" not in text_of(maker.get(page(close, "change")))
    assert maker.get(page(close, "pdf")).status_code == 302


def test_the_list_reads_no_file_and_costs_the_same_for_many(auditor):
    def cost() -> tuple[int, str]:
        with CaptureQueriesContext(connection) as made:
            auditor.get(reverse("admin:wallets_periodclose_changelist"))
        return len(made), " ".join(each["sql"] for each in made)

    store_proof()
    close_month(MONTH.previous)
    cost()
    before, statements = cost()
    assert '"wallets_periodclose"."pdf"' not in statements
    close_month()
    assert cost()[0] == before


# --- reports ---


def sections_of(client: Client, name: str, **query: Any) -> list[list[str]]:
    response = client.get(reverse(name), query)
    return [[str(cell) for cell in row] for each in response.context["sections"]
            for row in each.rows]  # fmt: skip


def test_the_trial_balance_of_a_month_has_the_month_before(auditor, deposits):
    rows = sections_of(auditor, TRIAL_BALANCE, **OF_MONTH)
    assert rows == [
        ["Available", "Members", "", "130.00 KES", "100.00 KES credit", "30.00 KES credit"],
        ["Clearing", "The exchange", "130.00 KES", "", "100.00 KES debit", "30.00 KES debit"],
        ["Total", "", "130.00 KES", "130.00 KES", "", ""],
    ]
    shown = text_of(auditor.get(reverse(TRIAL_BALANCE), OF_MONTH))
    assert f"Compared with {MONTH.previous}" in shown
    assert f"{MONTH}: open" in shown
    file = auditor.get(reverse(TRIAL_BALANCE), {**OF_MONTH, "form": "csv"})
    assert f"trial-balance-{MONTH.first}-{MONTH.last}.csv" in file["Content-Disposition"]
    _, *lines, _ = csv.reader(file.content.decode("utf-8-sig").splitlines())
    assert lines == [
        ["KES", "Available", "Members", "", "130", "", "100"],
        ["KES", "Clearing", "The exchange", "130", "", "100", ""],
    ]


def test_the_trial_balance_of_a_day_is_compared_with_the_day_before(auditor, deposits):
    day = MONTH.first + timedelta(days=3)
    rows = sections_of(auditor, TRIAL_BALANCE, period="day", day=day)
    assert rows[1] == [
        "Clearing", "The exchange", "130.00 KES", "", "100.00 KES debit", "30.00 KES debit",
    ]  # fmt: skip
    after = MONTH.last + timedelta(days=1)
    rows = sections_of(auditor, TRIAL_BALANCE, period="day", day=after)
    assert rows[1][2:] == ["137.00 KES", "", "130.00 KES debit", "7.00 KES debit"]
    today = timezone.now().date()
    assert sections_of(auditor, TRIAL_BALANCE, period="day", day=today)[1][2] == "137.00 KES"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"period": "year", "day": "2026-01-01"}, "not one of the available choices"),
        ({"period": "month"}, "This field is required"),
        ({"period": "day", "day": "3000-01-01"}, "This day is in the future"),
    ],
)
def test_a_period_that_is_not_valid_shows_the_form(auditor, query, words):
    response = auditor.get(reverse(TRIAL_BALANCE), {**query, "form": "csv"})
    assert words in text_of(response)
    assert "sections" not in response.context


def test_a_period_with_too_many_entries_shows_no_balance(auditor, deposits, monkeypatch):
    monkeypatch.setattr(as_of, "MAX_SUMMED_ENTRIES", 0)
    shown = text_of(auditor.get(reverse(TRIAL_BALANCE), {**OF_MONTH, "form": "csv"}))
    assert "entries near the end of this period or of the one before" in shown
    assert "Download CSV" not in shown


def test_the_general_ledger_of_a_month_has_the_month_before(auditor, deposits):
    query = {"kind": "clearing", "currency": "KES", "first": MONTH.first, "last": MONTH.last}
    response = auditor.get(reverse(GENERAL_LEDGER), query)
    compared = response.context["comparison"]
    assert compared.headings == ["", str(MONTH), str(MONTH.previous), "Change"]
    assert compared.rows == [
        ["Opening balance", "100.00 KES debit", "0.00 KES", "100.00 KES debit"],
        ["Debit", "30.00 KES", "100.00 KES", "-70.00 KES"],
        ["Credit", "0.00 KES", "0.00 KES", "0.00 KES"],
        ["Closing balance", "130.00 KES debit", "100.00 KES debit", "30.00 KES debit"],
    ]
    assert str(MONTH.previous) in text_of(response)
