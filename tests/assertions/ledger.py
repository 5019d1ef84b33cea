"""Attacks on the ledger over separate connections, and its state before and after."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import psycopg.types.json
import pytest

from exchange.core.ids import uuid7
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.database import Connection
from tests.factories.wallets import Wallet
from wallets.ledger.models import Account, Entry, Transfer
from wallets.withdrawals.models import Withdrawal

ROLES = ("owner", "runtime")


def account_id_of(wallet: Wallet, kind: str = "available", asset: str = "KES") -> UUID:
    found: UUID = Account.objects.get(owner_id=wallet.owner_id, kind=kind, asset_id=asset).id
    return found


def system_account_id(kind: str = "clearing", asset: str = "KES") -> UUID:
    found: UUID = Account.objects.get(owner_id=None, kind=kind, asset_id=asset).id
    return found


def justification(cursor: Any, kind: str) -> str:
    """Return the condition of the rule of `kind`, on a row `t` of wallets_transfer."""
    query = "SELECT justified_if FROM wallets_transferrule WHERE kind = %s"
    [condition] = cursor.execute(query, [kind]).fetchone()
    return str(condition).replace("NEW", "t")


def ledger_snapshot() -> tuple[Any, ...]:
    """Return the whole content of the ledger, to compare before and after."""
    return (
        sorted(Account.objects.values_list("id", "balance", "owner_id", "kind")),
        sorted(Transfer.objects.values_list("id", "kind", "reference", "created_at")),
        sorted(Entry.objects.values_list("id", "transfer_id", "account_id", "amount")),
        sorted(Withdrawal.objects.values_list("id", "status", "version", "amount", "updated_at")),
    )


@contextmanager
def assert_rejected(
    *expected: type[psycopg.Error],
) -> Iterator[pytest.ExceptionInfo[psycopg.Error]]:
    """Assert that the block raises one of these errors and changes nothing.

    The reason must not be `transfer_justified`: a transfer without a record is always rejected.
    """
    with assert_nothing_changes(), pytest.raises(expected) as error:
        yield error
    assert error.value.diag.constraint_name != "transfer_justified"


_POST = (
    "SELECT post_service_transfers(ARRAY[%(id)s]::uuid[], ARRAY[%(kind)s]::text[],"
    " ARRAY[%(reference)s]::text[], ARRAY[%(subject)s]::uuid[], ARRAY['system:attack'], ARRAY[''],"
    " array_fill(%(id)s::uuid, ARRAY[cardinality(%(accounts)s::uuid[])]), %(accounts)s::uuid[],"
    " %(amounts)s::numeric[])"
)


def post(
    connection: Connection,
    *legs: tuple[UUID, str],
    transfer: UUID | None = None,
    kind: str = "deposit",
    reference: str = "",
    subject: UUID | None = None,
) -> UUID:
    """Post with the only function that the runtime role may call."""
    made = transfer or uuid7()
    connection.execute(
        _POST,
        {
            "id": made,
            "kind": kind,
            "reference": reference or f"attack:{made}",
            "subject": subject,
            "accounts": [account for account, _ in legs],
            "amounts": [Decimal(amount) for _, amount in legs],
        },
    )
    return made


def enter_deposit(
    connection: Connection, wallet: Wallet, amount: str, *, confirmed: bool = True
) -> UUID:
    """Insert a deposit in KES without posting it."""
    made = uuid7()
    connection.execute(
        "INSERT INTO wallets_deposit (id, organisation_id, member_id, currency_id, amount,"
        " reference, note, status, reason, created_at)"
        " VALUES (%s, %s, %s, 'KES', %s, %s, '', 'Pending', '', now())",
        [made, wallet.organisation.id, wallet.member_id, amount, str(made)],
    )
    if confirmed:
        connection.execute(
            "UPDATE wallets_deposit SET status = 'Completed', decided_at = now() WHERE id = %s",
            [made],
        )
    return made


def post_deposit(connection: Connection, wallet: Wallet, amount: str) -> UUID:
    """Insert a deposit and post its transfer."""
    deposit = enter_deposit(connection, wallet, amount)
    return post(
        connection,
        (system_account_id(), f"-{amount}"),
        (account_id_of(wallet), amount),
        reference=f"deposit:{deposit}",
        subject=deposit,
    )


def insert_transfer(connection: Connection, deposit: UUID | None = None) -> UUID:
    made = uuid7()
    connection.execute(
        "INSERT INTO wallets_transfer"
        " (id, kind, reference, subject_id, actor, memo, created_at, created_txid)"
        " VALUES (%s, 'deposit', %s, %s, 'system:attack', '', now(), 0)",
        [made, f"deposit:{deposit or made}", deposit],
    )
    return made


def insert_entries(
    connection: Connection, transfer: UUID, *legs: tuple[UUID, str], asset: str = "KES"
) -> None:
    """Insert the entries in one statement, as the ledger requires for all legs of an asset."""
    connection.execute(
        "INSERT INTO wallets_entry (id, transfer_id, account_id, asset_id, amount)"
        " SELECT new_id(), %s, l.account, %s, l.amount"
        " FROM unnest(%s::uuid[], %s::numeric[]) l (account, amount)",
        [
            transfer,
            asset,
            [account for account, _ in legs],
            [Decimal(amount) for _, amount in legs],
        ],
    )


def copy_withdrawal(connection: Connection, source: UUID, **changes: Any) -> None:
    """Insert a copy of the withdrawal `source` with a bank record of its own and `changes`."""
    bank = changes.get("bank_id")
    if bank is None:
        bank = uuid7()
        given = (
            "id, organisation_id, name, code, provider_bank_id, account_number, account_name,"
            " provided_name, name_resolved, currency_id, branch_code, recipient_first_name,"
            " recipient_last_name, recipient_email, recipient_phone, recipient_address, created_at"
        )
        connection.execute(
            f"INSERT INTO wallets_bankaccount ({given})"
            f" SELECT {', '.join('r.' + name.strip() for name in given.split(','))}"
            " FROM wallets_bankaccount b JOIN wallets_withdrawal w ON w.bank_id = b.id,"
            " LATERAL jsonb_populate_record(b, %s) r WHERE w.id = %s",
            [psycopg.types.json.Jsonb({"id": str(bank)}), source],
        )
    columns = (
        "id, organisation_id, member_id, escrow_account_id, reference, currency_id, amount, fee,"
        " disburse_amount,"
        " gusd_amount, internal_fee, internal_fee_type, bank_id, status, version, requested_by,"
        " approvals_needed, first_approver_id, second_approver_id, actioned_on, actioned_by,"
        " reason, created_at, updated_at, document"
    )
    new = uuid7()
    values = {"id": new, "reference": f"payout_{new.hex[-26:]}", "bank_id": bank, **changes}
    connection.execute(
        f"INSERT INTO wallets_withdrawal ({columns})"
        f" SELECT {', '.join('r.' + name.strip() for name in columns.split(','))}"
        " FROM wallets_withdrawal w,"
        " LATERAL jsonb_populate_record(w, %s) r WHERE w.id = %s",
        [psycopg.types.json.Jsonb({key: _plain(value) for key, value in values.items()}), source],
    )


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int) else str(value)
