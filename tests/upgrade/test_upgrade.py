"""The last release's database, migrated, is like a fresh one, and its records stay usable.

Further tests show that any difference between two schemas would be found.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from io import StringIO
from itertools import chain
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoDbBlocker

from config.books import CHECKS
from exchange.core.sqlfiles import stored_documents
from exchange.participants.models import ApiKey
from exchange.tokens.models import Token
from tests.assertions.schema import KINDS, Schema, differences, read_schema
from tests.environment.database import Connection, django_connected_to, extra_database, server_url
from tests.environment.processes import CHECKOUT
from tests.environment.services import Sandbox
from tests.factories.api_clients import ApiCaller
from tests.factories.logins import current_code, enter_password, is_signed_in
from tests.factories.payouts import settle_at_bank
from tests.factories.wallets import BANK, OVERRIDE, make_staff
from tests.upgrade.dumps import (
    OLDEST_SERVER,
    dump_path,
    latest_dump,
    read_credentials,
    restore,
    version,
)
from tests.upgrade.records import Credentials
from tests.upgrade.rows import (
    EXACTLY,
    WITHIN,
    Rows,
    empty_tables,
    read_rows,
    row_differences,
    seeded_tables,
)
from wallets.banks.services import clear_bank_cache
from wallets.ledger import proof as books
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.slow

# The function is written for the server it is installed on; an older server's works on a later one.
BY_SERVER = {"functions": {"new_id()"}}
LISTS = (
    *("api/members", "api/tokens", "api/withdrawals", "api/events", "api/deposits"),
    *("api/members/{member_id}/tokens", "api/members/{member_id}/wallet/transactions"),
    *("api/credit/loans", "orders", "orders/token/{token_id}/trades"),
)


@dataclass(frozen=True)
class Upgraded:
    """The release's database after the upgrade."""

    credentials: Credentials
    connection: Connection
    fresh: Connection
    empty_tables: list[str]


@pytest.fixture(scope="module")
def upgraded(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Upgraded]:
    """Restore and migrate the dump, and connect Django to it."""
    path = latest_dump()
    with (
        extra_database("release") as name,
        extra_database("fresh", migrated=True) as fresh,
        django_db_blocker.unblock(),
    ):
        restore(path, server_url(name))
        with (
            psycopg.connect(server_url(name), autocommit=True) as connection,
            psycopg.connect(server_url(fresh), autocommit=True) as fresh_connection,
        ):
            empty = empty_tables(connection)
            with django_connected_to(name):
                call_command("migrate", verbosity=0, interactive=False, database="owner")
                yield Upgraded(read_credentials(path), connection, fresh_connection, empty)


def test_the_changelogs_last_release_is_this_version_and_has_a_dump():
    [(released, day), *_] = re.findall(
        r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$",
        (CHECKOUT / "CHANGELOG.md").read_text(),
        re.MULTILINE,
    )
    assert date.fromisoformat(day)
    assert released == version()
    assert latest_dump() == dump_path(released)


def test_the_release_has_rows_in_every_table(upgraded):
    assert upgraded.empty_tables == []


def test_of_the_releases_tokens_the_known_terms_are_stated_and_the_others_are_listed(upgraded):
    """Of open raises the present price; of completed ones two people decide."""
    unknown = set()
    for token in Token.objects.all():
        assert (token.completed_at, token.terms_version) == (None, 1)
        if token.is_raising:
            assert token.issue_price == token.price_buy > 0
        else:
            assert token.issue_price is None
            if not (token.cancelled or token.exited):
                unknown.add(token.symbol)
    out = StringIO()
    call_command("token_terms", stdout=out, stderr=StringIO())
    rows = list(csv.DictReader(StringIO(out.getvalue())))
    assert {row["symbol"] for row in rows} == unknown != set()
    assert all(row["completed_on"] for row in rows)


def test_an_upgraded_database_has_the_schema_of_a_fresh_one(upgraded):
    fresh, there = read_schema(upgraded.fresh), read_schema(upgraded.connection)
    if upgraded.connection.info.server_version // 10_000 > OLDEST_SERVER:
        for kind, names in BY_SERVER.items():
            for name in names:
                assert fresh[kind].pop(name)
                assert there[kind].pop(name)
    found = differences(fresh, there)
    assert not found, "\n".join(found)
    temporary = "SELECT has_database_privilege('exchange_runtime', current_database(), 'TEMPORARY')"
    assert upgraded.connection.execute(temporary).fetchone() == (False,)


def test_it_has_the_rows_that_migrations_make(upgraded):
    assert seeded_tables(upgraded.fresh) == {*WITHIN, *EXACTLY}
    found = row_differences(read_rows(upgraded.fresh), read_rows(upgraded.connection))
    assert not found, "\n".join(found)


def test_every_stored_document_matches_its_current_function(upgraded):
    faults = [*chain.from_iterable(document.find_mismatches() for document in stored_documents())]
    assert not faults, "\n".join(faults)


def test_every_state_of_its_records_is_one_of_today(upgraded):
    """A renamed value of a choice is rewritten in every row."""
    unknown = {}
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if field.choices and (
                found := {*model._base_manager.values_list(field.attname, flat=True).distinct()}
                - {value for value, _ in field.flatchoices}
                - {None, ""}
            ):
                unknown[str(field)] = found
    assert unknown == {}


def test_its_books_hold_and_its_records_stay_usable(upgraded, provider_sandbox):
    # The restored checkpoint is of another server.
    call_command("prove_books", "--new-checkpoint", stdout=StringIO())
    clear_bank_cache()
    known = upgraded.credentials
    api = caller(known)
    for path in LISTS:
        assert data(api.get(f"/v1/{path.format(**asdict(known))}"))[path.rpartition("/")[2]], path
    pay_out(api, known, provider_sandbox)
    order = {"token_id": known.token_id, "user_id": known.member_id, "price": 9_000, "tokens": 1}
    assert data(api.post("/v1/orders", {**order, "type": "Sell"}))["status"] == "Fulfilled"
    [loan] = data(api.get("/v1/api/credit/loans"))["loans"]
    assert data(api.post(f"/v1/api/credit/loan/{loan['id']}/repay", {"amount": 1000})) != loan
    browser = Client()
    enter_password(browser, known.username, known.password)
    browser.post("/admin/login/code/", {"code": current_code(known.totp_secret)})
    assert is_signed_in(browser)
    assert browser.get("/admin/exchange/member/").status_code == 200
    assert books.prove(CHECKS).findings == ()


def caller(known: Credentials) -> ApiCaller:
    """Get an access token with the API key from the release."""
    key = ApiKey.objects.get(client_id=known.client_id)
    form = {
        "grant_type": "client_credentials",
        "client_id": known.client_id,
        "client_secret": known.client_secret,
    }
    response = Client().post("/v1/oauth/token", form)
    assert response.status_code == 200, response.content
    token = response.json()["access_token"]
    return ApiCaller(key.organisation, key, known.client_secret, token)


def data(response: Any) -> Any:
    """Return the data of a successful response."""
    assert response.status_code in (200, 201), response.content
    return response.json(parse_float=Decimal)["data"]


def pay_out(api: ApiCaller, known: Credentials, sandbox: Sandbox) -> None:
    """Make a withdrawal from its request to the bank."""
    body = {
        "amount": 590,
        "bank_name": BANK,
        "account_name": "Ada Obi",
        "account_number": "0690000052",
        "currency": "KES",
    }
    made = data(api.post(f"/v1/api/members/{known.member_id}/wallet/withdraw", body))
    withdrawal = Withdrawal.objects.get(id=made["withdrawalRequest"]["_id"])
    decisions.approve(
        withdrawal_id=withdrawal.pk,
        version=withdrawal.version,
        approver=make_staff(),
        override=OVERRIDE,
    )
    payouts.send_payout(withdrawal.pk)
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.pk)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Completed"


CHANGES = {
    "columns": "ALTER TABLE orders_order ALTER price DROP NOT NULL",
    "tables": "ALTER TABLE orders_order SET (fillfactor = 50)",
    "constraints": "ALTER TABLE wallets_account DROP CONSTRAINT account_balance_not_negative",
    "indexes": "DROP INDEX reconciliation_of_day",
    "sequences": "ALTER SEQUENCE orders_seq CACHE 7",
    "triggers": "ALTER TABLE wallets_entry DISABLE TRIGGER append_only_rows",
    "functions": "ALTER FUNCTION id_stem(uuid) STABLE",
    "types": "ALTER TYPE withdrawal_order ADD ATTRIBUTE more text",
    "views": "CREATE VIEW more AS SELECT 1 AS one",
    "rules and policies": "CREATE POLICY more ON orders_order USING (true)",
    "partitions": "DROP TRIGGER partition_truncate ON partitions.exchange_event",
    "comments": "COMMENT ON FUNCTION exchange_member_document() IS 'another'",
    "rights": "GRANT UPDATE ON wallets_entry TO exchange_runtime",
    "owners": "ALTER TABLE orders_order OWNER TO exchange_runtime",
    "schemas and extensions": "CREATE SCHEMA more",
    "settings": "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());"
    " END $$",
}


@pytest.fixture(scope="module")
def fresh_copy(django_db_setup: None) -> Iterator[tuple[Connection, Schema, Rows]]:
    """Yield a fresh database to change, its schema, and its rows."""
    with (
        extra_database("changed", migrated=True) as name,
        psycopg.connect(server_url(name), autocommit=True) as connection,
    ):
        yield connection, read_schema(connection), read_rows(connection)


def test_each_kind_of_object_has_a_change_below():
    assert CHANGES.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_is_found(fresh_copy, kind):
    connection, before, _ = fresh_copy
    with connection.transaction(force_rollback=True):
        connection.execute(CHANGES[kind])
        found = differences(before, read_schema(connection))
    assert any(line.startswith(f"{kind}: ") for line in found), found
    assert differences(before, read_schema(connection)) == []


def test_a_revoked_privilege_and_a_changed_row_are_reported(fresh_copy):
    connection, before, rows = fresh_copy
    with connection.transaction(force_rollback=True):
        connection.execute("REVOKE UPDATE ON exchange_member FROM exchange_runtime")
        connection.execute("UPDATE wallets_transferrule SET by_service = true WHERE kind = 'trade'")
        connection.execute("DELETE FROM wallets_configuration WHERE key = 'NGN_INTERNAL_FEE'")
        assert differences(before, read_schema(connection)) == [
            "rights: table exchange_member to exchange_runtime:"
            " fresh 'INSERT, SELECT, UPDATE', upgraded 'INSERT, SELECT'"
        ]
        found = row_differences(rows, read_rows(connection))
    assert [line.partition(": ")[2].partition(":")[0] for line in found] == [
        "only in the fresh database",
        "only in the fresh database",
        "only in the upgraded database",
    ]
