"""What files of money have in their columns: withdrawals, payouts, deposits, accounts, entries,
transfers.

"Net to bank" is what a payee is to get, whatever has become of it. "Paid out" is filled only where
it was paid and stayed paid, not where the bank sent the money back: so its total is the money that
left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

from exchange.sheets import Column
from wallets.admin.show import held, is_returned, payout_of, state_in_words
from wallets.models import (
    Account,
    Deposit,
    Entry,
    Transfer,
    Withdrawal,
    WithdrawalStatus,
)
from wallets.selectors.ledger import system_totals


def asset_of(account: Account) -> str:
    """The currency's code or the token's symbol."""
    return account.asset.token.symbol if account.asset.token else account.asset_id


def owner_of(record: Account | Deposit | Withdrawal) -> str:
    """Whose it is, by name; the exchange's own accounts are nobody's."""
    return str(record.member or record.organisation or "The exchange")


def kind_of_owner(record: Account | Deposit) -> str:
    """`user` and `organisation`, as the API calls them; `exchange` for our own."""
    if record.member_id is not None:
        return "user"
    return "exchange" if record.organisation_id is None else "organisation"


def paid_out(withdrawal: Withdrawal) -> Decimal | None:
    """What the payee got and has; None of what was not paid, or came back."""
    paid = withdrawal.status == WithdrawalStatus.COMPLETED and not is_returned(withdrawal)
    return withdrawal.disburse_amount if paid else None


def _balance(account: Account) -> Decimal | None:
    """The balance; added up where the account keeps none, unless that is too much."""
    if account.balance is not None:
        return account.balance
    total = system_totals([account])[account.pk]
    return held(total.amount, account.kind) if total.complete else None


def _paid(name: str) -> Any:
    def value(withdrawal: Withdrawal) -> Any:
        payout = payout_of(withdrawal)
        return None if payout is None else getattr(payout, name)

    return value


def _charge(withdrawal: Withdrawal) -> Decimal | None:
    payout = payout_of(withdrawal)
    return None if payout is None else payout.provider_fee


def _name(person: Any) -> str:
    return "" if person is None else str(person)


WITHDRAWALS: tuple[Column, ...] = (
    Column("Reference", lambda w: w.reference),
    Column("Status", state_in_words),
    Column("Created (UTC)", lambda w: w.created_at),
    Column("Organisation", lambda w: w.organisation.name),
    Column("Owner", owner_of),
    Column("Owner is", lambda w: w.owner_model),
    Column("Owner id", lambda w: str(w.owner_id)),
    Column("Currency", lambda w: w.currency_id),
    Column("Amount", lambda w: w.amount),
    Column("Fee", lambda w: w.fee),
    Column("Net to bank", lambda w: w.disburse_amount),
    Column("Paid out", paid_out),
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

PAYOUTS: tuple[Column, ...] = (
    Column("Reference", lambda p: p.withdrawal.reference),
    Column("Status", lambda p: state_in_words(p.withdrawal)),
    Column("Created (UTC)", lambda p: p.created_at),
    Column("Organisation", lambda p: p.withdrawal.organisation.name),
    Column("Owner", lambda p: owner_of(p.withdrawal)),
    Column("Owner is", lambda p: p.withdrawal.owner_model),
    Column("Owner id", lambda p: str(p.withdrawal.owner_id)),
    Column("Currency", lambda p: p.withdrawal.currency_id),
    Column("Amount", lambda p: p.withdrawal.amount),
    Column("Fee", lambda p: p.withdrawal.fee),
    Column("Net to bank", lambda p: p.withdrawal.disburse_amount),
    Column("Paid out", lambda p: paid_out(p.withdrawal)),
    Column("Bank", lambda p: p.withdrawal.bank.name),
    Column("Bank code", lambda p: p.withdrawal.bank.code),
    Column("Account number", lambda p: p.withdrawal.bank.account_number),
    Column("Account name", lambda p: p.withdrawal.bank.account_name),
    Column("Sent (UTC)", lambda p: p.posted_at),
    Column("Settled (UTC)", lambda p: p.settled_at),
    Column("Provider's id", lambda p: p.provider_id),
    Column("Provider's status", lambda p: p.provider_status),
    Column("Provider's charge", lambda p: p.provider_fee),
    Column("Provider's message", lambda p: p.provider_message),
    Column("Attempts", lambda p: p.attempts),
    Column("Last error", lambda p: p.last_error),
    Column("Next step (UTC)", lambda p: p.next_step_at),
    Column("Withdrawal id", lambda p: str(p.withdrawal_id)),
)

DEPOSITS: tuple[Column, ...] = (
    Column("Reference", lambda d: d.reference),
    Column("Status", lambda d: d.status),
    Column("Entered (UTC)", lambda d: d.created_at),
    Column("Entered by", lambda d: _name(d.entered_by)),
    Column("Organisation", lambda d: d.organisation.name),
    Column("Owner", owner_of),
    Column("Owner is", kind_of_owner),
    Column("Owner id", lambda d: str(d.owner_id)),
    Column("Currency", lambda d: d.currency_id),
    Column("Amount", lambda d: d.amount),
    Column("Note", lambda d: d.note),
    Column("Decided (UTC)", lambda d: d.decided_at),
    Column("Decided by", lambda d: _name(d.decided_by)),
    Column("Reason", lambda d: d.reason),
    Column("Deposit id", lambda d: str(d.pk)),
)

ACCOUNTS: tuple[Column, ...] = (
    Column("Owner", owner_of),
    Column("Owner is", kind_of_owner),
    Column("Owner id", lambda a: str(a.owner_id or "")),
    Column("Organisation", lambda a: _name(a.organisation)),
    Column("Account", lambda a: a.kind),
    Column("Asset", asset_of),
    Column("Balance", _balance),
    Column("Account id", lambda a: str(a.pk)),
)

ENTRIES: tuple[Column, ...] = (
    Column("When (UTC)", lambda e: e.transfer.created_at),
    Column("Owner", lambda e: owner_of(e.account)),
    Column("Account", lambda e: e.account.kind),
    Column("Asset", lambda e: asset_of(e.account)),
    Column("What", lambda e: e.transfer.get_kind_display()),
    Column("Amount", lambda e: held(e.amount, e.account.kind)),
    Column("Balance after", lambda e: held(e.balance_after, e.account.kind)),
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
