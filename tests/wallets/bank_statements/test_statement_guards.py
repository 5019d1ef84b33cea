"""What PostgreSQL refuses of bank statements: lines are facts, and a match fits."""

from typing import Any

import pytest
from django.db import Error, connection, transaction

from tests.assertions.statement_results import ACCEPTED, violated_rule
from tests.factories.adjustments import adjust, bookkeeper, entry_terms
from tests.factories.bank_statements import (
    document,
    entry,
    import_camt,
    make_account,
    make_line,
    make_matcher,
    statement,
    upload,
)
from tests.factories.conversions import convert, set_rates
from tests.factories.treasury import closing, move, terms
from tests.factories.wallets import make_member_wallet, make_staff
from wallets.adjustments.models import AdjustmentKind, Direction
from wallets.adjustments.services import propose_adjustment
from wallets.bank_statements.selectors import KINDS
from wallets.bank_statements.services.matching import confirm_match, propose_record, set_aside
from wallets.deposits.services import manual as deposits

pytestmark = pytest.mark.django_db

CHANGED, NO_RIGHT = "RestrictViolation", "InsufficientPrivilege"
START, MOVE = "wallets_statementline_start", "wallets_statementline_move"
FITS, ONE = "statement_line_fits_match", "statement_line_has_one_match"
DECIDED = "handled_by_id = %(person)s, handled_at = now()"


def attempt(sql: str, **values: Any) -> str:
    """Run a statement as the service, roll it back, and return what refused it."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, values)
            assert cursor.rowcount == 1
            transaction.set_rollback(True)
    except Error as error:
        return violated_rule(error)
    return ACCEPTED


def approved(amount: str = "100", currency: str = "KES", reference: str = "R1") -> Any:
    wallet = make_member_wallet()
    payment = deposits.IncomingPayment(
        wallet.organisation.pk, None, currency, _decimal(amount), reference, "As on the statement"
    )
    entered = deposits.enter(payment=payment, user=make_staff("add_deposit"))
    return deposits.confirm(deposit_id=entered.pk, user=make_staff("decide_deposit"),
                            reason="Compared with the bank")  # fmt: skip


def _decimal(text: str) -> Any:
    return terms("top_up", text).amount


def change(line: Any, what: str, **values: Any) -> str:
    person = values.pop("person", None) or make_matcher().pk
    return attempt(
        f"UPDATE wallets_statementline SET {what} WHERE id = %(line)s",
        line=line.pk, person=person, **values,
    )  # fmt: skip


@pytest.mark.parametrize(
    "column",
    ["amount = 1", "booked_on = '2026-01-01'", "value_on = '2026-01-01'", "bank_reference = 'x'",
     "number = 9", "currency_id = 'NGN'", "account_id = NULL", "file_id = NULL",
     "payment_reference = 'x'", "counterparty = 'x'", "description = 'x'", "is_reversal = true"],
)  # fmt: skip
def test_what_a_line_says_never_changes(column):
    line = make_line()
    assert change(line, column) == NO_RIGHT
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE NONE")
    assert change(line, column) == CHANGED


@pytest.mark.parametrize("table", ["statementline", "statementfile", "ownbankaccount"])
def test_nothing_is_removed(table):
    make_line()
    assert attempt(f"DELETE FROM wallets_{table}") == NO_RIGHT
    if table != "ownbankaccount":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL ROLE NONE")
        assert attempt(f"DELETE FROM wallets_{table}") == CHANGED


def test_a_match_is_a_record_with_the_amount_and_currency_of_the_line():
    line = make_line()
    match = f"status = %(status)s, deposit_id = %(deposit)s, {DECIDED}"
    fitting = approved()
    entered = deposits.enter(
        payment=deposits.IncomingPayment(
            fitting.organisation_id, None, "KES", line.amount, "R9", "Also expected by them"
        ),
        user=make_staff("add_deposit"),
    )
    assert change(line, match, status="Matched", deposit=fitting.pk) == ACCEPTED
    assert change(line, match, status="Proposed", deposit=fitting.pk) == FITS
    assert change(line, match, status="Proposed", deposit=entered.pk) == ACCEPTED
    assert change(line, match, status="Matched", deposit=entered.pk) == FITS
    for amount, currency in (("100.01", "KES"), ("100", "NGN")):
        other = approved(amount, currency, f"R-{amount}-{currency}")
        assert change(line, match, status="Matched", deposit=other.pk) == FITS
    left = make_line("100", "DBIT")
    assert change(left, match, status="Matched", deposit=fitting.pk) == FITS


def test_a_match_is_a_movement_as_the_bank_shows_it():
    set_rates()
    convert(make_member_wallet(150_000, currency="NGN"), 150_000)
    make_member_wallet(5000)
    match = f"status = 'Matched', movement_id = %(movement)s, {DECIDED}"
    moved = move(terms("top_up", 1000, charge=_decimal("5"), reference="T"))
    assert change(make_line("1000", "DBIT"), match, movement=moved.pk) == ACCEPTED
    assert change(make_line("1000"), match, movement=moved.pk) == FITS
    assert change(make_line("995", "DBIT"), match, movement=moved.pk) == FITS
    drawn = move(terms("draw_down", 70, reference="D"))
    assert change(make_line("70"), match, movement=drawn.pk) == ACCEPTED
    assert change(make_line("70", "DBIT"), match, movement=drawn.pk) == FITS
    closed = move(closing(150_000, "99.50", 100, reference="C"))
    for currency, amount, direction, expected in (
        ("NGN", "150000", "DBIT", ACCEPTED), ("NGN", "150000", "CRDT", FITS),
        ("USD", "99.50", "CRDT", ACCEPTED), ("USD", "100", "CRDT", FITS),
    ):  # fmt: skip
        line = line_of(currency, amount, direction)
        assert change(line, match, movement=closed.pk) == expected


def test_a_match_is_an_adjusting_entry_as_the_bank_shows_it():
    match = f"status = %(status)s, adjustment_id = %(entry)s, {DECIDED}"
    booked, proposed = (
        adjust(entry_terms()),
        propose_adjustment(terms=entry_terms(), user=bookkeeper()),
    )
    line = make_line("100", "DBIT")
    assert change(line, match, status="Matched", entry=booked.pk) == ACCEPTED
    assert change(line, match, status="Proposed", entry=proposed.pk) == ACCEPTED
    assert change(line, match, status="Matched", entry=proposed.pk) == FITS
    for other in (make_line(), make_line("99.99", "DBIT"), line_of("NGN", "100", "DBIT")):
        assert change(other, match, status="Matched", entry=booked.pk) == FITS
    both = f"{match}, deposit_id = %(deposit)s"
    arrived = adjust(entry_terms(kind=AdjustmentKind.CORRECTION, direction=Direction.MORE))
    values = {"status": "Matched", "entry": arrived.pk, "deposit": approved().pk}
    assert change(make_line(reference="R2"), both, **values) == ONE


def line_of(currency: str, amount: str, direction: str) -> Any:
    number = f"{currency}{amount[:3]}{direction}"
    make_account(number, number, currency)
    return import_camt(
        entry(amount, direction, currency=currency), number=number, currency=currency
    )[0]


def test_a_line_is_matched_with_one_record_or_set_aside_with_a_reason():
    make_member_wallet(5000)
    line, deposit = make_line(), approved()
    move(terms("top_up", 1000))
    drawn = move(terms("draw_down", 100))
    both = f"status = 'Matched', deposit_id = %(deposit)s, movement_id = %(movement)s, {DECIDED}"
    assert change(line, both, deposit=deposit.pk, movement=drawn.pk) == ONE
    assert change(line, f"status = 'Matched', {DECIDED}") == ONE
    assert change(line, "deposit_id = %(deposit)s", deposit=deposit.pk) == CHANGED
    reasoned = "statement_line_set_aside_with_reason"
    assert change(line, f"status = 'Set aside', {DECIDED}") == reasoned
    assert change(line, f"status = 'Set aside', reason = 'x', {DECIDED}") == ACCEPTED
    assert change(line, "status = 'Set aside', reason = 'x'") == "statement_line_decided"
    matched = f"status = 'Matched', reason = 'x', deposit_id = %(deposit)s, {DECIDED}"
    assert change(line, matched, deposit=deposit.pk) == reasoned


def test_a_state_follows_the_one_before():
    line, user = make_line(), make_matcher()
    aside = set_aside(line_id=line.pk, reason="A charge of the bank", user=user)
    deposit = approved()
    match = f"status = 'Matched', reason = '', deposit_id = %(deposit)s, {DECIDED}"
    assert change(aside, match, deposit=deposit.pk) == MOVE
    assert change(aside, "reason = 'another one'") == CHANGED
    assert change(aside, "handled_by_id = %(person)s") == CHANGED
    second = make_line(reference="B")
    confirm_match(line_id=second.pk, kind=KINDS["deposit"], record_id=deposit.pk, user=user)
    other = approved(reference="R2")
    assert change(second, "deposit_id = %(deposit)s", deposit=other.pk) == CHANGED
    assert change(second, "status = 'Set aside', reason = 'x', deposit_id = NULL") == MOVE


def test_a_proposed_line_keeps_its_maker_and_record():
    maker = make_matcher("add_deposit")
    line = make_line()
    payment = deposits.IncomingPayment(
        make_member_wallet().organisation.pk, None, "KES", line.amount, "R1"
    )
    propose_record(line_id=line.pk, terms=payment, user=maker)
    other = approved(reference="R2")
    assert change(line, "status = 'Matched'") == FITS
    taken = f"status = 'Matched', deposit_id = %(deposit)s, {DECIDED}"
    assert change(line, taken, deposit=other.pk) == CHANGED


def insert(line: Any, **columns: str) -> str:
    given = {
        "id": "gen_random_uuid()", "account_id": "account_id", "file_id": "%(file)s",
        "currency_id": "currency_id", "booked_on": "booked_on", "value_on": "value_on",
        "amount": "amount", "bank_reference": "bank_reference", "number": "7",
        "payment_reference": "''", "counterparty": "''", "description": "''",
        "is_reversal": "false", "status": "'Open'", "reason": "''", **columns,
    }  # fmt: skip
    file = upload(document(statement(entry("1"))))
    return attempt(
        f"INSERT INTO wallets_statementline ({', '.join(given)})"
        f" SELECT {', '.join(given.values())} FROM wallets_statementline WHERE id = %(line)s",
        line=line.pk,
        file=file.pk,
        person=make_matcher().pk,
    )


def test_a_line_starts_open_and_once_in_a_file_that_is_imported():
    line = make_line()
    assert insert(line) == ACCEPTED
    assert insert(line, number="1") == "statement_line_once"
    assert insert(line, amount="0") == "statement_line_amount"
    assert insert(line, currency_id="'NGN'") == "statement_line_of_its_account"
    assert insert(line, file_id="file_id") == "statement_line_of_its_account"
    deposit = approved()
    matched = {"status": "'Matched'", "deposit_id": f"'{deposit.pk}'", "handled_at": "now()",
               "handled_by_id": "%(person)s"}  # fmt: skip
    assert insert(line, **matched) == START


def test_a_file_is_what_was_uploaded_until_it_is_imported():
    make_account()
    file = upload(document(statement(entry("5"))))
    person = make_matcher().pk

    def alter(what: str) -> str:
        return attempt(
            f"UPDATE wallets_statementfile SET {what} WHERE id = %(file)s",
            file=file.pk,
            person=person,
        )

    done = f"content = NULL, {DECIDED}"
    assert alter(f"status = 'Imported', new_lines = 1, {done}") == ACCEPTED
    assert alter(f"status = 'Discarded', {done}") == ACCEPTED
    assert alter(f"status = 'Imported', new_lines = 2, {done}") == "statement_file_new_lines"
    assert alter(f"status = 'Imported', {done}") == "statement_file_new_lines"
    assert alter(f"status = 'Discarded', new_lines = 1, {done}") == "statement_file_new_lines"
    assert alter(f"status = 'Discarded', {DECIDED}") == CHANGED
    assert alter("content = NULL") == "statement_file_content_until_decided"
    assert alter("lines = 7") == NO_RIGHT
    assert alter("content = 'x'") == CHANGED
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE wallets_statementfile SET status = 'Discarded', {done} WHERE id = %(file)s",
            {"file": file.pk, "person": person},
        )
    assert alter("handled_at = now()") == CHANGED
    assert alter("status = 'Imported', new_lines = 1") == CHANGED


def test_an_account_changes_its_layout_only():
    account = make_account()

    def alter(what: str) -> str:
        return attempt(f"UPDATE wallets_ownbankaccount SET {what} WHERE id = %(id)s", id=account.pk)

    assert alter("layout = NULL") == ACCEPTED
    assert alter("number = 'KE00'") == NO_RIGHT
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE NONE")
    for column in ("number = 'KE00'", "name = 'x'", "currency_id = 'NGN'"):
        assert alter(column) == CHANGED
