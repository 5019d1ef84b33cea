"""SQL guards of settings changes, and the functions that read effective settings."""

from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from exchange.core.ids import uuid7
from tests.assertions.statement_results import ACCEPTED, create_guarded_table, try_statement
from tests.factories.plain_sql import Books

COLUMNS = (
    "id int, configuration_id text, value numeric, created_at timestamptz, status text,"
    " reason text, effective_from timestamptz, effective_at timestamptz,"
    " proposed_by_id int, decided_by_id int, decided_at timestamptz, decision_note text,"
    " cancellation_requested_by_id int, cancelled_by_id int"
)
BEGINS, TRANSITION, DECISION = (
    "setting_change_starts_empty",
    "setting_change_transition",
    "setting_change_decision",
)
IN_FORCE, BY_TWO = "setting_change_effective", "setting_change_cancelled_by_two"
STATES = ["Pending", "Approved", "Rejected", "Withdrawn", "Cancelled"]
LATER = "clock_timestamp() + interval '1 hour'"


@pytest.fixture
def changes_table(books: Books) -> Books:
    create_guarded_table(books.owner, COLUMNS, "setting_change_guard()")
    return books


def results(changes_table: Books, setup: str, changes: list[str]) -> dict[str, str]:
    """What becomes of each change to a row of person 1 that is set up like that."""
    with changes_table.unguarded():
        changes_table.owner.execute("TRUNCATE given")
        changes_table.owner.execute(
            "INSERT INTO given (id, status, reason, proposed_by_id, decision_note)"
            " VALUES (1, 'Pending', 'why', 1, '')"
        )
        changes_table.owner.execute(f"UPDATE given SET {setup}")
    return {
        change: try_statement(changes_table.owner, f"UPDATE given SET {change}")
        for change in changes
    }


def test_a_change_starts_with_a_reason_and_no_decision(changes_table):
    expected = {
        ("why", "NULL", None, None): ACCEPTED,
        ("", "NULL", None, None): BEGINS,
        ("why", LATER, None, None): BEGINS,
        ("why", "NULL", 2, None): BEGINS,
        ("why", "NULL", None, 3): BEGINS,
        ("why", LATER, 2, 3): BEGINS,
        ("", LATER, 2, 3): BEGINS,
    }
    assert {
        row: try_statement(
            changes_table.owner,
            "INSERT INTO given (id, status, reason, proposed_by_id, effective_at,"
            " cancellation_requested_by_id, cancelled_by_id)"
            f" VALUES (1, 'Pending', %s, 1, {row[1]}, %s, %s)",
            [row[0], row[2], row[3]],
        )
        for row in expected
    } == expected


def test_only_known_transitions_are_accepted(changes_table):
    legal = {
        ("Pending", "Approved"), ("Pending", "Rejected"), ("Pending", "Withdrawn"),
        ("Approved", "Approved"), ("Approved", "Cancelled"),
    }  # fmt: skip
    found = {}
    for before, after in product(STATES, STATES):
        # All other requirements of a decision are met.
        when = LATER if after in {"Approved", "Cancelled"} else "NULL"
        change = (
            f"status = '{after}', decided_by_id = {1 if after == 'Withdrawn' else 2},"
            f" decided_at = now(), decision_note = 'no', effective_at = {when}"
        )
        [found[before, after]] = results(changes_table, f"status = '{before}'", [change]).values()
    assert found == {
        pair: ACCEPTED if pair in legal else TRANSITION for pair in product(STATES, STATES)
    }


def test_a_decision_is_complete_and_effective_no_earlier_than_approval(changes_table):
    approved = "status = 'Approved', decided_by_id = 2, decided_at = now()"
    rejected = "status = 'Rejected', decided_by_id = 2, decided_at = now()"
    back = "status = 'Withdrawn', decided_at = now(), decided_by_id ="
    at_once, note = "effective_at = now()", "decision_note = 'no'"
    expected = {
        f"{approved}, {at_once}": ACCEPTED,
        f"{approved}, effective_at = {LATER}": ACCEPTED,
        f"{approved}, {at_once}, {note}": ACCEPTED,
        f"{approved}, {at_once}, effective_from = now()": ACCEPTED,
        f"{approved}, {at_once}, effective_from = now() - interval '1 microsecond'": ACCEPTED,
        f"{approved}, {at_once}, effective_from = now() + interval '1 microsecond'": DECISION,
        f"{approved}, effective_at = now() - interval '1 microsecond'": DECISION,
        approved: DECISION,
        f"status = 'Approved', decided_at = now(), {at_once}": DECISION,
        f"status = 'Approved', decided_by_id = 2, {at_once}": DECISION,
        f"{approved}, {at_once}, cancellation_requested_by_id = 3": DECISION,
        f"{rejected}, {note}": ACCEPTED,
        rejected: DECISION,
        f"{rejected}, {note}, effective_at = {LATER}": DECISION,
        f"{back} 1": ACCEPTED,
        f"{back} 1, {note}": ACCEPTED,
        f"{back} 2": DECISION,
        f"{back} 1, effective_at = {LATER}": DECISION,
    }
    assert results(changes_table, "id = id", list(expected)) == expected


def test_an_approved_change_is_cancelled_only_before_it_is_effective(changes_table):
    withdrawn = "status = 'Cancelled', cancelled_by_id = 4"
    asked = "status = 'Approved', cancellation_requested_by_id = 3"
    ahead = {
        "reason = 'other'": ACCEPTED,
        "cancellation_requested_by_id = 4": ACCEPTED,
        "cancellation_requested_by_id = NULL": ACCEPTED,
        withdrawn: ACCEPTED,
        f"{withdrawn}, cancellation_requested_by_id = 4": BY_TWO,
        f"{withdrawn}, cancellation_requested_by_id = NULL": BY_TWO,
        "effective_at = clock_timestamp()": IN_FORCE,
    }
    setup = f"{asked}, effective_at = {LATER}"
    assert results(changes_table, setup, list(ahead)) == ahead
    # So it is not one person who asks and withdraws in a single step.
    one_step = {f"{withdrawn}, cancellation_requested_by_id = 3": BY_TWO}
    setup = f"status = 'Approved', effective_at = {LATER}"
    assert results(changes_table, setup, list(one_step)) == one_step
    # After the transaction began, and past by now.
    setup = f"{asked}, effective_at = clock_timestamp()"
    passed = {"reason = 'other'": IN_FORCE, withdrawn: IN_FORCE}
    assert results(changes_table, setup, list(passed)) == passed


def keys(books: Books, **values: str) -> None:
    """Keys of the configuration and their first changes_table."""
    for key, value in values.items():
        books.insert("wallets_configuration", key=key, value=value)


def insert_change(books: Books, key: str, value: str, when: str, **given: Any) -> None:
    """Insert a change, approved unless `given` says otherwise, effective at `when`."""
    books.insert(
        "wallets_settingchange",
        configuration_id=key,
        value=value,
        effective_at=books.value(f"SELECT {when}"),
        **{"status": "Approved", "decided_at": books.value("SELECT now()")} | given,
    )


def changes_in_other_states(books: Books, key: str) -> None:
    for status in ("Pending", "Rejected", "Withdrawn", "Cancelled"):
        people = {"cancellation_requested_by_id": uuid7(), "cancelled_by_id": uuid7()}
        insert_change(books, key, "99", "now() - interval '1 hour'", status=status, **people)


def test_the_effective_value_is_the_latest_approved_one_up_to_then(books):
    keys(books, ONE="1", TWO="2")
    insert_change(books, "ONE", "15", "now() - interval '3 days'")
    insert_change(books, "ONE", "13", "now() - interval '2 days'")
    insert_change(books, "ONE", "11", "now()")
    insert_change(books, "ONE", "19", "now() + interval '1 microsecond'")
    changes_in_other_states(books, "ONE")
    expected = {
        "now() - interval '3 days 1 microsecond'": 1,
        "now() - interval '3 days'": 15,
        "now() - interval '2 days 1 microsecond'": 15,
        "now() - interval '2 days'": 13,
        "now() - interval '1 microsecond'": 13,
        "now()": 11,
        "now() + interval '1 microsecond'": 19,
        "now() + interval '1 day'": 19,
    }
    assert {
        when: books.value(f"SELECT effective_setting('ONE', {when})") for when in expected
    } == expected
    [row] = books.rows(
        "SELECT effective_setting('ONE'), effective_setting('TWO'), effective_setting('SIX')"
    )
    # By the clock, which has gone on since the transaction began.
    assert row == (19, 2, None)
    # Of two from the same instant on, the one that was decided later.
    insert_change(
        books, "ONE", "12", "now()", decided_at=books.value("SELECT now() + interval '1 s'")
    )
    assert books.value("SELECT effective_setting('ONE', now())") == 12


def withdrawal_settings(books: Books, currency: str) -> tuple[Any, ...]:
    """Minimum, fee, USD rate, amount from which two approve, and internal fee."""
    [row] = books.rows("SELECT * FROM withdrawal_settings(%s)", [currency])
    return tuple(row)


def test_a_withdrawal_uses_the_settings_of_its_currency(books):
    assert withdrawal_settings(books, "ZZZ") == (1, 0, None, None, 0)
    keys(
        books, MINIMUM_WITHDRAWAL_ZZZ="20", ZZZ_WITHDRAWAL_FEE="3", ZZZ_USD_RATE="0.5",
        SECOND_APPROVAL_ABOVE_ZZZ="400", ZZZ_INTERNAL_FEE="7", ZZZ_OTHER="999",
    )  # fmt: skip
    assert withdrawal_settings(books, "ZZZ") == (20, 3, Decimal("0.5"), 400, 7)
    assert withdrawal_settings(books, "YYY") == (1, 0, None, None, 0)


def test_the_least_minimum_is_one_and_a_rate_of_zero_is_none(books):
    keys(books, MINIMUM_WITHDRAWAL_ZZZ="0.5", ZZZ_USD_RATE="0")
    assert withdrawal_settings(books, "ZZZ") == (1, 0, None, None, 0)
    keys(books, MINIMUM_WITHDRAWAL_YYY="1.5", YYY_USD_RATE="1")
    assert withdrawal_settings(books, "YYY") == (Decimal("1.5"), 0, 1, None, 0)


def test_a_withdrawal_uses_the_settings_effective_at_transaction_start(books):
    keys(books, ZZZ_WITHDRAWAL_FEE="1", ZZZ_INTERNAL_FEE="2")

    def fee() -> Any:
        return withdrawal_settings(books, "ZZZ")[1]

    for value, when in (("15", "3 days"), ("13", "2 days")):
        insert_change(books, "ZZZ_WITHDRAWAL_FEE", value, f"now() - interval '{when}'")
    insert_change(books, "ZZZ_WITHDRAWAL_FEE", "19", "now() + interval '1 microsecond'")
    changes_in_other_states(books, "ZZZ_WITHDRAWAL_FEE")
    assert fee() == 13
    insert_change(books, "ZZZ_WITHDRAWAL_FEE", "11", "now()")
    assert withdrawal_settings(books, "ZZZ") == (1, 11, None, None, 2)
    insert_change(books, "ZZZ_WITHDRAWAL_FEE", "5", "now()",
           decided_at=books.value("SELECT now() + interval '1 s'"))  # fmt: skip
    assert fee() == 5
