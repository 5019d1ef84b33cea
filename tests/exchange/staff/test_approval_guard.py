"""The edges of two-person approval, as its trigger function holds them on any table."""

from collections.abc import Iterator

import pytest

from tests.assertions.statement_results import (
    ACCEPTED,
    create_guarded_table,
    rolled_back,
    try_statement,
)
from tests.environment.database import Connection

ADA = "00000000-0000-7000-8000-00000000000a"
BEN = "00000000-0000-7000-8000-00000000000b"
GONE = "00000000-0000-7000-8000-00000000000c"
GUEST = "00000000-0000-7000-8000-00000000000d"
UNKNOWN = "00000000-0000-7000-8000-00000000000e"
STAFF = (
    "INSERT INTO exchange_staffuser (id, username, is_staff, is_active, password, first_name,"
    " last_name, email, is_superuser, date_joined, session_epoch, access_changed_at)"
    " VALUES (%s, %s, %s, %s, '', '', '', '', false, now(), 0, now())"
)
COLUMNS = (
    "id int, status text, amount int, note text, stamp text, proposed_by_id text,"
    " decided_by_id uuid, decided_at timestamptz"
)
INSERT = (
    "INSERT INTO given (id, status, amount, proposed_by_id, decided_by_id, decided_at)"
    " VALUES (1, %s, 5, %s, %s, %s)"
)
ARGUMENTS = "'paper', 'proposed_by_id', 'Pending', 'Approved', 'note'"
NOW = "2026-01-01 00:00:00+00"


@pytest.fixture(
    params=["", ", 'stamp'", ", 'stamp', 'Pending,Approved'"],
    ids=["final", "with a column that changes later", "of commands too"],
)
def later(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def owner(owner_connection: Connection, later: str) -> Iterator[Connection]:
    with rolled_back(owner_connection) as owner:
        events = "INSERT OR UPDATE OR DELETE"
        for person in (ADA, BEN):
            owner.execute(STAFF, [person, person, True, True])
        owner.execute(STAFF, [GONE, GONE, True, False])
        owner.execute(STAFF, [GUEST, GUEST, False, True])
        create_guarded_table(owner, COLUMNS, f"two_person_guard({ARGUMENTS}{later})", events=events)
        yield owner


def test_a_proposal_starts_pending_and_undecided(owner, later):
    of_command = ACCEPTED if "Approved" in later else "paper_starts_pending"
    expected: dict[tuple[str | None, ...], str] = {
        ("Pending", ADA, None, None): ACCEPTED,
        ("Pending", f"staff:{ADA}", None, None): ACCEPTED,
        ("Pending", "api_key:x", None, None): ACCEPTED,
        ("Pending", None, None, None): of_command,
        ("Approved", None, None, None): of_command,
        ("Approved", None, None, NOW): of_command,
        ("Rejected", None, None, NOW): "paper_starts_pending",
        **{
            ("Pending", proposer, None, None): "paper_by_staff"
            for proposer in (GONE, GUEST, UNKNOWN, f"staff:{GONE}", "anyone")
        },
        ("Approved", None, BEN, NOW): "paper_starts_pending",
        ("Approved", ADA, BEN, NOW): "paper_starts_pending",
        ("Approved", ADA, None, None): "paper_starts_pending",
        ("Rejected", ADA, None, None): "paper_starts_pending",
        ("Pending", ADA, BEN, None): "paper_starts_pending",
        ("Pending", None, BEN, None): "paper_starts_pending",
        ("Pending", ADA, None, NOW): "paper_undecided",
        ("Pending", None, None, NOW): "paper_undecided" if of_command == ACCEPTED else of_command,
    }
    assert {row: try_statement(owner, INSERT, row) for row in expected} == expected


def test_a_pending_proposal_is_decided_by_another_and_changes_in_nothing_else(owner, later):
    approved = f"status = 'Approved', decided_at = now(), decided_by_id = '{BEN}'"
    expected: dict[tuple[str | None, str], str] = {
        (ADA, approved): ACCEPTED,
        (f"staff:{ADA}", approved): ACCEPTED,
        (ADA, f"{approved}, note = 'seen'"): ACCEPTED,
        (ADA, "note = 'seen'"): ACCEPTED,
        (ADA, "status = 'Rejected'"): ACCEPTED,
        (BEN, approved.replace("Approved", "Rejected")): ACCEPTED,
        **{
            (ADA, approved.replace(BEN, person).replace("Approved", status)): "paper_by_staff"
            for person in (GONE, GUEST, UNKNOWN)
            for status in ("Approved", "Rejected")
        },
        (BEN, approved): "paper_approved_by_another",
        (f"staff:{BEN}", approved): "paper_approved_by_another",
        (ADA, "status = 'Approved', decided_at = now()"): "paper_approved_by_another",
        (ADA, f"decided_by_id = '{BEN}'"): "paper_undecided",
        (ADA, "decided_at = now()"): "paper_undecided",
        (ADA, f"{approved}, amount = 6"): "RestrictViolation",
        ("api_key:x", approved): ACCEPTED,
        (ADA, f"{approved}, stamp = 'x'"): "RestrictViolation",
        (ADA, f"{approved}, proposed_by_id = 'x'"): "RestrictViolation",
        (ADA, "amount = 6"): "RestrictViolation",
    }
    if "Approved" in later:
        expected[None, "status = 'Approved'"] = ACCEPTED
    found = {}
    for proposer, change in expected:
        owner.execute("TRUNCATE given")
        owner.execute(INSERT, ["Pending", proposer, None, None])
        found[proposer, change] = try_statement(owner, f"UPDATE given SET {change}")
    assert found == expected


def test_a_decided_proposal_stays_as_it_is_but_for_what_may_follow(owner, later):
    owner.execute(INSERT, ["Pending", ADA, None, None])
    owner.execute(
        "UPDATE given SET status = 'Approved', decided_at = now(), decided_by_id = %s", [BEN]
    )
    expected = {
        "id = id": ACCEPTED,
        "stamp = 'x'": ACCEPTED if later else "RestrictViolation",
        "note = 'x'": "RestrictViolation",
        "status = 'Pending', decided_by_id = NULL, decided_at = NULL": "RestrictViolation",
        "status = 'Rejected'": "RestrictViolation",
        "decided_at = NULL": "RestrictViolation",
        f"decided_by_id = '{ADA}'": "RestrictViolation",
        "amount = 6": "RestrictViolation",
    }
    assert {
        change: try_statement(owner, f"UPDATE given SET {change}") for change in expected
    } == expected


def test_a_proposal_is_never_removed(owner):
    owner.execute(INSERT, ["Pending", ADA, None, None])
    assert try_statement(owner, "DELETE FROM given") == "RestrictViolation"
