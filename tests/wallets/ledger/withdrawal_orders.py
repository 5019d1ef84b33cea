"""Withdrawal orders for the SQL functions, and wallets to order from."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from exchange.core.ids import uuid7
from tests.environment.database import Connection
from tests.environment.sql_functions import expression
from tests.factories.bare_rows import as_json, insert_row
from tests.factories.plain_sql import Books
from wallets.fees.models import Configuration

TEXTS = (
    "reference", "bank_name", "bank_code", "account_number", "account_name", "provided_name",
    "branch_code", "recipient_first_name", "recipient_last_name", "recipient_email",
    "recipient_phone", "recipient_address",
)  # fmt: skip
KEYED = {"method": "POST", "path": "/w", "body_hash": "hash"}
SETTINGS = {
    "MINIMUM_WITHDRAWAL_KES": "10", "KES_WITHDRAWAL_FEE": "3", "KES_USD_RATE": "8",
    "SECOND_APPROVAL_ABOVE_KES": "20", "KES_INTERNAL_FEE": "1",
    "MINIMUM_WITHDRAWAL_NGN": "5", "NGN_WITHDRAWAL_FEE": "12.5",
}  # fmt: skip


@dataclass(frozen=True)
class Owner:
    """An organisation or member, with accounts by currency and kind."""

    organisation: UUID
    member: UUID | None
    accounts: dict[str, UUID]


def store_settings(books: Books) -> None:
    """Exactly FIGURES are known, and no currency has fewer decimals than an amount may have."""
    with books.unguarded():
        books.owner.execute("UPDATE wallets_asset SET decimals = 8 WHERE id IN ('KES', 'NGN')")
        books.owner.execute("DELETE FROM wallets_settingchange")
        books.owner.execute("DELETE FROM wallets_configuration")
        for key, value in SETTINGS.items():
            insert_row(books.owner, Configuration, key=key, value=value)


def open_wallet(
    books: Books,
    balances: dict[str, str],
    *,
    organisation: UUID | None = None,
    member: bool = False,
) -> Owner:
    """Open accounts such as `{"KES available": "5"}`, in this order and without guards."""
    home = organisation or books.organisation
    person = books.insert("exchange_member", organisation_id=home) if member else None
    accounts = {}
    for name, balance in balances.items():
        asset, kind = name.split()
        accounts[name] = books.insert(
            "wallets_account", asset_id=asset, kind=kind, organisation_id=home, member_id=person,
            balance=balance,
        )  # fmt: skip
    return Owner(home, person, accounts)


def order(owner: Owner, amount: str, currency: str = "KES", **given: Any) -> dict[str, Any]:
    """Return an order of the owner, with distinctive texts."""
    made = uuid7()
    ids = {name: uuid7() for name in ("bank", "transfer", "event", "new_escrow")}
    texts = {name: f"{name} {str(made)[-9:]}" for name in TEXTS}
    return {
        "withdrawal": made, **ids, **texts, "organisation": owner.organisation,
        "member": owner.member, "currency": currency, "amount": amount, "provider_bank_id": 7,
        "name_resolved": True, "actor": f"key:{ids['bank']}",
    } | given  # fmt: skip


def run(connection: Connection, function: str, *arguments: Any) -> list[Any]:
    """Return the rows of the function."""
    text, values = expression(function, *arguments)
    return connection.execute(f"SELECT * FROM {text}", values).fetchall()


def request(connection: Connection, *asked: dict[str, Any], wait_ms: int = 1000) -> list[Any]:
    """Return the rows of `request_withdrawals`; see `made` and `replayed`."""
    return connection.execute(
        "SELECT id, status_code, message, data, replayed"
        " FROM request_withdrawals(%s, %s, '1 day', 201, 'made')",
        [as_json(list(asked)), wait_ms],
    ).fetchall()


def made(books: Books, asked: dict[str, Any]) -> tuple[Any, ...]:
    """Return the row of an order whose withdrawal was made."""
    return (asked["withdrawal"], 201, "made", respond(books, asked), False)


def replayed(asked: dict[str, Any], *kept: Any) -> tuple[Any, ...]:
    """Return the row of an order whose key has a stored response."""
    return (asked["withdrawal"], *kept, True)


def respond(books: Books, asked: dict[str, Any]) -> str:
    """Return the response for the withdrawal of the order."""
    found: str = books.value(
        "SELECT '{\"withdrawalRequest\":' || w.document || ',\"bank\":' || b.document || '}'"
        " FROM wallets_withdrawal w JOIN wallets_bankaccount b ON b.id = w.bank_id"
        " WHERE w.id = %s", [asked["withdrawal"]],
    )  # fmt: skip
    return found


def stored(books: Books) -> list[Any]:
    """Return the idempotency records of the organisation, of this month (see `keys_of_month`)."""
    return books.rows(
        "SELECT key, body_hash, status_code, message, data FROM exchange_idempotencyrecord"
        " WHERE organisation_id = %s AND month = month_of(now()) ORDER BY key",
        [books.organisation],
    )  # fmt: skip
