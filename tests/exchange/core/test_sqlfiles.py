"""The declared SQL is installed completely or not at all."""

import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command, get_commands
from django.db import ProgrammingError, connection, connections

from exchange.core import sqlfiles, table_locks
from exchange.core.documents import text
from exchange.core.idempotency import IdempotencyClaim
from orders.book import payloads as book_payloads
from orders.book.models import Order, Trade
from orders.trades import payloads as trades_payloads
from tests.environment.database import session
from tests.environment.owner import as_owner
from tests.environment.processes import wait_until
from tests.factories.api_clients import make_caller
from tests.factories.traders import make_trader
from tests.factories.wallets import assert_books_hold, make_wallet, store_bank_list

pytestmark = pytest.mark.django_db

# The installed objects, without and with their identities.
_INSTALLED = """
SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid), p.proacl::text,
       obj_description(p.oid, 'pg_proc')
FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND proname <> 'installed_sql'
UNION ALL
SELECT tgrelid::regclass || ' ' || tgname, pg_get_triggerdef(t.oid), tgenabled::text, NULL
FROM pg_trigger t WHERE NOT tgisinternal
UNION ALL
SELECT c.oid::regclass || ' ' || attname, format_type(atttypid, atttypmod), NULL, NULL
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE relkind = 'c' AND relnamespace = 'public'::regnamespace
UNION ALL
SELECT c.oid::regclass || ' ' || coalesce(attname, ''),
       (SELECT string_agg(x::text, ' ' ORDER BY x::text)
        FROM unnest(CASE WHEN attname IS NULL THEN relacl ELSE attacl END) x), NULL, NULL
FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND attacl IS NOT NULL
WHERE relkind IN ('r', 'S') AND relnamespace = 'public'::regnamespace
UNION ALL
SELECT 'rule ' || kind, r::text, NULL, NULL FROM wallets_transferrule r
"""
_IDENTITIES = """
SELECT oid, proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
UNION ALL SELECT oid, tgname FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT oid, typname FROM pg_type WHERE typnamespace = 'public'::regnamespace
"""
_HELD = """
SELECT relation::regclass::text, current_setting('lock_timeout') FROM pg_locks
WHERE relation = 'django_migrations'::regclass AND mode = 'AccessExclusiveLock'
"""
_EXCLUSIVE = """
SELECT relation FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
# How many tables are held by a session that waits for one.
_WAITING = """
SELECT (SELECT count(*) FROM pg_locks h WHERE h.pid = w.pid AND h.granted AND h.relation <> 0)
FROM pg_locks w WHERE NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def rows(sql: str) -> set[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return set(cursor.fetchall())


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A copy of the files of `wallets`, from which they are installed."""
    config = apps.get_app_config("wallets")
    for folder in Path(config.path).glob("*/sql"):
        shutil.copytree(folder, tmp_path / folder.relative_to(config.path))
    # Django caches the commands of this path.
    get_commands()
    # Its own monkeypatch: the shared one may be undone last.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "path", str(tmp_path))
        yield tmp_path


@pytest.fixture
def installed_afterwards() -> Iterator[None]:
    """Reinstall the files' SQL after tests that commit."""
    yield
    sqlfiles.install("owner")
    connections["owner"].close()


def change(folder: Path) -> None:
    path = folder / "ledger/sql/token_units.sql"
    path.write_text(path.read_text().replace("t.id, 8 FROM", "t.id, 7 + 1 FROM"))


# --- What is declared ----------------------------------------------------------------------------


def test_every_stored_document_is_declared() -> None:
    """Every table with a column `document` has a trigger that writes it."""
    stored = rows(
        "SELECT relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attname = 'document'"
    )
    declared = [document.table for document in sqlfiles.stored_documents()]
    assert sorted(declared) == sorted(name for (name,) in stored)


def test_no_function_takes_or_returns_a_table_row_by_position() -> None:
    """No `*`, no cast to a table's row type, no INSERT without column names."""
    tables = "|".join(sorted(name for (name,) in rows("SELECT tablename FROM pg_tables")))
    star = re.compile(r"(?:\b(?:SELECT|RETURNING)|,)\s+(?:\w+\.)?\*|\)\.\*", re.IGNORECASE)
    cast = re.compile(rf"\)\s*::\s*(?:public\.)?(?:{tables})\b", re.IGNORECASE)
    insert = re.compile(r"\bINSERT\s+INTO\s+[\w.]+(?:\s+AS\s+\w+)?\s*(.)", re.IGNORECASE)
    found = []
    for config in sqlfiles.sql_apps():
        for path in config.sql_files:
            code = re.sub(r"--.*", "", path.read_text())
            found += [(path.name, match.group()) for match in star.finditer(code)]
            found += [(path.name, match.group()) for match in cast.finditer(code)]
            found += [(path.name, m.group()) for m in insert.finditer(code) if m.group(1) != "("]
    assert found == []


# --- Installing ----------------------------------------------------------------------------------


def test_a_second_migrate_changes_nothing() -> None:
    before = rows(_IDENTITIES)
    with as_owner():
        call_command("migrate", verbosity=0, interactive=False)
    assert rows(_IDENTITIES) == before


def test_a_changed_file_is_installed_and_the_rest_is_unchanged(folder: Path) -> None:
    before = rows(_INSTALLED)
    change(folder)
    assert not sqlfiles.is_installed()
    with as_owner():
        call_command("migrate", verbosity=0, interactive=False)
    assert sqlfiles.is_installed()
    after = rows(_INSTALLED)
    (former,), (changed,) = before - after, after - before
    assert former[0] == changed[0] == "open_token_units(uuid)"
    assert changed[1] == former[1].replace("t.id, 8 FROM", "t.id, 7 + 1 FROM")
    assert make_trader().issue() is not None
    assert_books_hold()


def test_objects_without_a_file_are_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "ledger/sql/extra.sql").write_text(
        "CREATE TYPE extra AS (a integer);"
        "CREATE FUNCTION extra(e extra) RETURNS integer LANGUAGE sql RETURN e.a;"
        "CREATE VIEW extra_view AS SELECT extra(ROW(7)::extra) AS a;"
        "GRANT SELECT ON extra_view TO exchange_runtime;"
    )
    before = rows(_INSTALLED)
    config = apps.get_app_config("wallets")
    assert isinstance(config, sqlfiles.SqlAppConfig)
    with monkeypatch.context() as more, as_owner():
        more.setattr(config, "sql_parts", (*config.sql_parts, "ledger/extra"), raising=True)
        assert sqlfiles.install("default")
        assert rows("SELECT a FROM extra_view") == {(7,)}
    with as_owner():
        assert sqlfiles.install("default")
    assert rows(_INSTALLED) == before
    assert rows("SELECT to_regtype('extra'), to_regclass('extra_view')") == {(None, None)}


@pytest.mark.parametrize("fault", ["SELECT no_such_function();", "CREATE FUNCTION", "SELECT 1/0;"])
@pytest.mark.one_in(3)
def test_a_broken_file_changes_nothing(folder: Path, fault: str) -> None:
    before = rows(_IDENTITIES), rows(_INSTALLED)
    with (folder / "withdrawals/sql/approval_requirement.sql").open("a") as file:
        file.write(fault)
    refused = pytest.raises(
        CommandError, match=r"wallets/withdrawals/sql/approval_requirement\.sql: "
    )
    with as_owner(), refused:
        call_command("migrate", verbosity=0, interactive=False)
    assert (rows(_IDENTITIES), rows(_INSTALLED)) == before
    store_bank_list()
    make_wallet(1000).request(500)
    assert_books_hold()


@pytest.mark.parametrize(
    "arguments", [{"app_label": "wallets"}, {"plan": True}, {"check_unapplied": True}]
)
def test_a_migrate_of_one_app_or_none_installs_nothing(folder: Path, arguments: Any) -> None:
    change(folder)
    with as_owner():
        call_command("migrate", verbosity=0, interactive=False, **arguments)
    assert not sqlfiles.is_installed()


def test_a_new_column_triggers_an_installation(folder: Path) -> None:
    """Triggers name the columns that existed; tables without triggers are unchanged."""
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE exchange_organisation ADD COLUMN motto text")
        assert not sqlfiles.is_installed()
        assert sqlfiles.install("default")
        # It locks every table until the end of the transaction, with a short timeout.
        assert rows(_HELD) == {("django_migrations", "500ms")}
    assert sqlfiles.is_installed()
    ((definition,),) = rows(
        "SELECT pg_get_triggerdef(oid) FROM pg_trigger"
        " WHERE tgrelid = 'exchange_organisation'::regclass AND tgname = 'audit_update'"
    )
    columns = (
        "active, created_at, email, holder_kind, id, motto, name, redirect_origins, tax_id, "
        "tax_residence, verification_required_for_deposits, verification_required_for_withdrawals"
    )
    assert f"OF {columns} ON" in definition


def test_a_changed_mapping_rewrites_documents_of_guarded_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seller, buyer = make_trader(), make_trader(100)
    token = seller.issue()
    seller.place(token, "Sell", 1, 5)
    order = buyer.place(token, "Buy", 1, 5)
    row = Order.objects.filter(id=order).values("status", "updated_at")
    before = row.get()
    assert before["status"] == "Fulfilled"
    for payloads, name in ((book_payloads, "ORDER"), (trades_payloads, "TRADE")):
        document = getattr(payloads, name)
        fields = (*document.fields, text("motto", sql="'onward'"))
        monkeypatch.setattr(payloads, name, replace(document, fields=fields))
    with as_owner():
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        assert sqlfiles.install("default")
    assert book_payloads.ORDER.find_mismatches() == trades_payloads.TRADE.find_mismatches() == []
    for model in (Order, Trade):
        found = model.objects.values_list("document", flat=True)
        assert len(found) > 0
        assert all(document.endswith(',"motto":"onward"}') for document in found)
    assert row.get() == before


def test_the_runtime_role_installs_nothing(folder: Path) -> None:
    change(folder)
    before = rows(_IDENTITIES)
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
        sqlfiles.install("default")
    assert rows(_IDENTITIES) == before


# --- Concurrency ---------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.usefixtures("installed_afterwards")
@pytest.mark.slow
def test_the_second_of_two_concurrent_installers_waits_and_does_nothing(folder: Path) -> None:
    change(folder)
    done: list[bool] = []

    def install() -> None:
        try:
            done.append(sqlfiles.install("owner"))
        finally:
            connections["owner"].close()

    threads = [threading.Thread(target=install) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(done) == [False, True]
    assert sqlfiles.is_installed()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.usefixtures("installed_afterwards")
@pytest.mark.slow
def test_the_installer_waits_for_tables_in_short_turns(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In between, requests pass and use the previous functions."""
    # The clock at the start, after each of two turns, and later.
    ticks, slept = chain([100.0, 159.9], repeat(160.0)), SimpleQueue[float]()
    clock = SimpleNamespace(monotonic=lambda: next(ticks), sleep=slept.put)
    monkeypatch.setattr(table_locks, "time", clock)
    store_bank_list()
    wallet = make_wallet(1000)
    change(folder)
    before = rows(_IDENTITIES)
    refused: list[Exception] = []

    def install() -> None:
        try:
            sqlfiles.install("owner")
        except table_locks.TablesInUse as error:
            refused.append(error)
        finally:
            connections["owner"].close()

    with session("runtime") as reader:
        reader.execute("SELECT count(*) FROM wallets_transfer")
        thread = threading.Thread(target=install)
        thread.start()
        for _ in range(3):
            wallet.request(100)
        thread.join(60)
    assert [str(error) for error in refused] == [
        "Tables were in use for 60 seconds; the SQL is not installed."
    ]
    assert (slept.get(), slept.empty()) == (0.5, True)
    assert rows(_IDENTITIES) == before
    assert sqlfiles.install("owner")
    assert_books_hold()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.usefixtures("installed_afterwards")
@pytest.mark.slow
def test_a_request_that_has_read_its_token_ends_before_the_functions_are_replaced(
    folder: Path,
) -> None:
    """Inside a function it would wait for a table, and then miss what the function calls."""
    trader = make_trader(100)
    token = make_trader().issue()
    change(folder)

    def install() -> None:
        try:
            sqlfiles.install("owner")
        finally:
            connections["owner"].close()

    thread = threading.Thread(target=install)
    thread.start()
    with session("runtime") as observer:
        wait_until(lambda: bool(observer.execute(_EXCLUSIVE).fetchall()), "the installer locks")
    key = IdempotencyClaim(trader.wallet.organisation.id, "POST", "/v1/orders", "key", "body")
    trader.submit_order(token, "Buy", 1, 5, claim=key)
    thread.join(60)
    assert sqlfiles.is_installed()
    assert_books_hold()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_request_waits_for_its_token_before_it_uses_another_table() -> None:
    caller = make_caller()
    found: list[int] = []

    def request() -> None:
        try:
            found.append(caller.get("/v1/orders").status_code)
        finally:
            connection.close()

    with session("owner") as installer, installer.transaction():
        installer.execute("LOCK TABLE oauth2_provider_accesstoken IN ACCESS EXCLUSIVE MODE")
        thread = threading.Thread(target=request)
        thread.start()
        wait_until(lambda: bool(installer.execute(_WAITING).fetchall()), "the request waits")
        [(held,)] = installer.execute(_WAITING).fetchall()
    thread.join(60)
    assert (held, found) == (0, [200])


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.usefixtures("installed_afterwards")
@pytest.mark.slow
def test_a_session_with_plans_of_the_former_functions_uses_the_new_ones(
    folder: Path,
) -> None:
    store_bank_list()
    wallet = make_wallet(1000)
    seller, buyer = make_trader(), make_trader(100)
    token = seller.issue()
    for installs in range(3):
        if installs:
            path = folder / "ledger/sql/token_units.sql"
            path.write_text(f"{path.read_text()}\n-- {installs}\n")
            assert sqlfiles.install("owner")
        wallet.request(100)
        seller.place(token, "Sell", 1, 5)
        buyer.place(token, "Buy", 1, 5)
    assert_books_hold()
