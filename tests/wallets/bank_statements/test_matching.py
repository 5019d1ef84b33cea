"""Matches of statement lines: with approved records, proposed from a line, and removed."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from exchange.core.errors import (
    Conflict,
    DomainError,
    Forbidden,
    InvalidRequest,
    NotFound,
    StateConflict,
)
from exchange.core.ids import uuid7
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.concurrency import start_call
from tests.factories.adjustments import adjust, bookkeeper, entry_terms
from tests.factories.bank_statements import (
    entry,
    import_camt,
    make_account,
    make_line,
    make_matcher,
)
from tests.factories.conversions import convert, set_rates
from tests.factories.treasury import closing, move, terms, treasurer
from tests.factories.wallets import assert_books_hold, balance_of, make_member_wallet, make_staff
from wallets.adjustments.models import AdjustedAccount, AdjustmentKind, Direction
from wallets.adjustments.services import AdjustmentTerms, confirm_adjustment, reject_adjustment
from wallets.bank_statements.errors import MatchDiffers
from wallets.bank_statements.models import StatementLine
from wallets.bank_statements.selectors import KINDS, find_candidates, open_totals
from wallets.bank_statements.services.matching import (
    confirm_match,
    propose_record,
    remove_match,
    reopen,
    set_aside,
)
from wallets.deposits.models import Deposit, ManualDeposit
from wallets.deposits.services import manual as deposits
from wallets.treasury.services import confirm_movement, reject_movement

pytestmark = pytest.mark.django_db

DEPOSIT, MOVEMENT, ENTRY = KINDS["deposit"], KINDS["movement"], KINDS["adjustment"]
WHY = "A charge of the bank for November"


def incoming(
    amount: str = "100", reference: str = "FT1", **changes: Any
) -> deposits.IncomingPayment:
    wallet = make_member_wallet()
    values = {"organisation_id": wallet.organisation.pk, "member_id": None, "currency": "KES"}
    return deposits.IncomingPayment(
        **values | changes, amount=Decimal(amount), reference=reference, note=WHY
    )


def make_deposit(amount: str = "100", reference: str = "FT1", **changes: Any) -> ManualDeposit:
    """Return a deposit that two people approved."""
    entered = deposits.enter(payment=incoming(amount, reference, **changes),
                             user=make_staff("add_deposit"))  # fmt: skip
    return deposits.confirm(deposit_id=entered.pk, user=make_staff("decide_deposit"), reason=WHY)


def state(line: StatementLine) -> tuple[Any, ...]:
    line.refresh_from_db()
    return line.status, line.deposit_id, line.movement_id, line.adjustment_id


def refuse(error: type[DomainError], act: Callable[[], object]) -> str:
    with assert_no_table_changes(), pytest.raises(error) as refused:
        act()
    return refused.value.message


def test_a_line_is_matched_with_the_deposit_that_two_people_approved():
    line, deposit, user = make_line(reference="ft 1"), make_deposit(), make_matcher()
    balance = balance_of(deposit.organisation_id, "KES")
    matched = confirm_match(line_id=line.pk, kind=DEPOSIT, record_id=deposit.pk, user=user)
    assert state(line) == ("Matched", deposit.pk, None, None)
    assert matched.handled_by == user
    assert balance_of(deposit.organisation_id, "KES") == balance == 100
    assert_books_hold()


@pytest.mark.parametrize(("kind", "direction"), [("top_up", "DBIT"), ("draw_down", "CRDT")])
def test_a_movement_is_on_the_statement_as_the_bank_sees_it(kind, direction):
    make_member_wallet(5000)
    move(terms("top_up", 1000, reference="FLOAT"))
    moved = move(terms(kind, 70, charge=Decimal(5), reference="M-1"))
    wrong = make_line("70", "CRDT" if direction == "DBIT" else "DBIT")
    user = make_matcher()
    link = partial(confirm_match, kind=MOVEMENT, record_id=moved.pk, user=user)
    refuse(MatchDiffers, partial(link, line_id=wrong.pk))
    gross = make_line("75", direction)
    refuse(MatchDiffers, partial(link, line_id=gross.pk))
    line = make_line("70", direction)
    link(line_id=line.pk)
    assert state(line) == ("Matched", None, moved.pk, None)


def test_a_closed_position_has_a_line_in_each_currency():
    set_rates()
    convert(make_member_wallet(150_000, currency="NGN"), 150_000)
    moved = move(closing(150_000, "99.50", 100))
    make_account("Naira", "NG01", "NGN")
    make_account("Dollars", "US01", "USD")
    user = make_matcher()
    sold = _line_of("NG01", "NGN", "150000", "DBIT")
    bought = _line_of("US01", "USD", "99.50", "CRDT")
    not_bought = _line_of("US01", "USD", "100", "CRDT")
    other = _line_of("US01", "USD", "99.50", "CRDT", reference="again")
    link = partial(confirm_match, kind=MOVEMENT, record_id=moved.pk, user=user)
    refuse(MatchDiffers, partial(link, line_id=not_bought.pk))
    for line in (sold, bought):
        link(line_id=line.pk)
        assert state(line) == ("Matched", None, moved.pk, None)
    assert refuse(MatchDiffers, partial(link, line_id=other.pk)) == (
        "The treasury movement is matched with another line"
    )


def _line_of(
    number: str, currency: str, amount: str, direction: str, reference: str = ""
) -> StatementLine:
    given = entry(amount, direction, currency=currency, reference=reference)
    return import_camt(given, number=number, currency=currency)[0]


@pytest.mark.parametrize(
    ("amount", "currency", "message"),
    [
        ("100.01", "KES", "The deposit is 100.01 KES, and the line 100.00 KES"),
        ("99.99", "KES", "The deposit is 99.99 KES, and the line 100.00 KES"),
        ("100", "NGN", "The deposit is 100.00 NGN, and the line 100.00 KES"),
    ],
)
def test_a_record_with_another_amount_or_currency_is_refused(amount, currency, message):
    line, user = make_line(), make_matcher()
    deposit = make_deposit(amount, currency=currency)
    act = partial(confirm_match, line_id=line.pk, kind=DEPOSIT, record_id=deposit.pk, user=user)
    assert refuse(MatchDiffers, act) == message


def test_money_that_left_is_no_deposit():
    line, deposit, user = make_line("100", "DBIT"), make_deposit(), make_matcher()
    act = partial(confirm_match, line_id=line.pk, kind=DEPOSIT, record_id=deposit.pk, user=user)
    assert "and the line -100.00 KES" in refuse(MatchDiffers, act)


def test_only_an_approved_record_is_matched():
    line, user = make_line(), make_matcher()
    entered = deposits.enter(payment=incoming(), user=make_staff("add_deposit"))
    act = partial(confirm_match, line_id=line.pk, kind=DEPOSIT, record_id=entered.pk, user=user)
    assert (
        refuse(MatchDiffers, act)
        == "The deposit is Pending. A match needs one that two people approved"
    )
    assert refuse(NotFound, partial(act, record_id=uuid7())) == "Deposit not found"
    assert refuse(NotFound, partial(act, line_id=uuid7())) == "Statement line not found"


def test_a_record_has_one_line_and_a_line_one_record():
    deposit, user = make_deposit(), make_matcher()
    line, second = make_line(reference="A"), make_line(reference="B")
    link = partial(confirm_match, kind=DEPOSIT, record_id=deposit.pk, user=user)
    link(line_id=line.pk)
    assert refuse(MatchDiffers, partial(link, line_id=second.pk)) == (
        "The deposit is matched with another line"
    )
    other = make_deposit(reference="FT2")
    again = partial(link, line_id=line.pk, record_id=other.pk)
    assert refuse(StateConflict, again) == "The line is no longer open"


def test_a_deposit_proposed_from_a_line_is_matched_once_confirmed():
    line, maker = make_line(reference="FT9"), make_matcher("add_deposit")
    payment = incoming(reference="FT9")
    deposit = propose_record(line_id=line.pk, terms=payment, user=maker)
    assert state(line) == ("Proposed", deposit.pk, None, None)
    assert balance_of(payment.organisation_id, "KES") == 0
    deposits.confirm(deposit_id=deposit.pk, user=make_staff("decide_deposit"), reason=WHY)
    assert state(line) == ("Matched", deposit.pk, None, None)
    assert line.handled_by == maker
    assert balance_of(payment.organisation_id, "KES") == 100
    assert_books_hold()


@pytest.mark.parametrize("end", ["reject", "cancel"])
def test_a_deposit_that_is_not_confirmed_opens_the_line_again(end):
    line, maker = make_line(), make_matcher("add_deposit")
    deposit = propose_record(line_id=line.pk, terms=incoming(), user=maker)
    if end == "cancel":
        deposits.cancel(deposit_id=deposit.pk, user=maker)
    else:
        deposits.reject(deposit_id=deposit.pk, user=make_staff("decide_deposit"), reason="Wrong")
    assert state(line) == ("Open", None, None, None)
    assert (line.handled_by, line.handled_at) == (None, None)
    again = propose_record(line_id=line.pk, terms=incoming(), user=maker)
    assert state(line) == ("Proposed", again.pk, None, None)


def test_a_movement_proposed_from_a_line_follows_its_decision():
    make_member_wallet(500)
    line, maker = make_line("1000", "DBIT"), make_matcher("move_treasury")
    propose = partial(propose_record, line_id=line.pk, user=maker)
    first = propose(terms=terms("top_up", 1000))
    assert state(line) == ("Proposed", None, first.pk, None)
    reject_movement(movement_id=first.pk, reason="Wrong kind", user=treasurer())
    assert state(line) == ("Open", None, None, None)
    second = propose(terms=terms("top_up", 1000))
    confirm_movement(movement_id=second.pk, user=treasurer(), reason=WHY)
    assert state(line) == ("Matched", None, second.pk, None)
    assert_books_hold()


def test_an_entry_is_on_the_statement_as_what_arrived_or_left():
    user = make_matcher()
    charge, found = adjust(entry_terms()), adjust(_correction("60"))
    link = partial(confirm_match, kind=ENTRY, user=user)
    refuse(MatchDiffers, partial(link, line_id=make_line().pk, record_id=charge.pk))
    refuse(MatchDiffers, partial(link, line_id=make_line("60", "DBIT").pk, record_id=found.pk))
    today = str(timezone.now().date())
    for line, record in (
        (make_line("100", "DBIT", day=today), charge), (make_line("60", day=today), found),
    ):  # fmt: skip
        assert find_candidates(line) == [(ENTRY, record)]
        link(line_id=line.pk, record_id=record.pk)
        assert state(line) == ("Matched", None, None, record.pk)
    again = make_line("100", "DBIT", reference="again")
    assert refuse(MatchDiffers, partial(link, line_id=again.pk, record_id=charge.pk)) == (
        "The adjusting entry is matched with another line"
    )


def _correction(amount: str) -> AdjustmentTerms:
    return entry_terms(
        amount, kind=AdjustmentKind.CORRECTION, account=AdjustedAccount.FEES,
        direction=Direction.MORE,
    )  # fmt: skip


def test_an_entry_proposed_from_a_line_follows_its_decision():
    line, maker = make_line("100", "DBIT"), make_matcher("adjust_books")
    propose = partial(propose_record, line_id=line.pk, user=maker)
    for wrong in (entry_terms("99.99"), entry_terms(currency="NGN"), _correction("100")):
        refuse(InvalidRequest, partial(propose, terms=wrong))
    first = propose(terms=entry_terms())
    assert state(line) == ("Proposed", None, None, first.pk)
    reject_adjustment(entry_id=first.pk, reason="Booked by the bank in error", user=bookkeeper())
    assert state(line) == ("Open", None, None, None)
    second = propose(terms=entry_terms())
    confirm_adjustment(entry_id=second.pk, user=bookkeeper(), reason=WHY)
    assert state(line) == ("Matched", None, None, second.pk)
    assert_books_hold()


@pytest.mark.parametrize(
    ("kind", "direction"), [("top_up", "DBIT"), ("draw_down", "CRDT"), ("fee_payout", "CRDT")]
)
def test_a_movement_of_each_kind_is_proposed_from_a_line(kind, direction):
    line, maker = make_line("70", direction), make_matcher("move_treasury")
    movement = propose_record(line_id=line.pk, terms=terms(kind, 70), user=maker)
    assert state(line) == ("Proposed", None, movement.pk, None)
    other = make_line("70", "CRDT" if direction == "DBIT" else "DBIT")
    wrong = terms(kind, 70, reference="other way")
    refuse(InvalidRequest, partial(propose_record, line_id=other.pk, terms=wrong, user=maker))


def test_decisions_about_other_records_leave_a_line_alone():
    line, maker = make_line(), make_matcher("add_deposit")
    proposed = propose_record(line_id=line.pk, terms=incoming(), user=maker)
    make_deposit(reference="FT2")
    rejected = deposits.enter(payment=incoming(reference="FT3"), user=maker)
    deposits.cancel(deposit_id=rejected.pk, user=maker)
    assert state(line) == ("Proposed", proposed.pk, None, None)


def test_what_is_proposed_differs_in_nothing_from_the_line():
    line, maker = make_line(), make_matcher("add_deposit", "move_treasury")
    message = "The line is 100.00 KES, and the match differs"
    payment = incoming()
    for wrong in (replace(payment, amount=Decimal("100.01")), replace(payment, currency="NGN")):
        enter = partial(propose_record, line_id=line.pk, terms=wrong, user=maker)
        assert refuse(InvalidRequest, enter) == message
    wrong_terms = (
        terms("top_up", 100), terms("draw_down", 99), terms("draw_down", 100, currency="NGN"),
        terms("tax_remittance", 100),
    )  # fmt: skip
    for given in wrong_terms:
        act = partial(propose_record, line_id=line.pk, terms=given, user=maker)
        assert refuse(InvalidRequest, act) == message
    set_aside(line_id=line.pk, reason=WHY, user=maker)
    closed = "The line is set aside already"
    assert closed == refuse(
        StateConflict, partial(propose_record, line_id=line.pk, terms=payment, user=maker)
    )
    assert closed == refuse(
        StateConflict,
        partial(propose_record, line_id=line.pk, terms=terms("draw_down", 100), user=maker),
    )


def test_a_deposit_that_cannot_be_entered_leaves_the_line_open():
    make_deposit()
    line, maker = make_line(), make_matcher("add_deposit")
    payment = incoming()
    act = partial(propose_record, line_id=line.pk, terms=payment, user=maker)
    assert "has this reference" in refuse(Conflict, act)


def test_a_line_that_no_record_explains_is_set_aside_with_a_reason():
    line, user = make_line("5", "DBIT"), make_matcher()
    act = partial(set_aside, line_id=line.pk, user=user)
    refuse(InvalidRequest, partial(act, reason=" "))
    assert "at least 15 letters" in refuse(InvalidRequest, partial(act, reason="fee"))
    aside = act(reason=WHY)
    assert (aside.status, aside.reason, aside.handled_by) == ("Set aside", WHY, user)
    assert refuse(StateConflict, partial(act, reason=WHY)) == "The line is no longer open"
    opened = reopen(line_id=line.pk, user=user)
    assert (opened.status, opened.reason, opened.handled_by) == ("Open", "", None)
    assert refuse(StateConflict, partial(reopen, line_id=line.pk, user=user)) == (
        "The line is no longer set aside"
    )


def test_a_wrong_match_is_removed_and_the_record_stays():
    line, deposit, user = make_line(), make_deposit(), make_matcher()
    act = partial(remove_match, line_id=line.pk, user=user)
    assert refuse(StateConflict, act) == "The line is no longer matched"
    link = partial(confirm_match, line_id=line.pk, kind=DEPOSIT, record_id=deposit.pk, user=user)
    link()
    act()
    assert state(line) == ("Open", None, None, None)
    assert Deposit.objects.get(pk=deposit.pk).status == "Completed"
    link()


def test_a_match_of_a_proposal_is_not_removed_before_its_decision():
    line, maker = make_line(), make_matcher("add_deposit")
    propose_record(line_id=line.pk, terms=incoming(), user=maker)
    act = partial(remove_match, line_id=line.pk, user=maker)
    assert refuse(StateConflict, act) == "The line is no longer matched"


def test_only_those_who_may_match_do():
    line, deposit = make_line(), make_deposit()
    user = make_staff("add_deposit", "move_treasury", "adjust_books")
    payment = incoming(reference="FT2")
    for act in (
        partial(confirm_match, line_id=line.pk, kind=DEPOSIT, record_id=deposit.pk, user=user),
        partial(propose_record, line_id=line.pk, terms=payment, user=user),
        partial(propose_record, line_id=line.pk, terms=terms("draw_down", 100), user=user),
        partial(propose_record, line_id=line.pk, terms=_correction("100"), user=user),
        partial(set_aside, line_id=line.pk, reason=WHY, user=user),
        partial(reopen, line_id=line.pk, user=user),
        partial(remove_match, line_id=line.pk, user=user),
    ):
        refuse(Forbidden, act)
    matcher = make_matcher()
    for act in (
        partial(propose_record, line_id=line.pk, terms=payment, user=matcher),
        partial(propose_record, line_id=line.pk, terms=terms("draw_down", 100), user=matcher),
        partial(propose_record, line_id=line.pk, terms=_correction("100"), user=matcher),
    ):
        refuse(Forbidden, act)


def candidates(line: StatementLine) -> list[tuple[str, bool]]:
    return [(record.reference, record.same_reference) for _, record in find_candidates(line)]


def test_candidates_have_the_amount_and_the_reference_or_a_day_close_by():
    today = timezone.now().date()
    move(terms("draw_down", 100, reference="M-1")) if _funded() else None
    for reference in ("ＦＴ 77", "OTHER"):  # noqa: RUF001 - full-width letters
        make_deposit(reference=reference)
    make_deposit("100.5", "NEAR-AMOUNT")
    deposits.enter(payment=incoming(reference="PENDING"), user=make_staff("add_deposit"))
    line = make_line(day=str(today), reference="ft77")
    assert candidates(line) == [("ＦＴ 77", True), ("OTHER", False), ("M-1", False)]  # noqa: RUF001
    for apart, found in ((3, True), (4, False)):
        day = str(today - timedelta(days=apart))
        far = make_line(day=day)
        assert (candidates(far) == [("OTHER", False), ("ＦＴ 77", False), ("M-1", False)]) is found  # noqa: RUF001
    known = make_line(day="2026-01-05", reference="FT77", more=(
        "<NtryDtls><TxDtls><Refs><EndToEndId>other</EndToEndId></Refs></TxDtls></NtryDtls>"
    ))  # fmt: skip
    assert candidates(known) == [("OTHER", True), ("ＦＴ 77", True)]  # noqa: RUF001
    taken = Deposit.objects.get(reference="OTHER")
    confirm_match(line_id=known.pk, kind=DEPOSIT, record_id=taken.pk, user=make_matcher())
    assert candidates(line) == [("ＦＴ 77", True), ("M-1", False)]  # noqa: RUF001


def _funded() -> bool:
    make_member_wallet(500)
    move(terms("top_up", 1000, reference="FLOAT"))
    return True


def test_open_lines_are_summed_by_currency():
    make_account()
    make_account("Naira", "NG01", "NGN")
    first, _, third, _ = (
        make_line("100", day="2026-11-03"), make_line("7", "DBIT", day="2026-11-02"),
        make_line("5", day="2026-10-01"), _line_of("NG01", "NGN", "8", "CRDT"),
    )  # fmt: skip
    set_aside(line_id=third.pk, reason=WHY, user=make_matcher())
    found: list[Any] = [(t.currency, t.count, t.oldest, t.arrived, t.left) for t in open_totals()]
    assert found == [
        ("KES", 2, date(2026, 11, 2), 100, 7), ("NGN", 1, date(2026, 11, 2), 8, 0),
    ]  # fmt: skip
    assert first.status == "Open"


@pytest.mark.django_db(transaction=True)
def test_two_people_match_a_record_at_once_and_one_does():
    deposit = make_deposit()
    lines = [make_line(reference="A"), make_line(reference="B")]
    users = [make_matcher(), make_matcher()]

    def run(place: int) -> bool:
        try:
            confirm_match(
                line_id=lines[place].pk, kind=DEPOSIT, record_id=deposit.pk, user=users[place]
            )
        except MatchDiffers:
            return False
        return True

    calls = [start_call(partial(run, place)) for place in range(2)]
    assert sorted(call.result(timeout=30) for call in calls) == [False, True]
    assert StatementLine.objects.filter(deposit=deposit).count() == 1
