"""Treasury movements: two people, the legs of each kind, and what may leave the provider."""

from decimal import Decimal
from functools import partial

import pytest
from django.db import connection, transaction

from exchange.core.errors import (
    Conflict,
    Forbidden,
    InvalidCurrency,
    InvalidRequest,
    Rejected,
    StateConflict,
)
from exchange.core.numbers import MAX_NUMBER
from tests.assertions.books import close_transfers
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.concurrency import start_call
from tests.environment.database import session
from tests.environment.owner import as_owner
from tests.environment.processes import wait_until
from tests.factories.conversions import convert, set_rates
from tests.factories.treasury import (
    closing,
    make_debt,
    move,
    system_balance,
    terms,
    treasurer,
)
from tests.factories.wallets import assert_books_hold, make_member_wallet, make_staff
from wallets.ledger.checkpoint import closed_position, renew_checkpoint
from wallets.ledger.models import ConversionPosition, Transfer
from wallets.treasury.errors import BeyondFeeIncome, BeyondOwnFunds, BeyondPosition
from wallets.treasury.export_columns import TREASURY_MOVEMENTS
from wallets.treasury.models import TreasuryMovement
from wallets.treasury.selectors import TreasuryBalances, treasury_balances
from wallets.treasury.services import confirm_movement, propose_movement, reject_movement

pytestmark = pytest.mark.django_db

WHY = "Compared with the statement"


def balances(currency: str = "KES") -> dict[str, Decimal]:
    kinds = ("clearing", "treasury", "fees", "expenses", "position")
    found = {kind: system_balance(kind, currency) for kind in kinds}
    return {kind: amount for kind, amount in found.items() if amount}


def position(currency: str) -> Decimal:
    return ConversionPosition.objects.get(currency_id=currency).amount


def is_waiting() -> bool:
    """Return whether a session of this database waits for an advisory lock."""
    with session("owner") as watch:
        row = watch.execute(
            "SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE NOT l.granted AND l.locktype = 'advisory' AND d.datname = current_database())"
        ).fetchone()
    assert row is not None
    return bool(row[0])


def test_a_top_up_and_a_draw_down_move_the_exchanges_own_money():
    make_member_wallet(500)
    moved = move(terms("top_up", 1000, charge=Decimal("5.5")))
    assert balances() == {
        "clearing": Decimal("-1494.5"), "treasury": 1000, "expenses": Decimal("-5.5"),
    }  # fmt: skip
    assert treasury_balances("KES") == TreasuryBalances(
        Decimal(0), Decimal(0), Decimal(1000), Decimal("994.5"), Decimal(0)
    )
    transfer = Transfer.objects.get(subject_id=moved.pk)
    assert (transfer.kind, transfer.reference, transfer.memo) == (
        "treasury", f"treasury:{moved.pk}", "BANK-top_up",
    )  # fmt: skip
    assert transfer.actor == f"staff:{moved.decided_by_id}"
    move(terms("draw_down", 300, charge=Decimal(2)))
    assert balances() == {
        "clearing": Decimal("-1192.5"), "treasury": 700, "expenses": Decimal("-7.5"),
    }  # fmt: skip
    assert_books_hold()


def test_client_money_is_never_drawn_down():
    make_member_wallet(5000)
    move(terms("top_up", 100))
    proposed = propose_movement(
        terms=terms("draw_down", 100, charge=Decimal("0.01")), user=treasurer()
    )
    approver = treasurer()
    with assert_no_table_changes(), pytest.raises(BeyondOwnFunds) as refused:
        confirm_movement(movement_id=proposed.pk, user=approver)
    assert refused.value.message == (
        "The exchange's own money at the payment provider is 100.00 KES. The rest belongs to"
        " clients"
    )
    move(terms("draw_down", 100, reference="whole"))
    assert balances() == {"clearing": -5000}
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_of_two_draw_downs_at_once_the_second_sees_what_the_first_left():
    move(terms("top_up", 100))
    first, second = (
        propose_movement(terms=terms("draw_down", 60, reference=name), user=treasurer())
        for name in ("first", "second")
    )
    people = treasurer(), treasurer()
    with transaction.atomic():
        confirm_movement(movement_id=first.pk, user=people[0], reason=WHY)
        late = start_call(
            partial(confirm_movement, movement_id=second.pk, user=people[1], reason=WHY)
        )
        wait_until(is_waiting, "the second waits for the first")
    with pytest.raises(BeyondOwnFunds):
        late.result(60)
    assert treasury_balances("KES").own == 40
    assert_books_hold()


def test_what_owners_owe_is_not_there_to_be_drawn_down():
    make_debt(40)
    make_debt(7, "NGN")
    move(terms("top_up", 100))
    assert treasury_balances("KES").own == 60
    with pytest.raises(BeyondOwnFunds):
        move(terms("draw_down", 61))
    move(terms("draw_down", 60, reference="rest"))
    assert_books_hold()


def earn_fees() -> None:
    """Convert 150,000 NGN into 99 USD, with a spread of 1 USD."""
    set_rates()
    convert(make_member_wallet(150_000, currency="NGN"), 150_000)


def test_fee_income_is_paid_out_as_far_as_it_was_earned():
    earn_fees()
    move(terms("top_up", 100, currency="USD"))
    proposed = propose_movement(terms=terms("fee_payout", "1.01", currency="USD"), user=treasurer())
    approver = treasurer()
    with assert_no_table_changes(), pytest.raises(BeyondFeeIncome) as refused:
        confirm_movement(movement_id=proposed.pk, user=approver)
    assert refused.value.message == "Fee income not yet paid out is 1.00 USD"
    move(terms("fee_payout", 1, currency="USD", reference="all of it"))
    assert balances("USD") == {"clearing": -99, "treasury": 100, "position": -100}
    assert_books_hold()


def test_fee_income_that_is_not_at_the_provider_is_not_paid_out():
    earn_fees()
    with pytest.raises(BeyondOwnFunds) as refused:
        move(terms("fee_payout", 1, currency="USD"))
    assert "own money at the payment provider is -99.00 USD" in refused.value.message
    assert_books_hold()


@pytest.mark.parametrize(
    ("bought", "result"),
    [
        ("99.50", {"fees": 1, "expenses": Decimal("-0.5")}),
        ("102", {"fees": 3}),
        ("100", {"fees": 1}),
    ],
)
def test_a_position_is_closed_with_a_loss_a_gain_or_neither(bought, result):
    earn_fees()
    moved = move(closing(150_000, bought, 100))
    assert balances("NGN") == {"clearing": -150_000, "treasury": 150_000}
    assert balances("USD") == {"treasury": -Decimal(bought), **result}
    assert [position("NGN"), position("USD")] == [0, 0]
    assert Transfer.objects.filter(subject_id=moved.pk).count() == 1
    # The sold money leaves the provider, and the bought one arrives there.
    move(terms("draw_down", 150_000, currency="NGN"))
    move(terms("top_up", bought, currency="USD"))
    assert balances("NGN") == {}
    assert balances("USD") == {"clearing": -99 - sum(result.values()), **result}
    assert_books_hold()


@pytest.mark.parametrize(
    ("sold", "closed", "currency", "held"),
    [("150000.01", "100", "NGN", "150,000.00"), ("150000", "100.01", "USD", "-100.00")],
)
def test_a_position_is_closed_and_not_turned(sold, closed, currency, held):
    earn_fees()
    proposed = propose_movement(terms=closing(sold, 100, closed), user=treasurer())
    approver = treasurer()
    with assert_no_table_changes(), pytest.raises(BeyondPosition) as refused:
        confirm_movement(movement_id=proposed.pk, user=approver)
    assert f"The position in {currency} is {held} {currency}" in refused.value.message
    assert [position("NGN"), position("USD")] == [150_000, -100]


# Its movements are committed: a checkpoint has no open transaction.
@pytest.mark.django_db(transaction=True)
def test_the_balances_are_the_same_before_and_after_a_checkpoint():
    earn_fees()
    move(closing(75_000, 49, 50))
    expected = treasury_balances("USD")
    wanted = (Decimal(1), Decimal(-50), Decimal(-49), Decimal(-99), Decimal(0))
    assert expected == TreasuryBalances(*wanted)
    move(terms("top_up", 5, currency="USD"))
    expected = treasury_balances("USD")
    close_transfers()
    renew_checkpoint(closed_position())
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM wallets_checkpointbalance WHERE total <> 0")
        assert cursor.fetchone()[0] > 4
    assert treasury_balances("USD") == expected
    move(terms("top_up", 1, currency="USD", reference="BANK-2"))
    assert treasury_balances("USD").treasury == expected.treasury + 1


def test_a_currency_without_movements_has_balances_of_zero():
    make_member_wallet(500)
    assert treasury_balances("GHS") == TreasuryBalances(*[Decimal(0)] * 5)


@pytest.mark.django_db(transaction=True)
def test_a_movement_at_the_position_of_the_checkpoint_counts_once():
    move(terms("top_up", 100))
    moved = move(terms("top_up", 50, reference="later"))
    expected = treasury_balances("KES")
    position = Transfer.objects.get(subject_id=moved.pk).created_txid
    with as_owner(rollback=True) as cursor:
        cursor.execute("DELETE FROM wallets_checkpoint; DELETE FROM wallets_checkpointbalance")
        cursor.execute(
            "INSERT INTO wallets_checkpoint (id, position, taken_at) VALUES (1, %s, now())",
            [position],
        )
        cursor.execute(
            "INSERT INTO wallets_checkpointbalance (account_id, total, entries, digest)"
            " SELECT * FROM entries_by_account(0, %s)",
            [position],
        )
        cursor.execute("SELECT treasury, own FROM treasury_balances('KES')")
        assert cursor.fetchone() == (expected.treasury, expected.own)


def test_a_movement_takes_two_people_who_may_and_a_reason_to_reject():
    person, stranger = treasurer(), make_staff("decide_deposit")
    proposed = propose_movement(terms=terms("top_up", 1000), user=person)
    with assert_no_table_changes():
        for attempt, error in (
            (lambda: confirm_movement(movement_id=proposed.pk, user=person), Rejected),
            (lambda: confirm_movement(movement_id=proposed.pk, user=stranger), Forbidden),
            (lambda: propose_movement(terms=terms("top_up", 1), user=stranger), Forbidden),
            (
                lambda: reject_movement(movement_id=proposed.pk, reason="x", user=stranger),
                Forbidden,
            ),
            (
                lambda: reject_movement(movement_id=proposed.pk, reason=" ", user=person),
                InvalidRequest,
            ),
        ):
            with pytest.raises(error):
                attempt()
    reject_movement(movement_id=proposed.pk, reason="not on the statement", user=treasurer())
    with pytest.raises(StateConflict):
        confirm_movement(movement_id=proposed.pk, user=treasurer())
    assert balances() == {}
    # A rejected one does not take its reference.
    move(terms("top_up", 1000))
    assert TreasuryMovement.objects.count() == 2
    assert_books_hold()


def test_the_reference_of_the_bank_is_once_for_each_kind():
    first = move(terms("top_up", 100, reference=" BANK-7 "))
    person = treasurer()
    with assert_no_table_changes(), pytest.raises(Conflict) as refused:
        propose_movement(terms=terms("top_up", 200, reference="BANK-7"), user=person)
    assert refused.value.fields == {
        "reference": f"The treasury movement BANK-7 of {first.created_at:%Y-%m-%d %H:%M} UTC"
        " (Approved) has this reference"
    }
    move(terms("draw_down", 50, reference="BANK-7"))


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        (terms("top_up", 0), "amount"),
        (terms("top_up", "NaN"), "amount"),
        (terms("top_up", "1.005"), "amount"),
        (terms("top_up", 100, reference=" "), "reference"),
        (terms("top_up", 100, reference="x" * 101), "reference"),
        (terms("top_up", 100, charge=Decimal(100)), "charge"),
        (terms("draw_down", 100, charge=Decimal("0.001")), "charge"),
        (terms("draw_down", 100, position=closing(1, 1, 1).position), "bought_currency"),
        (terms("position_close", 100), "bought_currency"),
        (terms("position_close", 1, currency="USD", position=closing(1, 1, 1).position),
         "bought_currency"),
        (closing(1, 0, 1), "bought_amount"),
        (closing(1, 1, "-1"), "closed_amount"),
        (closing(1, 1, 1, charge=Decimal(1)), "charge"),
    ],
)  # fmt: skip
def test_terms_that_cannot_be_are_refused(wanted, field):
    person = treasurer()
    with assert_no_table_changes(), pytest.raises(InvalidRequest) as refused:
        propose_movement(terms=wanted, user=person)
    assert list(refused.value.fields) == [field]


def test_the_longest_reference_and_the_largest_amount_are_taken():
    movement = propose_movement(
        terms=terms("top_up", str(MAX_NUMBER), reference="x" * 100, note="y" * 300),
        user=treasurer(),
    )
    movement.refresh_from_db()
    assert movement.amount == MAX_NUMBER
    assert (len(movement.reference), len(movement.note)) == (100, 300)


def test_each_column_of_the_export_has_its_value():
    moved = move(terms("top_up", 500, charge=Decimal(2)))
    closed = propose_movement(terms=closing(100, 50, 40), user=treasurer())
    values = [
        {column.heading: column.value(each) for column in TREASURY_MOVEMENTS}
        for each in (moved, closed)
    ]
    wanted = {
        "Kind": ("Float top-up", "Closing of a position"),
        "Status": ("Approved", "Pending"),
        "Reference": ("BANK-top_up", "BANK-position_close"),
        "Currency": ("KES", "NGN"),
        "Amount": (500, 100),
        "Provider's charge": (2, 0),
        "Bought currency": ("", "USD"),
        "Bought amount": (None, 50),
        "Position closed": (None, 40),
        "Note": ("Float for the payouts", "Float for the payouts"),
        "Proposed by": (str(moved.proposed_by), str(closed.proposed_by)),
        "Decided by": (str(moved.decided_by), ""),
        "Movement ID": (str(moved.pk), str(closed.pk)),
    }
    for heading, expected in wanted.items():
        assert tuple(each[heading] for each in values) == expected, heading


def test_a_currency_without_wallets_and_a_missing_note_are_refused():
    person = treasurer()
    with pytest.raises(InvalidCurrency):
        propose_movement(terms=terms("top_up", 1, currency="EUR"), user=person)
    with pytest.raises(InvalidRequest, match="Enter a note"):
        propose_movement(terms=terms("top_up", 1, note=" "), user=person)
    assert not TreasuryMovement.objects.exists()
