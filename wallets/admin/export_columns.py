"""What files of withdrawals, entries and transfers have in their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

from exchange.sheets import Column
from wallets.models import Account, Entry, Payout, Transfer, Withdrawal


def asset_of(account: Account) -> str:
    """The currency's code or the token's symbol."""
    return account.asset.token.symbol if account.asset.token else account.asset_id


def owner_of(record: Account | Withdrawal) -> str:
    """Whose it is, by name; the exchange's own accounts are nobody's."""
    return str(record.member or record.organisation or "The exchange")


def _payout(withdrawal: Withdrawal) -> Payout | None:
    return getattr(withdrawal, "payout", None)


def _paid(name: str) -> Any:
    def value(withdrawal: Withdrawal) -> Any:
        payout = _payout(withdrawal)
        return None if payout is None else getattr(payout, name)

    return value


def _charge(withdrawal: Withdrawal) -> Decimal | None:
    payout = _payout(withdrawal)
    return None if payout is None else payout.provider_fee


def _name(person: Any) -> str:
    return "" if person is None else str(person)


WITHDRAWALS: tuple[Column, ...] = (
    Column("Reference", lambda w: w.reference),
    Column("Status", lambda w: w.status),
    Column("Created (UTC)", lambda w: w.created_at),
    Column("Organisation", lambda w: w.organisation.name),
    Column("Owner", owner_of),
    Column("Owner is", lambda w: w.owner_model),
    Column("Owner id", lambda w: str(w.owner_id)),
    Column("Currency", lambda w: w.currency_id),
    Column("Amount", lambda w: w.amount),
    Column("Fee", lambda w: w.fee),
    Column("Paid out", lambda w: w.disburse_amount),
    Column("Amount in USD", lambda w: w.gusd_amount),
    Column("Bank", lambda w: w.bank.name),
    Column("Bank code", lambda w: w.bank.code),
    Column("Account number", lambda w: w.bank.account_number),
    Column("Account name", lambda w: w.bank.account_name),
    Column("Name given", lambda w: w.bank.given_name),
    Column("Decided (UTC)", lambda w: w.actioned_on),
    Column("Decided by", lambda w: w.actioned_by),
    Column("First approval", lambda w: _name(w.first_approver)),
    Column("Second approval", lambda w: _name(w.second_approver)),
    Column("Reason", lambda w: w.reason),
    Column("Sent (UTC)", _paid("posted_at")),
    Column("Settled (UTC)", _paid("settled_at")),
    Column("Provider's id", _paid("provider_id")),
    Column("Provider's status", _paid("provider_status")),
    Column("Provider's charge", _charge),
    Column("Withdrawal id", lambda w: str(w.pk)),
)

ENTRIES: tuple[Column, ...] = (
    Column("When (UTC)", lambda e: e.transfer.created_at),
    Column("Owner", lambda e: owner_of(e.account)),
    Column("Account", lambda e: e.account.kind),
    Column("Asset", lambda e: asset_of(e.account)),
    Column("What", lambda e: e.transfer.get_kind_display()),
    Column("Amount", lambda e: e.amount),
    Column("Balance after", lambda e: e.balance_after),
    Column("Memo", lambda e: e.transfer.memo),
    Column("Transfer", lambda e: e.transfer.reference),
    Column("About", lambda e: str(e.transfer.subject_id or "")),
    Column("By", lambda e: e.transfer.actor),
    Column("Organisation", lambda e: _name(e.account.organisation)),
    Column("Owner id", lambda e: str(e.account.owner_id or "")),
    Column("Account id", lambda e: str(e.account_id)),
    Column("Entry id", lambda e: str(e.pk)),
)

TRANSFERS: tuple[Column, ...] = (
    Column("When (UTC)", lambda t: t.created_at),
    Column("What", Transfer.get_kind_display),
    Column("Reference", lambda t: t.reference),
    Column("About", lambda t: str(t.subject_id or "")),
    Column("Memo", lambda t: t.memo),
    Column("By", lambda t: t.actor),
    Column("Transfer id", lambda t: str(t.pk)),
)

# By these the list of entries is narrowed to whole accounts, in which a balance can be carried on.
OF_WHOLE_ACCOUNTS = frozenset(
    {
        "account__id__exact",
        "account__owner_id",
        "account_kind",
        "counts",
        "o",
    }
)


def carried_on(entries: Iterator[Entry], opening: Callable[[UUID], Decimal]) -> Iterator[Entry]:
    """`entries`, oldest first, with the balance that the exchange's own accounts do not keep.

    `opening` gives an account's balance before the first of them.
    """
    running: dict[UUID, Decimal] = {}
    for entry in entries:
        if entry.balance_after is None:
            account = entry.account_id
            before = running[account] if account in running else opening(account)
            entry.balance_after = running[account] = before + entry.amount
        yield entry
