"""Tables on the review page of a withdrawal."""

from collections.abc import Sequence

from django.urls import reverse

from exchange.admin.base import Section, Tool
from exchange.admin.display import age, format_time, kind_label, record_link
from exchange.core.currencies import format_money
from wallets.ledger.admin.signs import SIGN, natural_amount
from wallets.ledger.models import Transfer
from wallets.withdrawals.admin.show import withdrawal_badge
from wallets.withdrawals.models import Payout, Withdrawal
from wallets.withdrawals.selectors.review_facts import RecentDeposits

_MAX_RECENT = 10


def payout(withdrawal: Withdrawal, known: Payout) -> Section:
    """Return the state of the payout at the provider."""
    rows: list[Sequence[object]] = [
        ("Provider ID", known.provider_id or "-"),
        ("Provider status", known.provider_status or "-"),
        ("Provider message", known.provider_message or "-"),
        ("Provider charge", format_money(known.provider_fee, withdrawal.currency_id)),
        (
            "Sent to the provider (UTC)",
            format_time(known.posted_at) if known.posted_at else "not yet",
        ),
        ("Last error", known.last_error or "-"),
        ("Attempts", known.attempts),
        ("Status checks", known.status_checks),
        ("Status checks: not found", known.not_found_count),
        (
            "Next status check (UTC)",
            format_time(known.next_step_at) if known.next_step_at else "none",
        ),
    ]
    return Section("Payout", ("", ""), rows)


def decisions(withdrawal: Withdrawal) -> Section:
    """Return the decisions."""
    rows = [
        (
            format_time(d.created_at),
            d.verdict,
            d.actor_label,
            d.reason or "-",
            d.override or "-",
            d.version,
        )
        for d in withdrawal.decisions.all()
    ]
    headings = (
        "Time (UTC)", "Decision", "By", "Reason", "Reason for override", "Version",
    )  # fmt: skip
    return Section(
        "Decisions", headings, rows, right=(5,), empty="No decisions yet.", tab="History"
    )


def transfers(withdrawal: Withdrawal) -> Section:
    """Return the ledger transfers."""
    moved = (
        Transfer.objects.filter(subject_id=withdrawal.pk)
        .order_by("created_at", "id")
        .prefetch_related("entries__account")
    )
    rows = [
        (
            format_time(transfer.created_at),
            record_link(transfer, kind_label(transfer)),
            kind_label(entry.account),
            format_money(natural_amount(entry.amount, entry.account.kind), entry.asset_id),
        )
        for transfer in moved
        for entry in sorted(transfer.entries.all(), key=lambda e: e.pk)
    ]
    headings = ("Time (UTC)", "Transfer", "Account", "Amount")
    return Section("Ledger", headings, rows, right=(3,), note=SIGN, tab="Money")


def recent(withdrawal: Withdrawal) -> Section:
    """Return other recent withdrawals of the owner."""
    others = (
        Withdrawal.objects.filter(owner_id=withdrawal.owner_id)
        .exclude(pk=withdrawal.pk)
        .select_related("bank", "payout")
        .order_by("-created_at", "-id")[:_MAX_RECENT]
    )
    rows = [
        (
            age(other.created_at),
            record_link(other),
            withdrawal_badge(other),
            format_money(other.amount, other.currency_id),
            f"{other.bank.account_name}, {other.bank.name} {other.bank.account_number}",
        )
        for other in others
    ]
    headings = ("Ago", "Withdrawal", "Status", "Amount", "Payee")
    title = "Recent withdrawals of the same owner"
    address = reverse("admin:wallets_withdrawal_changelist")
    more = Tool("View all", f"{address}?status=all&owner_id={withdrawal.owner_id}")
    return Section(
        title,
        headings,
        rows,
        right=(3,),
        empty="No other withdrawals.",
        more=more if rows else None,
        tab="History",
    )


def deposits(withdrawal: Withdrawal, arrived: RecentDeposits) -> Section:
    """Return recent deposits to the wallet."""
    rows = [
        (
            age(deposit.decided_at or deposit.created_at),
            record_link(deposit),
            format_money(deposit.amount, deposit.currency_id),
        )
        for deposit in arrived.deposits
    ]
    total = format_money(arrived.amount, withdrawal.currency_id)
    code = withdrawal.currency_id
    address = reverse("admin:wallets_deposit_changelist")
    query = f"owner_id={withdrawal.owner_id}&currency__code__exact={code}"
    return Section(
        f"Deposits to this wallet within 30 days: {arrived.count} in {code}, {total}",
        ("Ago", "Deposit", "Amount"),
        rows,
        right=(2,),
        empty="None.",
        more=Tool("View all", f"{address}?{query}") if rows else None,
        tab="Money",
    )
