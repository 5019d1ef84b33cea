"""Attempts to insert what a guard of changes would refuse, or to change what stays.

With the service's own login. What still passes is in the audit log (docs/ledger.md).
"""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from psycopg import errors

from config.books import CHECKS, WALLET_CHECKS
from exchange.core.ids import uuid7
from exchange.core.models import Change
from exchange.staff.models import StaffUser
from tests.assertions.ledger import ledger_snapshot
from tests.assertions.statement_results import try_statement
from tests.environment.database import Connection
from tests.factories.api_clients import make_organisation
from tests.factories.deposits import Owner, arrive, make_virtual_account, transaction_record
from tests.factories.tokens import make_token
from tests.factories.wallets import assert_books_hold, make_staff, store_bank_list
from tests.wallets.ledger.attacked import LedgerRecords
from wallets.deposits.models import Payment, VirtualAccount
from wallets.ledger import proof
from wallets.ledger.models import Account
from wallets.ledger.proof import prove_and_store
from wallets.reconciliation.services import reports

pytestmark = pytest.mark.django_db(transaction=True)

DEPOSIT = (
    "INSERT INTO wallets_deposit (id, organisation_id, currency_id, channel, amount, reference,"
    " note, status, reason, created_at, decided_at, updated_at)"
    " VALUES (%(deposit)s, %(owner)s, 'KES', 'virtual_account', 6666666, %(deposit)s, '',"
    " 'Completed', '', now(), now(), now())"
)
PAYMENT = (
    "INSERT INTO wallets_payment (id, transaction_id, tx_ref, status, provider_reference,"
    " currency_code, amount, deposit_id, payment_type, payer_name, last_error, lookups, created_at,"
    " updated_at) VALUES (%(payment)s, 7, 'x', '{}', 'FLW', 'KES', {}, {}, 'card', '', '', 0,"
    " now(), now())"
)


def test_a_payment_that_never_was_is_not_inserted_as_credited(records: LedgerRecords):
    """The books would hold, and one row of the audit log would look like the service's own."""
    ids = {"deposit": uuid7(), "payment": uuid7(), "owner": records.wallet.organisation.id}
    attacker, before = records.attacker, ledger_snapshot()
    credited = PAYMENT.format("Credited", "6666666", "%(deposit)s")
    with attacker.transaction(force_rollback=True):
        attacker.execute(DEPOSIT, ids)
        assert try_statement(attacker, credited, ids) == "wallets_payment_start"
    assert not Payment.objects.exists()
    assert ledger_snapshot() == before
    # What the service itself does still passes, and leaves two rows in the audit log.
    with attacker.transaction():
        attacker.execute("SELECT act_as('system:deposits', 'Deposits', 'task:x')")
        attacker.execute(DEPOSIT, ids)
        attacker.execute(PAYMENT.format("Reported", "NULL", "NULL"), ids)
        attacker.execute(
            "UPDATE wallets_payment SET status = 'Credited', amount = 6666666,"
            " deposit_id = %(deposit)s",
            ids,
        )
        clearing, available = (
            attacker.execute(
                "SELECT open_account(gen_random_uuid(), 'KES', %s, %s, NULL)", [kind, owner]
            ).fetchone()
            for kind, owner in (("clearing", None), ("available", ids["owner"]))
        )
        assert clearing is not None
        assert available is not None
        records.post(
            "deposit", f"deposit:{ids['deposit']}", ids["deposit"],
            (clearing[0], "-6666666"), (available[0], "6666666"),
        )  # fmt: skip
    assert_books_hold()
    found = Change.objects.filter(table="wallets_payment", record_id=str(ids["payment"]))
    assert set(found.values_list("operation", flat=True)) == {"INSERT", "UPDATE"}
    assert all(row.database_user.startswith("login_") for row in found)


def test_the_number_of_a_virtual_account_stays_its_owners(runtime: Connection):
    victim, thief = Owner(make_organisation()), Owner(make_organisation())
    account = make_virtual_account(victim)
    changes = {
        "organisation_id": thief.organisation.pk,
        "reference": "another",
        "account_number": "0000000001",
        "account_name": "Another",
        "currency_id": "KES",
    }
    for column, value in changes.items():
        with pytest.raises(errors.RestrictViolation):
            runtime.execute(f"UPDATE wallets_virtualaccount SET {column} = %s", [value])
    with pytest.raises(errors.InsufficientPrivilege):
        runtime.execute("DELETE FROM wallets_virtualaccount")
    assert VirtualAccount.objects.get() == account
    arrive(transaction_record(account.reference))
    credited = Account.objects.filter(kind="available", balance__gt=0)
    assert [each.organisation_id for each in credited] == [victim.organisation.pk]


def test_invented_staff_are_new(runtime: Connection):
    columns = {
        "password": "", "is_superuser": False, "username": "ghost", "first_name": "Amina",
        "last_name": "", "email": "", "is_staff": True, "is_active": True,
        "date_joined": timezone.now() - timedelta(days=90), "session_epoch": 0, "id": uuid7(),
        "access_changed_at": timezone.now() - timedelta(days=90),
    }  # fmt: skip
    before = timezone.now()
    runtime.execute(
        f"INSERT INTO exchange_staffuser ({', '.join(columns)})"
        f" VALUES ({', '.join(['%s'] * len(columns))})",
        list(columns.values()),
    )
    made = StaffUser.objects.get(username="ghost")
    assert before - timedelta(seconds=60) < made.access_changed_at <= timezone.now()
    assert Change.objects.filter(table="exchange_staffuser", operation="INSERT").exists()


MOVEMENT = (
    "INSERT INTO wallets_treasurymovement (id, kind, currency_id, amount, charge, reference, note,"
    " status, proposed_by_id, created_at, reason) VALUES (gen_random_uuid(), 'draw_down', 'KES', 1,"
    " 0, 'x', '', 'Pending', {}, now(), '')"
)
QUOTE = (
    "INSERT INTO exchange_quote (id, token_id, buy, sell, exchange, status, note, reason,"
    " created_at, decided_at) SELECT gen_random_uuid(), id, 99, 99, 0, '{}', '', '', now(), {}"
    " FROM exchange_token"
)


@pytest.mark.parametrize(
    ("attack", "rule"),
    [
        (MOVEMENT.format("gen_random_uuid()"), "treasury_movement_by_staff"),
        (MOVEMENT.format("NULL"), "treasury_movement_starts_pending"),
        (QUOTE.format("Approved", "now()"), "quote_starts_pending"),
        (QUOTE.format("Pending", "NULL"), "quote_starts_pending"),
        ("DELETE FROM django_migrations", "InsufficientPrivilege"),
        ("UPDATE exchange_currency SET decimals = 0", "InsufficientPrivilege"),
        ("UPDATE exchange_token SET total_supply = 2 * total_supply", "RestrictViolation"),
        ("INSERT INTO auth_group (name) VALUES ('x')", "InsufficientPrivilege"),
        (
            "INSERT INTO auth_group_permissions (group_id, permission_id)"
            " SELECT g.id, p.id FROM auth_group g, auth_permission p LIMIT 1",
            "InsufficientPrivilege",
        ),
        ("UPDATE auth_permission SET codename = 'x'", "InsufficientPrivilege"),
        (
            "INSERT INTO exchange_staffuser_user_permissions (staffuser_id, permission_id)"
            " SELECT s.id, p.id FROM exchange_staffuser s, auth_permission p LIMIT 1",
            "InsufficientPrivilege",
        ),
        ("UPDATE wallets_booksproof SET passed = NOT passed", "RestrictViolation"),
        ("UPDATE wallets_booksproof SET totals = '[]'", "RestrictViolation"),
        ("UPDATE wallets_reconciliation SET status = 'Matched'", "wallets_reconciliation_move"),
        ("UPDATE exchange_token SET completed_raise = true", "RestrictViolation"),
        ("UPDATE exchange_token SET total_raised = 1", "RestrictViolation"),
        ("UPDATE exchange_token SET total_allocated = 1", "RestrictViolation"),
        (
            "INSERT INTO wallets_payout (withdrawal_id, claimed_by, attempts, posted_at,"
            " provider_id, provider_status, provider_message, last_error, status_checks,"
            " not_found_count, created_at, updated_at) SELECT id, '', 0, now(), '', '', '', '', 0,"
            " 0, now(), now() FROM wallets_withdrawal",
            "wallets_payout_start",
        ),
    ],
)
@pytest.mark.one_in(5)
def test_what_is_decided_elsewhere_is_not_written_here(
    records: LedgerRecords, attack: str, rule: str
):
    make_staff()
    make_token(raise_amount=Decimal(50_000))
    prove_and_store(WALLET_CHECKS)
    reports.request_report_as_staff(
        day=timezone.now().date() - timedelta(days=1), user=make_staff("run_reconciliation")
    )
    before = snapshot(records.attacker)
    assert try_statement(records.attacker, attack) == rule
    assert snapshot(records.attacker) == before


def test_the_result_of_a_finished_report_stays(runtime: Connection):
    report = reports.request_report_as_staff(
        day=timezone.now().date() - timedelta(days=1), user=make_staff("run_reconciliation")
    )
    for change in (
        "status = 'Running'",
        "status = 'Incomplete', reason = 'A fault', finished_at = now()",
    ):
        runtime.execute(f"UPDATE wallets_reconciliation SET {change}")
    for change in ("reason = ''", "differences = 1", "compared = 9", "finished_at = NULL"):
        assert try_statement(runtime, f"UPDATE wallets_reconciliation SET {change}") == (
            "RestrictViolation"
        )
    for status in ("Matched", "Differs", "Running"):
        changed = f"UPDATE wallets_reconciliation SET status = '{status}', reason = ''"
        assert try_statement(runtime, changed) == "wallets_reconciliation_move"
    report.refresh_from_db()
    assert (report.status, report.reason) == ("Incomplete", "A fault")


def snapshot(connection: Connection) -> list[Any]:
    tables = (
        "wallets_treasurymovement", "exchange_quote", "auth_group", "auth_group_permissions",
        "auth_permission", "exchange_staffuser_user_permissions", "wallets_booksproof",
        "wallets_reconciliation", "exchange_token", "wallets_payout", "exchange_currency",
    )  # fmt: skip
    rows = [
        connection.execute(f"SELECT to_jsonb(t) FROM {table} t ORDER BY 1").fetchall()
        for table in tables
    ]
    return [ledger_snapshot(), rows]


@pytest.mark.parametrize(
    ("attack", "table"),
    [
        ("UPDATE wallets_banklist SET banks = '[]'", "wallets_banklist"),
        ("UPDATE exchange_token SET deal_access = 'Private'", "exchange_token"),
        (
            "INSERT INTO exchange_tokenaccess (token_id, organisation_id, created_at)"
            " SELECT t.id, o.id, now() FROM exchange_token t, exchange_organisation o LIMIT 1",
            "exchange_tokenaccess",
        ),
        (
            "INSERT INTO exchange_accessproposal (id, kind, payload, note, status, break_glass,"
            " created_at, decided_at, reason) VALUES (gen_random_uuid(), 'issue_key', '{}', '',"
            " 'Approved', true, now(), now(), '')",
            "exchange_accessproposal",
        ),
    ],
)
def test_what_passes_is_in_the_audit_log(records: LedgerRecords, attack: str, table: str):
    store_bank_list()
    newest = Change.objects.latest("id").pk
    records.attacker.execute(attack)
    found = Change.objects.filter(pk__gt=newest, table=table)
    assert {row.database_user.split(" as ")[1] for row in found} == {"exchange_runtime"}


def test_collateral_that_was_rewritten_is_found_by_the_proof(records: LedgerRecords):
    records.attacker.execute("UPDATE credit_collateral SET quantity = quantity - 1")
    found = {finding.check for finding in proof.prove(CHECKS).findings}
    assert "lien equals open collateral" in found
