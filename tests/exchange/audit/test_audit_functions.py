"""The exact rows written by the audit functions, and rejected configurations."""

from typing import Any

import pytest
from psycopg import errors

from exchange.core.ids import uuid7
from tests.environment.database import Connection, session
from tests.factories.plain_sql import Books

SETTINGS = (
    "SELECT current_setting('exchange.actor', true), current_setting('exchange.actor_label', true),"
    " current_setting('exchange.via', true)"
)


def settings(connection: Connection) -> list[str]:
    """Return the actor, its label and source; empty if not set."""
    row = connection.execute(SETTINGS).fetchone()
    assert row is not None
    return [value or "" for value in row]


def test_the_actor_is_set_for_the_transaction_only(owner_connection):
    with owner_connection.transaction():
        row = owner_connection.execute("SELECT act_as('staff:1', 'Ada', 'request:1')").fetchone()
        assert row == (True,)
        assert settings(owner_connection) == ["staff:1", "Ada", "request:1"]
    assert settings(owner_connection) == ["", "", ""]


def test_a_named_actor_replaces_another_and_keeps_its_own_label(owner_connection):
    with owner_connection.transaction():
        owner_connection.execute("SELECT act_as('staff:1', 'Ada', 'request:1')")
        owner_connection.execute("SELECT name_actor('staff:1')")
        assert settings(owner_connection) == ["staff:1", "Ada", "request:1"]
        owner_connection.execute("SELECT name_actor('api_key:2')")
        assert settings(owner_connection) == ["api_key:2", "", "request:1"]
    assert settings(owner_connection) == ["", "", ""]


@pytest.mark.usefixtures("django_db_setup")
def test_a_named_actor_is_used_only_if_none_is_set():
    with session("owner") as connection:
        connection.autocommit = True
        # The first of its session, which knows none of these settings yet.
        with connection.transaction():
            connection.execute("SELECT name_actor('system:job')")
            assert settings(connection) == ["system:job", "", ""]
        assert settings(connection) == ["", "", ""]
        connection.execute(
            "SELECT set_config('exchange.actor', 'staff:1', false),"
            " set_config('exchange.actor_label', 'Ada', false)"
        )
        with connection.transaction():
            connection.execute("SELECT name_actor('api_key:2')")
            assert settings(connection) == ["api_key:2", "", ""]
        assert settings(connection) == ["staff:1", "Ada", ""]


WRITTEN = (
    "SELECT actor, actor_label, via, database_user, record_id, about_id, operation, before, after"
    " FROM exchange_change WHERE table_name = 'given' ORDER BY id"
)


def write(books: Books, record: str, about: str | None) -> Any:
    """The row that is written, and its database user."""
    books.owner.execute(
        "SELECT write_change('given', 'UPDATE', %s, %s, '{\"a\": 1}', '{\"a\": 2}')",
        [record, about],
    )
    return books.rows(WRITTEN)[-1]


def test_long_names_are_cut_off_and_missing_ones_are_those_of_the_database(books):
    user = books.value("SELECT session_user")
    change = ("UPDATE", {"a": 1}, {"a": 2})
    assert write(books, "7", None) == (f"database:{user}", "", "", user, "7", "", *change)
    books.owner.execute(
        "SELECT act_as(%s, %s, %s)", ["a" * 120 + "A", "b" * 200 + "B", "c" * 200 + "C"]
    )
    assert write(books, "d" * 64 + "D", "e" * 64 + "E") == (
        "a" * 120, "b" * 200, "c" * 200, user, "d" * 64, "e" * 64, *change
    )  # fmt: skip
    books.owner.execute("SELECT act_as('', '', '')")
    assert write(books, "7", "8") == (f"database:{user}", "", "", user, "7", "8", *change)
    books.owner.execute(f'SET LOCAL ROLE "{user}"')
    assert write(books, "7", "8")[3] == user
    books.owner.execute("RESET ROLE")
    books.owner.execute("GRANT ALL ON exchange_change TO exchange_runtime")
    books.owner.execute("GRANT EXECUTE ON FUNCTION write_change TO exchange_runtime")
    books.owner.execute("SET LOCAL ROLE exchange_runtime")
    assert write(books, "7", "8")[3] == f"{user} as exchange_runtime"


TABLE = (
    "CREATE TEMPORARY TABLE given (id int, gone int, owner int, secret text, note text,"
    ' touched int, "Odd" int); ALTER TABLE given DROP COLUMN gone'
)
AUDIT = (
    "SELECT audit_table('given', record => 'id', about => 'owner', hidden => '{secret}',"
    " left_out => '{touched}')"
)


def test_each_change_is_written_with_what_changed_and_without_secrets(books):
    books.owner.execute(TABLE)
    books.owner.execute(AUDIT)

    def written(statement: str) -> list[Any]:
        """Record, about, operation, before and after of what the statement leaves."""
        known = len(books.rows(WRITTEN))
        books.owner.execute(statement)
        return [row[4:] for row in books.rows(WRITTEN)[known:]]

    hidden = "(hidden)"
    insert = "INSERT INTO given (id, owner, secret, note, touched) VALUES "
    row = {"id": 1, "owner": 5, "secret": hidden, "note": "a"}
    assert written(insert + "(1, 5, 'x', 'a', 1)") == [("1", "5", "INSERT", None, row)]
    empty = {"id": 2, "secret": ""}
    assert written(insert + "(2, NULL, '', NULL, 1)") == [("2", "", "INSERT", None, empty)]
    update = "UPDATE given SET "

    def change(about: str, before: dict[str, Any], after: dict[str, Any]) -> list[Any]:
        return [("1", about, "UPDATE", before, after)]

    of_one = " WHERE id = 1"
    assert written(update + "note = 'b'" + of_one) == change("5", {"note": "a"}, {"note": "b"})
    assert written(update + "note = NULL" + of_one) == change("5", {"note": "b"}, {"note": None})
    assert written(update + "note = 'c', owner = 6" + of_one) == change(
        "6", {"note": None, "owner": 5}, {"note": "c", "owner": 6}
    )
    assert written(update + "secret = 'y'" + of_one) == change(
        "6", {"secret": hidden}, {"secret": hidden}
    )
    assert written(update + "secret = ''" + of_one) == change(
        "6", {"secret": hidden}, {"secret": ""}
    )
    assert written(update + "secret = NULL" + of_one) == change(
        "6", {"secret": ""}, {"secret": None}
    )
    assert written(update + "secret = 'z'" + of_one) == change(
        "6", {"secret": None}, {"secret": hidden}
    )
    assert written(update + "touched = 2" + of_one) == []
    assert written(update + "note = note, touched = 3" + of_one) == []
    assert written(update + "note = 'd', touched = 4" + of_one) == change(
        "6", {"note": "c"}, {"note": "d"}
    )
    last = {"id": 1, "owner": 6, "secret": hidden, "note": "d"}
    assert written("DELETE FROM given" + of_one) == [("1", "6", "DELETE", last, None)]
    assert written("TRUNCATE given") == [("", "", "TRUNCATE", None, None)]


def test_a_row_without_visible_columns_is_recorded(books):
    books.owner.execute(TABLE)
    books.owner.execute("SELECT audit_table('given', left_out => '{id}')")
    books.owner.execute("INSERT INTO given (id) VALUES (7)")
    books.owner.execute("UPDATE given SET id = 8")
    books.owner.execute("DELETE FROM given")
    assert [row[4:] for row in books.rows(WRITTEN)] == [
        ("7", "", "INSERT", None, None),
        ("8", "", "DELETE", None, None),
    ]


def triggers(books: Books, **arguments: Any) -> dict[str, str]:
    """The triggers of a table under audit, by name, from their events on."""
    names = ", ".join(f"{name} => %s" for name in arguments)
    with books.owner.transaction(force_rollback=True):
        books.owner.execute(TABLE)
        books.owner.execute(
            f"SELECT audit_table('given'{names and ', ' + names})", list(arguments.values())
        )
        rows = books.rows(
            "SELECT tgname, regexp_replace(pg_get_triggerdef(oid), '^.* (AFTER .*) ON \\S+ (.*)$',"
            " '\\1 \\2') FROM pg_trigger WHERE tgrelid = 'given'::regclass AND NOT tgisinternal"
        )
    return dict(rows)


def test_a_table_is_audited_for_the_given_columns_and_conditions(books):
    def row(event: str, arguments: str, when: str = "true") -> str:
        return f"AFTER {event} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION audit_row({arguments})"

    usual = "'id', '', '{}', '{}', 'given'"
    truncate = "AFTER TRUNCATE FOR EACH STATEMENT EXECUTE FUNCTION audit_truncate()"
    assert triggers(books) == {
        "audit_insert": row("INSERT", usual),
        "audit_update": row("UPDATE", usual),
        "audit_delete": row("DELETE", usual),
        "audit_truncate": truncate,
    }
    own = "'owner', 'id', '{secret}', '{touched,note}', 'given'"
    columns = 'UPDATE OF "Odd", id, owner, secret'
    assert triggers(
        books, record="owner", about="id", hidden=["secret"], left_out=["touched", "note"],
        inserts=None, updates="NEW.id > 5", deletes=None,
    ) == {
        "audit_update": row(columns, own, "(new.id > 5)"),
        "audit_truncate": truncate,
    }  # fmt: skip
    assert set(triggers(books, updates=None)) == {"audit_insert", "audit_delete", "audit_truncate"}


@pytest.mark.parametrize(
    ("arguments", "unknown"),
    [
        ({"record": "nothing"}, "nothing"),
        ({"about": "nothing"}, "nothing"),
        ({"hidden": ["secret", "nothing"]}, "nothing"),
        ({"left_out": ["nothing", "touched"]}, "nothing"),
        ({"hidden": ["one"], "left_out": ["two"], "about": "id"}, "one, two"),
        # A column of the system, one of another table, and one that is no more.
        ({"left_out": ["ctid"]}, "ctid"),
        ({"hidden": ["client_secret"]}, "client_secret"),
        ({"hidden": ["gone"]}, "gone"),
        ({"hidden": ["........pg.dropped.2........"]}, "........pg.dropped.2........"),
    ],
)
def test_unknown_columns_are_rejected(books, arguments, unknown):
    with pytest.raises(errors.RaiseException) as refused:
        triggers(books, **arguments)
    assert refused.value.diag.message_primary == f"given has no columns {unknown}"


def test_writes_of_owner_functions_are_distinguished(books):
    books.owner.execute(
        "CREATE FUNCTION pg_temp.by_function() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER"
        " AS 'BEGIN RETURN public.recorded_by_function(); END'"
    )
    found = {}
    for role in ("none", "pg_monitor", "exchange_runtime"):
        books.owner.execute(f"SET LOCAL ROLE {role}")
        found[role] = (
            books.value("SELECT recorded_by_function()"),
            books.value("SELECT pg_temp.by_function()"),
        )
    assert found == {
        "none": (False, False),
        "pg_monitor": (False, False),
        "exchange_runtime": (False, True),
    }


def test_events_identify_staff_without_their_names(books):
    ada, ben, key, asked = uuid7(), uuid7(), uuid7(), uuid7()
    public = {person: uuid7() for person in (ada, ben)}
    groups = {}
    for number, name in enumerate(("Finance approver", "Administrator", "Auditor"), start=901):
        groups[name] = number
        books.insert("auth_group", id=number, name=f"{name} of tests")
    for person, number in ((ada, 1), (ben, 2)):
        books.insert(
            "exchange_staffuser", id=person, public_id=public[person], username=f"u{number}"
        )
    for number, name in enumerate(("Finance approver", "Administrator"), start=901):
        books.insert(
            "exchange_staffuser_groups", id=number, staffuser_id=ada, group_id=groups[name]
        )
    books.insert("exchange_apikey", id=key, client_id="client-1")
    books.insert("exchange_apikey", id=asked, client_id="client-2")

    def expected(actor: str | None, named: bool = False) -> Any:
        return books.value("SELECT public_actor(%s, 'O\"Neill', %s)::text", [actor, named])

    name = ',"name":"O\\"Neill"'
    admin = f'{{"role":"administrator of tests","id":"staff_{public[ada].hex}"'
    assert expected(None) is None
    assert expected(f"staff:{ada}") == admin + "}"
    assert expected(f"staff:{ada}", named=True) == admin + name + "}"
    assert expected(f"staff:{ben}") == f'{{"role":"staff","id":"staff_{public[ben].hex}"}}'
    assert expected(f"staff:{uuid7()}") == '{"role":"staff","id":null}'
    for named in (True, False):
        of_key = '{"role":"API key","id":"client-1"' + name + "}"
        assert expected(f"api_key:{key}", named) == of_key
        assert expected("system:purge", named) == '{"role":"system","id":"system"}'
    assert expected(f"api_key:{uuid7()}") == '{"role":"API key","id":null' + name + "}"


def test_events_are_written_only_where_needed(books):
    first, second, third = (uuid7() for _ in range(3))
    subject = uuid7()
    books.owner.execute(
        "SELECT emit_events(%s, %s, ARRAY['a.done', 'b.done'], %s, ARRAY['{\"n\":1}', NULL])",
        [[first, second], [books.organisation] * 2, [subject] * 2],
    )
    books.owner.execute(
        "SELECT emit_event(%s, %s, 'c.done', %s, '{\"n\":3}')",
        [third, books.organisation, subject],
    )
    rows = books.rows(
        "SELECT id, type, subject_id, body::jsonb -> 'data', status, created_at >= now()"
        " FROM exchange_event WHERE organisation_id = %s ORDER BY type",
        [books.organisation],
    )
    assert rows == [
        (first, "a.done", subject, {"n": 1}, "Unsent", True),
        (third, "c.done", subject, {"n": 3}, "Unsent", True),
    ]
