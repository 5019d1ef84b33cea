"""The database's guard of withdrawals: every boundary case, one statement each, by the owner.

The row is first prepared with triggers disabled; everything is rolled back.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from psycopg import errors

from exchange.core.ids import uuid7
from tests.assertions.ledger import copy_withdrawal
from tests.environment.database import Connection, session
from tests.factories.configuration import set_setting
from tests.factories.wallets import make_staff, make_wallet, store_bank_list
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)

FIRST, SECOND = "first_approver_id = %(a)s", "second_approver_id = %(b)s"
BOTH = f"{FIRST}, {SECOND}"
RESTRICTED, PEOPLE = "restrict_violation", "withdrawal_approved_by_enough"


class Guarded:
    """A Pending withdrawal of 500 KES, and two people."""

    def __init__(self, owner: Connection) -> None:
        store_bank_list()
        self.owner = owner
        self.withdrawal: Withdrawal = make_wallet(1000).request(500)
        self.people = {"id": self.withdrawal.id, "a": make_staff().pk, "b": make_staff().pk}

    def without_guards(self, *statements: str) -> None:
        self.owner.execute("SET LOCAL session_replication_role = replica")
        for statement in statements:
            self.owner.execute(statement, self.people)
        self.owner.execute("SET LOCAL session_replication_role = origin")

    def response(self, setup: str, change: str, *statements: str) -> str:
        """What refuses the change of a row set up like that; nothing if it is taken."""
        with self.owner.transaction(force_rollback=True):
            update = "UPDATE wallets_withdrawal SET {} WHERE id = %(id)s"
            self.without_guards(*([update.format(setup)] if setup else []), *statements)
            return refusal(self.owner, update.format(change), self.people)


def refusal(owner: Connection, statement: str, values: Any) -> str:
    try:
        owner.execute(statement, values)
    except (errors.CheckViolation, errors.RestrictViolation) as error:
        return error.diag.constraint_name or RESTRICTED
    return ""


@pytest.fixture
def guarded() -> Iterator[Guarded]:
    with session("owner") as owner:
        yield Guarded(owner)
        owner.rollback()


def found(guarded: Guarded, cases: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [(setup, change, guarded.response(setup, change)) for setup, change, _ in cases]


def refusal_of_copy(guarded: Guarded, changes: dict[str, Any]) -> str:
    """What refuses the insert of another withdrawal with these changes."""
    with guarded.owner.transaction(force_rollback=True):
        try:
            copy_withdrawal(guarded.owner, guarded.withdrawal.id, **changes)
        except errors.CheckViolation as error:
            return error.diag.constraint_name or RESTRICTED
    return ""


def test_a_withdrawal_is_inserted_pending_and_undecided(guarded):
    cases: list[tuple[dict[str, Any], bool]] = [
        ({}, True),
        ({"approvals_needed": 2}, True),
        ({"approvals_needed": 0}, False),
        ({"approvals_needed": 3}, False),
        ({"status": "Approved"}, False),
        ({"version": 0}, False),
        ({"version": 2}, False),
        ({"actioned_on": "2026-01-01T00:00:00Z"}, False),
        ({"first_approver_id": guarded.people["a"]}, False),
        ({"second_approver_id": guarded.people["b"]}, False),
    ]
    for changes, taken in cases:
        refused = "" if taken else "withdrawal_starts_pending"
        assert (changes, refusal_of_copy(guarded, changes)) == (changes, refused)


def test_the_request_never_changes_and_nothing_is_removed(guarded):
    for change in (
        f"id = '{uuid7()}'", f"organisation_id = '{uuid7()}'", f"member_id = '{uuid7()}'",
        "reference = 'other'", "currency_id = 'NGN'", "amount = amount + 1", "fee = fee + 1",
        "disburse_amount = disburse_amount - 1", "gusd_amount = 1", "internal_fee = 1",
        "internal_fee_type = 'X'", f"bank_id = '{uuid7()}'", "requested_by = 'other'",
        "created_at = now() - interval '1 day'", "client_reference = 'x'", "metadata = '{}'",
    ):  # fmt: skip
        assert (change, guarded.response("", change)) == (change, RESTRICTED)
    removed = pytest.raises(errors.RestrictViolation, match="withdrawals are never removed")
    with removed, guarded.owner.transaction(force_rollback=True):
        guarded.owner.execute("DELETE FROM wallets_withdrawal WHERE id = %(id)s", guarded.people)


def test_the_first_approval_alone_raises_how_many_are_needed(guarded):
    raised = "approvals_needed = 2, version = 2"
    cases = [
        ("", f"{raised}, {FIRST}", ""),
        ("", raised, RESTRICTED),
        (FIRST, raised, RESTRICTED),
        ("", f"{raised}, {BOTH}, status = 'Approved'", RESTRICTED),
        ("", f"approvals_needed = 3, version = 2, {FIRST}", RESTRICTED),
        ("approvals_needed = 0", f"{raised}, {FIRST}", RESTRICTED),
        ("approvals_needed = 2", f"approvals_needed = 1, version = 2, {FIRST}", RESTRICTED),
    ]
    assert found(guarded, cases) == cases


LEGAL = {
    ("Pending", "Approved"), ("Pending", "Rejected"), ("Pending", "Cancelled"),
    ("Approved", "Processing"), ("Processing", "Completed"), ("Processing", "Failed"),
    ("Processing", "Unknown"), ("Processing", "Approved"), ("Unknown", "Completed"),
    ("Unknown", "Failed"), ("Unknown", "Approved"), ("Completed", "Reversed"),
}  # fmt: skip


def test_every_pair_of_states_is_taken_or_refused_as_decided(guarded):
    states = ["Pending", "Approved", "Processing", "Unknown", "Completed", "Failed", "Rejected",
              "Cancelled", "Reversed"]  # fmt: skip
    for before in states:
        for after in states:
            if before == after:
                continue
            wanted = "" if (before, after) in LEGAL else "withdrawal_transition"
            if (before, after) == ("Approved", "Rejected"):
                wanted = "withdrawal_returned_by_two"
            setup = f"status = '{before}', {BOTH}"
            response = guarded.response(setup, f"status = '{after}', version = version + 1")
            assert (before, after, response) == (before, after, wanted)


def test_the_version_counts_by_one(guarded):
    bad = "withdrawal_version"
    cases = [
        ("version = 5", "version = 4", bad),
        ("version = 5", "version = 5, reason = 'x'", ""),
        ("version = 5", "version = 6", ""),
        ("version = 5", "version = 7", bad),
        ("version = 5", "status = 'Cancelled', version = 4", bad),
        ("version = 5", "status = 'Cancelled', version = 5", bad),
        ("version = 5", "status = 'Cancelled', version = 6", ""),
        ("version = 5", "status = 'Cancelled', version = 7", bad),
    ]
    assert found(guarded, cases) == cases


def test_an_approved_withdrawal_is_returned_by_two_people_before_it_is_sent(guarded):
    payout = (
        "INSERT INTO wallets_payout SELECT (jsonb_populate_record(NULL::wallets_payout, '{}'"
        "::jsonb || jsonb_build_object('withdrawal_id', %(id)s::uuid, 'claimed_by', '', 'attempts',"
        " 0, 'provider_id', '', 'provider_status', '', 'provider_message', '', 'last_error', '',"
        " 'status_checks', 0, 'not_found_count', 0, 'created_at', now(), 'updated_at', now()))).*"
    )

    def proposed(action: str, status: str, decider: str = "b") -> str:
        return (
            "INSERT INTO wallets_proposal (id, withdrawal_id, action, reason, status,"
            " proposed_by_id, decided_by_id, created_at)"
            f" VALUES (gen_random_uuid(), %(id)s, '{action}', 'why', '{status}', %(a)s,"
            f" {'NULL' if status == 'Pending' else f'%({decider})s'}, now())"
        )

    def elsewhere(statement: str) -> str:
        return statement.replace("%(id)s", "gen_random_uuid()")

    returned = proposed("Return", "Approved")
    bad = "withdrawal_returned_by_two"
    cases: list[tuple[tuple[str, ...], str]] = [
        ((payout, returned), ""),
        ((payout, returned, proposed("Send again", "Rejected")), ""),
        ((payout, returned, elsewhere(proposed("Send again", "Approved"))), ""),
        ((payout, returned, proposed("Send again", "Approved")), bad),
        ((returned,), bad),
        ((elsewhere(payout), returned), bad),
        ((payout,), bad),
        ((payout, elsewhere(returned)), bad),
        ((payout, proposed("Fail", "Approved")), bad),
        ((payout, proposed("Return", "Rejected")), bad),
        ((payout, proposed("Return", "Pending")), bad),
        ((payout, proposed("Return", "Approved", "a")), bad),
        *(
            ((payout, f"UPDATE wallets_payout SET {change}", returned), bad)
            for change in ("posted_at = now()", "leased_until = now()", "provider_id = '7'")
        ),
    ]
    for statements, wanted in cases:
        response = guarded.response(
            f"status = 'Approved', {FIRST}", "status = 'Rejected', version = 2", *statements
        )
        assert (statements, response) == (statements, wanted)


def test_who_approved_is_another_for_each_approval_and_never_changes(guarded):
    bad, maker = "withdrawal_approvers_differ", "withdrawal_approver_not_maker"
    first_asked = "requested_by = 'staff:' || %(a)s::text"
    second_asked = "requested_by = 'staff:' || %(b)s::text"
    cases = [
        ("", FIRST, ""),
        (FIRST, SECOND, ""),
        (FIRST, "reason = 'x'", ""),
        (BOTH, "reason = 'x'", ""),
        (FIRST, "first_approver_id = %(b)s", RESTRICTED),
        (FIRST, "first_approver_id = NULL", RESTRICTED),
        (BOTH, "second_approver_id = NULL", RESTRICTED),
        (SECOND, "second_approver_id = %(a)s", RESTRICTED),
        (FIRST, "second_approver_id = %(a)s", bad),
        (first_asked, FIRST, maker),
        (second_asked, SECOND, maker),
        (first_asked, SECOND, ""),
        (second_asked, FIRST, ""),
    ]
    assert found(guarded, cases) == cases


def test_a_withdrawal_moves_on_with_enough_approvals_only(guarded):
    two, approve = "approvals_needed = 2", "status = 'Approved', version = 2"
    cases = [
        ("", approve, PEOPLE),
        ("", f"{approve}, {SECOND}", PEOPLE),
        ("", f"{approve}, {FIRST}", ""),
        (two, f"{approve}, {FIRST}", PEOPLE),
        (two, f"{approve}, {BOTH}", ""),
        (two, FIRST, ""),
        ("", "status = 'Rejected', version = 2", ""),
        ("", "status = 'Cancelled', version = 2", ""),
        (f"{two}, {FIRST}", "status = 'Cancelled', version = 2", ""),
        # Approvals of another person count at approval, and not later.
        (f"status = 'Approved', {two}, {FIRST}", "status = 'Processing', version = 2", PEOPLE),
    ]
    assert found(guarded, cases) == cases


def test_one_person_approves_up_to_the_thresholds_and_two_above(guarded):
    one = f"status = 'Approved', version = 2, {FIRST}"
    two = f"status = 'Approved', version = 2, {BOTH}"
    sole = "withdrawal_sole_approvals"
    for key, value, wanted in (
        ("SOLE_APPROVALS_DAILY_KES", 500, ""),
        ("SOLE_APPROVALS_DAILY_KES", 499, sole),
        ("SECOND_APPROVAL_ABOVE_KES", 501, sole),
        ("SECOND_APPROVAL_ABOVE_KES", 500, PEOPLE),
    ):
        set_setting(key, value)
        guarded.owner.rollback()
        assert (key, value, guarded.response("", one)) == (key, value, wanted)
        assert guarded.response("", two) == ""
        assert guarded.response("", "status = 'Cancelled', version = 2") == ""
        moved_on = "status = 'Processing', version = 2"
        assert guarded.response(f"status = 'Approved', {FIRST}", moved_on) == ""
        again = "status = 'Approved', version = 2"
        assert guarded.response(f"status = 'Unknown', {FIRST}", again) == ""


def test_a_change_takes_the_time_of_the_clock(guarded):
    with guarded.owner.transaction(force_rollback=True):
        row = guarded.owner.execute(
            "UPDATE wallets_withdrawal SET version = 2, updated_at = '2020-01-01' WHERE id = %s"
            " RETURNING updated_at > now() AND updated_at <= clock_timestamp()",
            [guarded.withdrawal.id],
        ).fetchone()
    assert row == (True,)
