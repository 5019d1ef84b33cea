"""Columns of exported accounts, entries and transfers."""

from decimal import Decimal
from typing import Any, Protocol
from uuid import UUID

from exchange.admin.display import kind_label
from exchange.exports.sheets import SheetColumn
from exchange.participants.models import Member, Organisation
from wallets.ledger.admin.formatting import asset_name
from wallets.ledger.admin.signs import natural_amount
from wallets.ledger.models import Account
from wallets.ledger.selectors.ledger import system_balances


class Owned(Protocol):
    """A record owned by a member, an organisation, or (neither) the exchange."""

    @property
    def member(self) -> Member | None: ...
    @property
    def member_id(self) -> UUID | None: ...
    @property
    def organisation(self) -> Organisation | None: ...
    @property
    def organisation_id(self) -> UUID | None: ...


def owner_of(record: Owned) -> str:
    """Return the owner's name, or "The exchange"."""
    return str(record.member or record.organisation or "The exchange")


def kind_of_owner(record: Owned) -> str:
    """Return `Member`, `Organisation` or `Exchange`."""
    if record.member_id is not None:
        return "Member"
    return "Exchange" if record.organisation_id is None else "Organisation"


def _balance(account: Account) -> Decimal | None:
    """Return the balance; for system accounts the sum of entries, or None if too many."""
    if account.balance is not None:
        return account.balance
    total = system_balances([account])[account.pk]
    return natural_amount(total.amount, account.kind) if total.complete else None


def name_of(person: Any) -> str:
    """Return the name, or an empty text for None."""
    return "" if person is None else str(person)


ACCOUNTS: tuple[SheetColumn, ...] = (
    SheetColumn("Owner", owner_of),
    SheetColumn("Owner type", kind_of_owner),
    SheetColumn("Owner ID", lambda a: str(a.owner_id or "")),
    SheetColumn("Organisation", lambda a: name_of(a.organisation)),
    SheetColumn("Account", lambda a: a.kind),
    SheetColumn("Asset", lambda a: asset_name(a.asset)),
    SheetColumn("Balance", _balance),
    SheetColumn("Account ID", lambda a: str(a.pk)),
)


ENTRIES: tuple[SheetColumn, ...] = (
    SheetColumn("Time (UTC)", lambda e: e.transfer.created_at),
    SheetColumn("Owner", lambda e: owner_of(e.account)),
    SheetColumn("Account", lambda e: e.account.kind),
    SheetColumn("Asset", lambda e: asset_name(e.account.asset)),
    SheetColumn("Type", lambda e: kind_label(e.transfer)),
    SheetColumn("Amount", lambda e: natural_amount(e.amount, e.account.kind)),
    SheetColumn("Balance after", lambda e: natural_amount(e.balance_after, e.account.kind)),
    SheetColumn("Memo", lambda e: e.transfer.memo),
    SheetColumn("Transfer", lambda e: e.transfer.reference),
    SheetColumn("Subject ID", lambda e: str(e.transfer.subject_id or "")),
    SheetColumn("By", lambda e: e.transfer.actor),
    SheetColumn("Organisation", lambda e: name_of(e.account.organisation)),
    SheetColumn("Owner ID", lambda e: str(e.account.owner_id or "")),
    SheetColumn("Account ID", lambda e: str(e.account_id)),
    SheetColumn("Entry ID", lambda e: str(e.pk)),
)


TRANSFERS: tuple[SheetColumn, ...] = (
    SheetColumn("Time (UTC)", lambda t: t.created_at),
    SheetColumn("Type", kind_label),
    SheetColumn("Reference", lambda t: t.reference),
    SheetColumn("Subject ID", lambda t: str(t.subject_id or "")),
    SheetColumn("Memo", lambda t: t.memo),
    SheetColumn("By", lambda t: t.actor),
    SheetColumn("Transfer ID", lambda t: str(t.pk)),
)
