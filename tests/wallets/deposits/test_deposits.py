"""Deposits below the pages: what may be entered, who decides, and what moves when."""

from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from exchange.core.errors import (
    Conflict,
    DomainError,
    Forbidden,
    InvalidCurrency,
    InvalidRequest,
    Rejected,
)
from exchange.core.ids import uuid7
from exchange.core.numbers import MAX_NUMBER
from exchange.events.models import Event
from exchange.participants.models import Member
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.wallets import Wallet, assert_books_hold, make_staff
from wallets.deposits.models import Deposit
from wallets.deposits.services import manual as deposits
from wallets.deposits.services.manual import DEPOSITS, IncomingPayment
from wallets.ledger.models import Entry, Transfer

pytestmark = pytest.mark.django_db


@pytest.fixture
def member() -> Member:
    return make_member(make_organisation("Acme"), "Ada Obi")


@pytest.fixture
def payment(member: Member) -> IncomingPayment:
    return IncomingPayment(
        member.organisation_id, member.id, "KES", Decimal("90.02"), "bank-1", " the first payment "
    )


def test_money_is_booked_from_clearing_to_the_owner_at_once_or_when_it_is_confirmed(
    payment, member
):
    booked = deposits.book_deposit(payment=payment, actor=TESTER)
    assert (booked.status, booked.entered_by, booked.decided_by) == ("Completed", None, None)
    first, second = make_staff("add_deposit"), make_staff("decide_deposit")
    entered = deposits.enter(payment=replace(payment, reference="bank-2"), user=first)
    assert (entered.status, entered.note, entered.entered_by) == (
        "Pending",
        "the first payment",
        first,
    )
    wallet = Wallet(member.organisation, member)
    assert wallet.kes == (Decimal("90.02"), Decimal(0))
    confirmed = deposits.confirm(
        deposit_id=entered.id, user=second, reason="Both are on the statement"
    )
    assert (confirmed.status, confirmed.decided_by) == ("Completed", second)
    assert wallet.kes == (Decimal("180.04"), Decimal(0))
    events = Event.objects.filter(type="deposit.completed")
    assert [event.subject_id for event in events] == [confirmed.pk]
    for row, actor in ((booked, TESTER), (confirmed, f"staff:{second.pk}")):
        assert Deposit.objects.get(pk=row.pk).status == "Completed"
        transfer = Transfer.objects.get(subject_id=row.pk)
        assert (transfer.kind, transfer.reference) == ("deposit", f"deposit:{row.pk}")
        assert (transfer.actor, transfer.memo) == (str(actor), row.reference)
        legs = Entry.objects.filter(transfer=transfer).values_list("account__kind", "amount")
        assert dict(legs) == {"clearing": Decimal("-90.02"), "available": Decimal("90.02")}
    assert_books_hold()


def test_what_cannot_have_arrived_is_refused_by_the_field_it_is_about(payment, member):
    stranger = make_member(make_organisation())
    deposits.book_deposit(payment=payment, actor=TESTER)
    limits = "Enter an amount above 0"
    entered = f"{Deposit.objects.get().created_at:%Y-%m-%d %H:%M}"
    taken = f"The manual deposit bank-1 of {entered} UTC (Completed) has this reference"
    wrong: list[tuple[dict[str, Any], type[DomainError], str, str]] = [
        *(
            ({"amount": Decimal(amount)}, InvalidRequest, "amount", limits)
            for amount in ("0", "-1", "-0.5", "NaN", "Infinity")
        ),
        (
            {"amount": Decimal("1000000000000000.01")},
            InvalidRequest,
            "amount",
            "At most 1,000,000,000,000,000",
        ),
        (
            {"amount": Decimal("1.005")},
            InvalidRequest,
            "amount",
            "At most 2 decimals",
        ),
        ({"reference": " "}, InvalidRequest, "reference", "Enter the bank's reference"),
        (
            {"reference": "x" * 101},
            InvalidRequest,
            "reference",
            "At most 100 characters",
        ),
        *(
            (
                {"member_id": other},
                InvalidRequest,
                "member",
                "The member does not belong to the organisation",
            )
            for other in (stranger.id, uuid7())
        ),
        ({"reference": "bank-1", "amount": Decimal(7)}, Conflict, "reference", taken),
    ]
    acts = (
        partial(deposits.book_deposit, actor=TESTER),
        partial(deposits.enter, user=make_staff("add_deposit")),
    )
    with assert_no_table_changes():
        for change, error, field, message in wrong:
            for act in acts:
                with pytest.raises(error) as refused:
                    act(payment=replace(payment, **{"reference": "new", **change}))
                assert refused.value.fields == {field: message}, change
                assert refused.value.message == message
        with pytest.raises(InvalidCurrency):
            deposits.book_deposit(payment=replace(payment, currency="EUR"), actor=TESTER)


def test_the_smallest_and_the_largest_amounts_arrive_with_the_longest_words(payment):
    note = "x" * 300
    for number, amount in enumerate((Decimal("0.01"), Decimal(1), MAX_NUMBER)):
        reference = f"{number}".rjust(100, "x")
        given = replace(payment, amount=amount, reference=reference, note=note, member_id=None)
        row = deposits.book_deposit(payment=given, actor=TESTER)
        assert (row.amount, row.reference, row.note) == (amount, reference, note)
        assert row.owner_id == payment.organisation_id
    assert_books_hold()
    with pytest.raises(InvalidRequest) as refused:
        deposits.book_deposit(payment=replace(payment, note=note + "x"), actor=TESTER)
    assert refused.value.message == "The text must have at most 300 characters, not 301"


def test_each_decision_about_a_deposit_needs_its_own_permission(payment):
    entered = deposits.enter(payment=payment, user=make_staff("add_deposit"))
    other = replace(payment, reference="bank-2")
    entering, deciding = make_staff("add_deposit"), make_staff("decide_deposit")
    with assert_no_table_changes():
        for act, person, verb in (
            (partial(deposits.enter, payment=other), deciding, "enter"),
            (partial(deposits.cancel, deposit_id=entered.id), deciding, "cancel"),
            (partial(deposits.confirm, deposit_id=entered.id), entering, "confirm"),
            (partial(deposits.reject, deposit_id=entered.id, reason="no"), entering, "reject"),
        ):
            with pytest.raises(Forbidden) as refused:
                act(user=person)
            assert refused.value.message == f"You may not {verb} deposits"


def test_only_another_person_confirms_and_only_the_person_who_entered_cancels(payment):
    person, other = make_staff(), make_staff()
    row = deposits.enter(payment=payment, user=person)
    with assert_no_table_changes():
        with pytest.raises(Rejected) as refused:
            deposits.confirm(deposit_id=row.id, user=person)
        assert (
            refused.value.message
            == "Someone other than the person who entered it must confirm this"
        )
        with pytest.raises(Forbidden) as forbidden:
            deposits.cancel(deposit_id=row.id, user=other)
    assert forbidden.value.message == "Only the person who entered the deposit can cancel it"
    cancelled = deposits.cancel(deposit_id=row.id, user=person)
    assert (cancelled.status, cancelled.state, cancelled.decided_by) == (
        "Failed", "Cancelled", person,
    )  # fmt: skip
    again = deposits.enter(payment=payment, user=person)
    rejected = deposits.reject(deposit_id=again.id, user=other, reason=" not ours ")
    assert (rejected.status, rejected.decided_by, rejected.reason) == (
        "Failed", other, "not ours",
    )  # fmt: skip
    assert rejected.state == "Rejected"
    own = deposits.enter(payment=payment, user=person)
    assert deposits.reject(deposit_id=own.id, user=person, reason="typo").state == "Rejected"
    assert not Transfer.objects.exists()


def test_entries_of_ones_own_are_those_of_that_person(payment):
    people = make_staff(), make_staff()
    for number, person in enumerate(people):
        other = replace(payment, reference=f"bank-{number}", amount=Decimal(number + 1))
        deposits.enter(payment=other, user=person)
    for number, person in enumerate(people):
        found = DEPOSITS.pending_records().filter(DEPOSITS.proposed_by(person))
        assert list(found.values_list("reference", flat=True)) == [f"bank-{number}"]
