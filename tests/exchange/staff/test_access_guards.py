"""The edges of what access and events are held to in the database, each guard asked alone."""

import pytest

from tests.assertions.statement_results import ACCEPTED, create_guarded_table, try_statement
from tests.factories.plain_sql import Books

REFUSED = "RestrictViolation"
NOON, LATER, EARLIER = (
    "'2026-01-01 12:00:00'",
    "'2026-01-01 12:00:00.000001'",
    "'2026-01-01 11:59:59.999999'",
)


def verdicts(books: Books, start: str, expected: dict[str, str]) -> dict[str, str]:
    """Return the outcome of each change of the row `start`."""
    books.owner.execute("TRUNCATE given")
    books.owner.execute(f"INSERT INTO given VALUES ({start})")
    return {each: try_statement(books.owner, f"UPDATE given SET {each}") for each in expected}


def test_an_api_key_gets_no_more_than_it_was_issued_with(books):
    create_guarded_table(
        books.owner,
        "id int, scopes text[], organisation_id int, expires_at timestamptz,"
        " revoked_at timestamptz",
        "api_key_guard()",
        events="UPDATE",
    )
    of_any = {
        "scopes = '{a}'": ACCEPTED,
        "scopes = '{}'": ACCEPTED,
        "scopes = '{b,a}'": ACCEPTED,
        "scopes = '{a,b,c}'": REFUSED,
        "scopes = '{c}'": REFUSED,
        "organisation_id = 1": ACCEPTED,
        "organisation_id = 2": REFUSED,
        f"expires_at = {NOON}": ACCEPTED,
        f"expires_at = {EARLIER}": ACCEPTED,
        f"revoked_at = {LATER}": ACCEPTED,
    }
    that_ends = of_any | {
        f"expires_at = {LATER}": REFUSED,
        "expires_at = NULL": REFUSED,
        "revoked_at = NULL": ACCEPTED,
    }
    that_is_revoked = that_ends | {"revoked_at = NULL": REFUSED}
    for_ever = of_any | {f"expires_at = {LATER}": ACCEPTED, "expires_at = NULL": ACCEPTED}
    for start, expected in (
        (f"1, '{{a,b}}', 1, {NOON}, NULL", that_ends),
        (f"1, '{{a,b}}', 1, {NOON}, {NOON}", that_is_revoked),
        ("1, '{a,b}', 1, NULL, NULL", for_ever),
    ):
        assert verdicts(books, start, expected) == expected


def test_an_access_token_gets_no_more_than_it_was_issued_with(books):
    columns = "id int, scope text, expires timestamptz, application_id int"
    create_guarded_table(books.owner, columns, "access_token_guard()", events="UPDATE")
    of_any = {
        "scope = 'a b'": ACCEPTED,
        "scope = 'a'": REFUSED,
        f"expires = {NOON}": ACCEPTED,
        f"expires = {EARLIER}": ACCEPTED,
        f"expires = {LATER}": REFUSED,
        "application_id = application_id": ACCEPTED,
        "application_id = 2": REFUSED,
    }
    expected = of_any | {"application_id = NULL": REFUSED}
    assert verdicts(books, f"1, 'a b', {NOON}, 1", expected) == expected
    expected = of_any | {"application_id = NULL": ACCEPTED}
    assert verdicts(books, f"1, 'a b', {NOON}, NULL", expected) == expected


def test_what_is_written_once_on_an_access_proposal_stays(books):
    columns = "id int, proposed_by_id int, person_id int, collected_at timestamptz, key_id int"
    create_guarded_table(books.owner, columns, "access_proposal_once()", events="UPDATE")
    changes = [
        "proposed_by_id = 2",
        "person_id = 2",
        "key_id = 2",
        f"collected_at = {NOON}",
        f"collected_at = {NOON}, key_id = 2",
        "proposed_by_id = NULL",
        "person_id = NULL",
        "key_id = NULL",
        "collected_at = NULL",
        "id = id",
    ]

    def refused(start: str) -> set[str]:
        found = verdicts(books, start, dict.fromkeys(changes, ""))
        assert set(found.values()) <= {ACCEPTED, REFUSED}
        return {each for each, said in found.items() if said == REFUSED}

    proposer, person = {changes[0], changes[5]}, {changes[1], changes[6]}
    collected = {changes[2], changes[3], changes[4], changes[7], changes[8]}
    assert refused("1, NULL, NULL, NULL, NULL") == set()
    assert refused("1, NULL, NULL, NULL, 1") == set()
    assert refused("1, 1, NULL, NULL, NULL") == proposer
    assert refused("1, NULL, 1, NULL, NULL") == person
    assert refused(f"1, NULL, NULL, {LATER}, 1") == collected
    assert refused(f"1, 1, 1, {LATER}, 1") == proposer | person | collected


@pytest.mark.parametrize("role", ["exchange_runtime", "none"])
def test_the_service_makes_no_access_look_older_than_it_is(books, role):
    columns = "changed timestamptz, access_changed_at timestamptz, is_active boolean"
    create_guarded_table(books.owner, columns, "staff_access_guard()", events="UPDATE")
    books.owner.execute("GRANT ALL ON given TO exchange_runtime")
    service = role == "exchange_runtime"

    def after(hours: str, active: str, change: str) -> int:
        """How many hours from now the access changed, once a row is changed like that."""
        books.owner.execute("TRUNCATE given")
        books.owner.execute(
            f"INSERT INTO given VALUES (now(), now() + interval '{hours} hours', {active})"
        )
        books.owner.execute(f"SET LOCAL ROLE {role}")
        books.owner.execute(f"UPDATE given SET {change}")
        books.owner.execute("RESET ROLE")
        found: int = books.value(
            "SELECT extract(epoch FROM access_changed_at - changed)::int / 3600 FROM given"
        )
        return found

    back, forth = (f"access_changed_at = now() + interval '{hours} hours'" for hours in (-9, 9))
    assert after("-5", "true", back) == (-5 if service else -9)
    assert after("-5", "true", forth) == 9
    assert after("-5", "true", "is_active = false") == -5
    assert after("-5", "true", "is_active = true") == -5
    assert after("-5", "false", "is_active = false") == -5
    assert after("-5", "false", "is_active = true") == (0 if service else -5)
    assert after("5", "false", "is_active = true") == 5


def test_the_content_of_an_event_is_frozen_and_its_delivery_is_not(books):
    columns = (
        "id int, organisation_id int, type text, subject_id int, body text, created_at timestamptz,"
        " status text, attempts int"
    )
    create_guarded_table(books.owner, columns, "event_guard()", events="UPDATE")
    unknown = "event_status_known"
    expected = {
        "id = id": ACCEPTED,
        "id = 2": REFUSED,
        "organisation_id = 2": REFUSED,
        "type = 'b'": REFUSED,
        "subject_id = 2": REFUSED,
        "subject_id = NULL": REFUSED,
        "body = '[]'": REFUSED,
        f"created_at = {LATER}": REFUSED,
        "status = 'Pending'": ACCEPTED,
        "status = 'Delivered'": ACCEPTED,
        "status = 'Exhausted'": ACCEPTED,
        "status = 'Unsent'": ACCEPTED,
        "status = 'Lost'": unknown,
        "attempts = 0": ACCEPTED,
        "attempts = 5": ACCEPTED,
        "attempts = -1": unknown,
        "status = 'Lost', attempts = -1": unknown,
    }
    assert verdicts(books, f"1, 1, 'a', 1, '{{}}', {NOON}, 'Pending', 1", expected) == expected
