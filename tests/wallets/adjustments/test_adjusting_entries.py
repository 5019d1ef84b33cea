"""Adjusting entries: two people, the legs of each, and what they settle."""

from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest
from django.db import IntegrityError, transaction
from psycopg import errors

from exchange.core.errors import (
    Conflict,
    Forbidden,
    InvalidCurrency,
    InvalidRequest,
    Rejected,
    StateConflict,
)
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.concurrency import start_call
from tests.environment.database import Connection
from tests.environment.owner import without_guards
from tests.factories.adjustments import (
    WHY,
    adjust,
    bookkeeper,
    break_terms,
    entry_terms,
    explain_and_close,
    make_explained_break,
)
from tests.factories.breaks import make_break
from tests.factories.treasury import move, system_balance, terms
from tests.factories.wallets import assert_books_hold, make_member_wallet, make_staff
from wallets.adjustments.export_columns import ADJUSTING_ENTRIES
from wallets.adjustments.models import AdjustingEntry
from wallets.adjustments.services import (
    confirm_adjustment,
    find_adjustment_notices,
    propose_adjustment,
    reject_adjustment,
)
from wallets.ledger.models import Transfer
from wallets.reconciliation.models import LineKind, ReconciliationBreak

pytestmark = pytest.mark.django_db


def balances(currency: str = "KES") -> dict[str, Decimal]:
    kinds = ("clearing", "treasury", "fees", "expenses")
    found = {kind: system_balance(kind, currency) for kind in kinds}
    return {kind: amount for kind, amount in found.items() if amount}


@pytest.mark.parametrize(
    ("changes", "moved"),
    [
        ({}, {"clearing": -4900, "expenses": -100}),
        ({"kind": "correction", "account": "fees"}, {"clearing": -4900, "fees": -100}),
        ({"kind": "correction", "account": "fees", "direction": "more"},
         {"clearing": -5100, "fees": 100}),
        ({"kind": "correction", "account": "treasury", "direction": "more"},
         {"clearing": -5100, "treasury": 100}),
        ({"kind": "correction", "direction": "more"}, {"clearing": -5100, "expenses": 100}),
    ],
)  # fmt: skip
@pytest.mark.one_in(3)
def test_clearing_follows_what_the_provider_holds(changes, moved):
    make_member_wallet(5000)
    made = adjust(entry_terms(100, **changes))
    assert balances() == moved
    transfer = Transfer.objects.get(subject_id=made.pk)
    assert (transfer.kind, transfer.reference, transfer.memo) == (
        "adjustment", f"adjustment:{made.pk}", WHY,
    )  # fmt: skip
    assert transfer.actor == f"staff:{made.decided_by_id}"
    assert_books_hold()


def test_a_part_of_an_explained_break_is_booked_and_then_the_rest():
    make_member_wallet(500_000, currency="NGN")
    found = make_explained_break("-250000.55")
    adjust(break_terms(found, "50000.05"))
    person = bookkeeper()
    with assert_no_table_changes(), pytest.raises(Conflict) as refused:
        propose_adjustment(terms=break_terms(found, "200000.51"), user=person)
    assert refused.value.message == (
        "200,000.50 NGN of this break, less than booked, are left to be booked"
    )
    adjust(break_terms(found, "200000.50", account="treasury"))
    assert balances("NGN") == {
        "clearing": Decimal("-249999.45"),
        "expenses": Decimal("-50000.05"),
        "treasury": Decimal("-200000.5"),
    }
    with assert_no_table_changes(), pytest.raises(Conflict, match="not yet booked can be settled"):
        propose_adjustment(terms=break_terms(found, "0.01"), user=person)
    assert_books_hold()


def test_a_rejected_entry_leaves_its_part_of_the_break():
    found = make_explained_break("30")
    entry = propose_adjustment(terms=break_terms(found, 30), user=bookkeeper())
    person = bookkeeper()
    with assert_no_table_changes(), pytest.raises(Conflict):
        propose_adjustment(terms=break_terms(found, "0.01"), user=person)
    reject_adjustment(entry_id=entry.pk, reason="Not income", user=person)
    adjust(break_terms(found, 30, account="treasury"))
    assert balances("NGN") == {"clearing": -30, "treasury": 30}
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_of_two_entries_at_once_the_second_sees_what_the_first_left():
    found = make_explained_break("-100")
    people = bookkeeper(), bookkeeper()
    with transaction.atomic():
        propose_adjustment(terms=break_terms(found, 60), user=people[0])
        late = start_call(partial(propose_adjustment, terms=break_terms(found, 60), user=people[1]))
    with pytest.raises(Conflict, match=r"40\.00 NGN of this break"):
        late.result(60)


def altered_break(**changes: object) -> ReconciliationBreak:
    found = make_explained_break("-100")
    with without_guards():
        ReconciliationBreak.objects.filter(pk=found.pk).update(**changes)
    found.refresh_from_db()
    return found


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": LineKind.FEE},
        {"status": "Open"},
        {"status": "Explained"},
        {"in_latest_report": False},
    ],
)
def test_only_a_variance_that_is_explained_and_still_there_is_booked(changes):
    found, person = altered_break(**changes), bookkeeper()
    with assert_no_table_changes(), pytest.raises(Conflict) as refused:
        propose_adjustment(terms=break_terms(found, 100), user=person)
    assert refused.value.message == (
        "Only a variance that is explained, closed and not yet booked can be settled"
    )


@pytest.mark.parametrize("changes", [{"currency": "KES"}, {"direction": "more", "account": "fees"}])
def test_a_break_is_booked_in_its_currency_and_direction(changes):
    found, person = make_explained_break("-100"), bookkeeper()
    with assert_no_table_changes(), pytest.raises(Conflict, match="less than booked, are left"):
        propose_adjustment(terms=break_terms(found, 100, **changes), user=person)


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        (entry_terms(0), "amount"),
        (entry_terms("-1"), "amount"),
        (entry_terms("NaN"), "amount"),
        (entry_terms("1.005"), "amount"),
        (entry_terms(note=" "), "note"),
        (entry_terms(note="Bank fee"), "note"),
        (entry_terms(note="a long reason " * 30), "note"),
        (entry_terms(kind="explained_break"), "kind"),
        (entry_terms(account="fees"), "account"),
        (entry_terms(direction="more"), "account"),
        *(
            (entry_terms(kind="correction", account=account), "account")
            for account in (
                "available", "escrow", "unmatched", "tax", "payable", "position", "clearing",
                "receivable", "",
            )
        ),
    ],
)  # fmt: skip
def test_terms_that_cannot_be_are_refused(wanted, field):
    person = bookkeeper()
    with assert_no_table_changes(), pytest.raises(InvalidRequest) as refused:
        propose_adjustment(terms=wanted, user=person)
    assert list(refused.value.fields) == [field]


def test_a_break_has_no_entry_of_another_kind_and_a_currency_is_known():
    found, person = make_explained_break("-100"), bookkeeper()
    with assert_no_table_changes():
        with pytest.raises(InvalidRequest):
            propose_adjustment(terms=break_terms(found, 100, kind="correction"), user=person)
        with pytest.raises(InvalidCurrency):
            propose_adjustment(terms=entry_terms(currency="XXX"), user=person)


def test_an_entry_takes_two_people_who_may_and_a_reason_to_reject():
    person, stranger = bookkeeper(), make_staff("move_treasury")
    entry = propose_adjustment(terms=entry_terms(), user=person)
    with assert_no_table_changes():
        for attempt, error in (
            (lambda: confirm_adjustment(entry_id=entry.pk, user=person), Rejected),
            (lambda: confirm_adjustment(entry_id=entry.pk, user=stranger), Forbidden),
            (lambda: propose_adjustment(terms=entry_terms(), user=stranger), Forbidden),
            (lambda: reject_adjustment(entry_id=entry.pk, reason="x", user=stranger), Forbidden),
            (lambda: reject_adjustment(entry_id=entry.pk, reason=" ", user=person), InvalidRequest),
        ):
            with pytest.raises(error):
                attempt()
    reject_adjustment(entry_id=entry.pk, reason="not on the statement", user=bookkeeper())
    with pytest.raises(StateConflict):
        confirm_adjustment(entry_id=entry.pk, user=bookkeeper())
    assert balances() == {}


def test_an_amount_beyond_the_band_takes_a_reason_of_both_people():
    adjust(entry_terms(100))
    wanted = entry_terms("300.01")
    assert find_adjustment_notices(entry_terms(300)) == []
    [notice] = find_adjustment_notices(wanted)
    assert "more than 200 % above the largest adjusting entry of this kind" in notice
    entry, person = propose_adjustment(terms=wanted, user=bookkeeper()), bookkeeper()
    with assert_no_table_changes(), pytest.raises(InvalidRequest) as refused:
        confirm_adjustment(entry_id=entry.pk, user=person)
    assert refused.value.code == "reason_required"
    confirm_adjustment(entry_id=entry.pk, user=person, reason=WHY)
    [again] = find_adjustment_notices(entry_terms(100))
    assert again.startswith("The same amount as the adjusting entry Bank charge of")
    assert find_adjustment_notices(entry_terms(100, currency="NGN")) == []
    assert balances() == {"clearing": Decimal("400.01"), "expenses": Decimal("-400.01")}


def test_own_money_falls_by_what_is_charged():
    make_member_wallet(500)
    move(terms("top_up", 1000))
    adjust(entry_terms(100))
    with pytest.raises(Rejected, match=r"own money at the payment provider is 900\.00 KES"):
        move(terms("draw_down", "900.01"))
    move(terms("draw_down", 900, reference="rest"))
    assert_books_hold()


# --- in the database ---

RECORD = "UPDATE wallets_adjustingentry SET {} WHERE id = %(record)s"
ALTERATIONS = {
    "amount": RECORD.format("amount = amount + 0.01"),
    "currency": RECORD.format("currency_id = 'NGN'"),
    "account": RECORD.format("account = 'fees', kind = 'correction'"),
    "direction": RECORD.format("direction = 'more', kind = 'correction'"),
    "not approved": RECORD.format("status = 'Pending'"),
    "by one person": RECORD.format("decided_by_id = proposed_by_id"),
    "by no other": RECORD.format("decided_by_id = NULL"),
    "no record": "DELETE FROM wallets_adjustingentry WHERE id = %(record)s",
    "reference": "UPDATE wallets_transfer SET reference = 'x' WHERE subject_id = %(record)s",
    "another account": "UPDATE wallets_account SET kind = 'position'"
    " WHERE kind = 'expenses' AND asset_id = 'KES'",
    "a leg is missing": "DELETE FROM wallets_entry e USING wallets_transfer t WHERE"
    " t.id = e.transfer_id AND t.subject_id = %(record)s AND e.amount > 0",
}


@pytest.mark.parametrize("alteration", ["", *ALTERATIONS])
@pytest.mark.django_db(transaction=True)
def test_an_approved_entry_justifies_its_legs_and_no_others(
    owner_connection: Connection, alteration
):
    made = adjust(entry_terms())
    with owner_connection.transaction(force_rollback=True):
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        if alteration:
            statement = ALTERATIONS[alteration]
            assert owner_connection.execute(statement, {"record": made.id}).rowcount >= 1
        row = owner_connection.execute(
            "SELECT adjustment_fits(t) FROM wallets_transfer t WHERE subject_id = %s", [made.id]
        ).fetchone()
    assert row is not None
    assert (row[0] is True) == (not alteration)


@pytest.mark.django_db(transaction=True)
def test_an_entry_that_is_not_approved_is_not_posted(owner_connection: Connection):
    entry = propose_adjustment(terms=entry_terms(), user=bookkeeper())
    with pytest.raises(errors.CheckViolation) as refused, owner_connection.transaction():
        owner_connection.execute("SELECT post_adjustment(%s, gen_random_uuid(), 'x')", [entry.pk])
    assert refused.value.diag.constraint_name == "transfer_justified"


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"amount": 0}, "adjustment_amount_positive"),
        ({"note": " \n"}, "adjustment_in_writing"),
        ({"kind": "correction", "account": "tax"}, "adjustment_account"),
        ({"account": "fees"}, "adjustment_fits_kind"),
        ({"direction": "more"}, "adjustment_fits_kind"),
        ({"kind": "explained_break"}, "adjustment_fits_kind"),
    ],
)
def test_the_table_holds_no_other_entries(changes, constraint):
    values = {
        "kind": "bank_charge", "currency_id": "KES", "account": "expenses", "direction": "less",
        "amount": 1, "note": WHY, "proposed_by": bookkeeper(),
        "created_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    with (
        assert_no_table_changes(),
        pytest.raises(IntegrityError, match=constraint),
        transaction.atomic(),
    ):
        AdjustingEntry.objects.create(**values | changes)


def test_each_column_of_the_export_has_its_value():
    found = make_explained_break("-100")
    made = adjust(break_terms(found, 40))
    row = {column.heading: column.value(made) for column in ADJUSTING_ENTRIES}
    assert {
        "Kind": "Explained break", "Status": "Approved", "Currency": "NGN", "Account": "Expenses",
        "Provider holds": "Less than booked", "Amount": 40, "Note": WHY, "Reason": "",
        "Break ID": str(found.pk), "Entry ID": str(made.pk),
        "Proposed by": str(made.proposed_by), "Decided by": str(made.decided_by),
        "Proposed (UTC)": made.created_at, "Decided (UTC)": made.decided_at,
    } == row  # fmt: skip


def test_an_open_break_is_explained_first():
    found = make_break("-100")
    with pytest.raises(Conflict):
        propose_adjustment(terms=break_terms(found, 100), user=bookkeeper())
    adjust(replace(break_terms(explain_and_close(found), 100)))
    assert balances("NGN") == {"clearing": 100, "expenses": -100}
