"""The database of the last release, restored and migrated by this version, is like a fresh one: in
its schema, its rights, the rows that migrations make and its documents. Its books hold, and life
goes on in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from itertools import chain
from typing import Any
from uuid import uuid4

import psycopg
import pytest
import requests
from django.apps import apps
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from pytest_django import DjangoDbBlocker

from config import webserver
from config.books import CHECKS
from config.local.supervisor.ports import is_responding
from credit.loans import payloads as credit
from exchange.core.documents import Document
from exchange.participants import payloads as participants_payloads
from exchange.staff.models import StaffUser
from exchange.tokens import payloads as tokens_payloads
from orders.book import payloads as book_payloads
from orders.trades import payloads as trades_payloads
from tests.assertions.schema import KINDS, Schema, differences, read_schema
from tests.environment.database import Connection, django_connected_to, extra_database, server_url
from tests.environment.ports import claim_ports
from tests.environment.processes import CHECKOUT, Program
from tests.environment.services import HOST, Sandbox, ServiceStack
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
from wallets.conversions import payloads as conversions
from wallets.deposits import payloads as deposits
from wallets.ledger import proof as books
from wallets.payouts.services import execution as payouts
from wallets.transfers import payloads as transfers
from wallets.withdrawals import payloads as wallets
from wallets.withdrawals.models import Decision, Withdrawal
from wallets.withdrawals.selectors.review_flags import FlagLevel, deserialize_flags
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.slow

DOCUMENTS: tuple[Document, ...] = (
    participants_payloads.MEMBER,
    tokens_payloads.TOKEN,
    wallets.WITHDRAWAL,
    wallets.BANK,
    deposits.DEPOSIT,
    deposits.VIRTUAL_ACCOUNT,
    transfers.WALLET_TRANSFER,
    conversions.CONVERSION_QUOTE,
    conversions.CONVERSION,
    book_payloads.ORDER,
    trades_payloads.TRADE,
    credit.LOAN,
)
# The function is written for the server it is installed on; an older server's works on a later one.
BY_SERVER = {"functions": {"new_id()"}}
LISTS = (
    *("api/members", "api/tokens", "api/wallet/transactions", "api/withdrawals", "api/events"),
    "api/deposits",
    *("api/members/{member_id}/tokens", "api/members/{member_id}/wallet/transactions"),
    *("api/credit/loans", "orders", "orders/token/{token_id}/trades"),
)


@dataclass(frozen=True)
class Upgraded:
    """The release's database after the upgrade."""

    name: str
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
                yield Upgraded(name, read_credentials(path), connection, fresh_connection, empty)


@pytest.fixture
def service(upgraded: Upgraded, service_stack: ServiceStack) -> Iterator[str]:
    """Run the web application on the upgraded database; yield its URL."""
    port = claim_ports()
    program = Program(
        command=webserver.command(HOST, port),
        environment={**service_stack.environment, "TEST_DATABASE_URL": server_url(upgraded.name)},
        ready=lambda: is_responding(HOST, port, "/health"),
        output=service_stack.folder / "upgraded.log",
    )
    program.start()
    yield f"http://{HOST}:{port}/v1"
    program.stop()


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


def test_nothing_is_left_to_migrate(upgraded):
    executor = MigrationExecutor(connections["owner"])
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []


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
    having = upgraded.connection.execute(
        "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'zz_document'"
    ).fetchall()
    assert {table for (table,) in having} == {document.table for document in DOCUMENTS}
    faults = [*chain.from_iterable(document.find_mismatches() for document in DOCUMENTS)]
    assert not faults, "\n".join(faults)


def test_the_flags_of_its_decisions_have_their_present_names(upgraded):
    """A decision names its flags as review pages do today; the text that was read stays."""
    stored = Decision.objects.exclude(flags=None).exclude(flags=[])
    flags = [flag for one in stored for flag in deserialize_flags(one.flags)]
    assert {(flag.code, flag.level) for flag in flags} == {
        ("account_first_use", FlagLevel.REVIEW),
        ("account_never_paid", FlagLevel.REVIEW),
        ("daily_count", FlagLevel.REVIEW),
    }
    assert "This owner uses this account for the first time." in {flag.text for flag in flags}


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


def test_its_books_hold_and_its_records_stay_usable(upgraded, service, provider_sandbox):
    assert books.prove(CHECKS).findings == ()
    clear_bank_cache()
    api = Api(service, upgraded.credentials)
    for path in LISTS:
        assert api.records(path), path
    pay_out(api, provider_sandbox)
    trade(api)
    repay(api)
    sign_in(upgraded.credentials)
    assert books.prove(CHECKS).findings == ()


class Api:
    """Calls of the running service with the release's API key."""

    def __init__(self, url: str, credentials: Credentials) -> None:
        self.credentials = credentials
        self._url = url
        form = {"grant_type": "client_credentials"}
        key = (credentials.client_id, credentials.client_secret)
        response = requests.post(f"{url}/oauth/token", data=form, auth=key, timeout=20)
        assert response.status_code == 200, response.text
        self._headers = {"Authorization": f"Bearer {response.json()['access_token']}"}

    def get(self, path: str) -> Any:
        url = f"{self._url}/{path.format(**asdict(self.credentials))}"
        return self._data(requests.get(url, headers=self._headers, timeout=20))

    def records(self, path: str) -> list[dict[str, Any]]:
        """Return the records of a list, which has the name of the last path segment."""
        found: list[dict[str, Any]] = self.get(path)[path.rpartition("/")[2]]
        return found

    def post(self, path: str, **body: Any) -> Any:
        headers = {**self._headers, "Idempotency-Key": str(uuid4())}
        response = requests.post(f"{self._url}/{path}", json=body, headers=headers, timeout=20)
        return self._data(response)

    def _data(self, response: requests.Response) -> Any:
        assert response.status_code in (200, 201), response.text
        return response.json(parse_float=Decimal)["data"]


def pay_out(api: Api, sandbox: Sandbox) -> None:
    """Make a withdrawal from its request to the bank."""
    made = api.post(
        f"api/members/{api.credentials.member_id}/wallet/withdraw",
        amount=590,
        bank_name=BANK,
        account_name="Ada Obi",
        account_number="0690000052",
        currency="KES",
    )
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


def trade(api: Api) -> None:
    """Place an order that matches one from the release."""
    before = len(api.records("orders/token/{token_id}/trades"))
    made = api.post(
        "orders",
        token_id=api.credentials.token_id,
        user_id=api.credentials.member_id,
        type="Buy",
        price=10_000,
        tokens=2,
    )
    assert made["status"] == "Fulfilled", made
    assert len(api.records("orders/token/{token_id}/trades")) == before + 1


def repay(api: Api) -> None:
    """Make a payment on a loan from the release."""
    loans = api.records("api/credit/loans")
    [loan] = [loan for loan in loans if loan["reason"] == "Stock for the shop"]
    paid = api.post(f"api/credit/loan/{loan['id']}/repay", amount=1000)
    assert paid != loan


def sign_in(credentials: Credentials) -> None:
    """Sign in with the password and second factor from the release."""
    browser = Client()
    enter_password(browser, credentials.username, credentials.password)
    code = current_code(credentials.totp_secret)
    browser.post("/admin/login/code/", {"code": code})
    assert is_signed_in(browser)
    assert browser.get("/admin/wallets/withdrawal/").status_code == 200
    assert StaffUser.objects.get(username=credentials.username).is_active


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
