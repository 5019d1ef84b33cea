"""Context of the review page of a withdrawal.

The page answers "should this be paid?": flags first, then the payment, its recipient, velocity and
history, the wallet, and the exact payment instruction.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import F, Q
from django.http import HttpRequest

from exchange.admin.base import Section, staff_of
from exchange.admin.display import age, format_time, record_link
from exchange.admin.references import reference_facts
from exchange.admin.tabs import OVERVIEW
from exchange.core.actors import Actor
from exchange.core.currencies import format_money
from exchange.events.admin.links import events_section
from exchange.staff.admin.pending import describe_approvers
from exchange.staff.models import StaffUser
from wallets.banks.admin.name_matching import describe_match, match_tone
from wallets.banks.payout_details import missing_fields, required_fields
from wallets.banks.verifications import verifications_of
from wallets.ledger.models import AccountKind, Transfer, TransferKind
from wallets.ledger.selectors.wallets import wallet_balances
from wallets.withdrawals.admin import review_tables
from wallets.withdrawals.admin.second_approval import (
    describe_allowance,
    explain_second_approval,
    is_first_of_two,
)
from wallets.withdrawals.admin.show import withdrawal_badge
from wallets.withdrawals.models import (
    OPEN_STATUSES,
    Decision,
    Payout,
    Verdict,
    Withdrawal,
    WithdrawalStatus,
)
from wallets.withdrawals.selectors.approvals import sole_approvals
from wallets.withdrawals.selectors.review_facts import (
    AccountUse,
    RequestTotals,
    ReviewFacts,
    Velocity,
    find_owners_sharing_account,
    load_review_facts,
    recent_deposits,
    request_velocity,
)
from wallets.withdrawals.selectors.review_flags import (
    ReviewFlag,
    critical_flags,
    deserialize_flags,
    is_frozen,
    name_match,
    requesting_keys,
    review_flags,
)
from wallets.withdrawals.services.decisions import DECIDE, FROZEN
from wallets.withdrawals.services.transfer_requests import transfer_request

_MAX_DEPOSITS = 10
_DEEDS = {
    Verdict.APPROVE: "approved it",
    Verdict.REJECT: "rejected it",
    Verdict.CANCEL: "cancelled it",
    Verdict.ADD_DETAILS: "added payout details",
    Verdict.PROPOSE: "proposed a resolution",
    Verdict.CONFIRM: "confirmed the proposal",
    Verdict.DECLINE: "declined the proposal",
}
# What the last decision says already is not repeated.
_NOW = {
    WithdrawalStatus.PENDING: "Review it again.",
    WithdrawalStatus.APPROVED: "It is queued for payout.",
    WithdrawalStatus.PROCESSING: "It is being processed.",
    WithdrawalStatus.REJECTED: "",
    WithdrawalStatus.CANCELLED: "",
}
_WITH_FLAGS = (Verdict.APPROVE, Verdict.REJECT)
_HAS_FLAGS = Q(verdict__in=_WITH_FLAGS, flags__isnull=False)


@dataclass(frozen=True, slots=True)
class BalanceLine:
    """Balance of one account before the request, now, and after payout or release."""

    title: str
    before: str
    now: str
    after_payout: str
    after_release: str


@dataclass(frozen=True, slots=True)
class VelocityLine:
    """Requests of the owner and of the organisation within one period."""

    title: str
    owner: int
    owner_amount: str
    organisation: int
    organisation_amount: str


@dataclass(frozen=True, slots=True)
class DecisionFlags:
    """Decision with its flags at the time and the reason for overriding them."""

    who: str
    when: str
    flags: Sequence[ReviewFlag]
    override: str


def review_context(
    request: HttpRequest, withdrawal: Withdrawal, *, decided: Sequence[Section]
) -> dict[str, Any]:
    """Return the context of the page; `decided` are the tables of decisions."""
    user = staff_of(request)
    pending = withdrawal.status == WithdrawalStatus.PENDING
    # The payout is created by the approval.
    payout = None if pending else Payout.objects.filter(withdrawal_id=withdrawal.pk).first()
    key = requesting_keys([withdrawal]).get(withdrawal.requested_by)
    facts = load_review_facts([withdrawal.pk])
    use, largest = facts[withdrawal.pk].use, facts[withdrawal.pk].largest_paid
    recent = request_velocity(withdrawal)
    arrived = recent_deposits(withdrawal, _MAX_DEPOSITS)
    alone = None
    if pending and withdrawal.first_approver_id is None and user.has_perm(DECIDE):
        alone = sole_approvals(user.pk, withdrawal.pk)
    why_two = explain_second_approval(withdrawal, user, alone)
    flags = current_flags(withdrawal, facts) if pending else {}
    tables = [
        *([review_tables.payout(withdrawal, payout)] if payout else []),
        review_tables.deposits(withdrawal, arrived),
        review_tables.transfers(withdrawal),
        review_tables.recent(withdrawal),
        *decided,
        events_section(withdrawal.pk, tab="History"),
    ]
    return {
        **payment_summary(withdrawal),
        "owner": withdrawal.member or withdrawal.organisation,
        "owner_link": record_link(withdrawal.member or withdrawal.organisation),
        "organisation_link": record_link(withdrawal.organisation),
        "requested_by": record_link(key, f"API key {key.name}") if key else withdrawal.requested_by,
        "status": withdrawal_badge(withdrawal),
        "references": reference_facts(withdrawal),
        "age": age(withdrawal.created_at),
        "created": format_time(withdrawal.created_at),
        "in_usd": format_money(withdrawal.gusd_amount, "USD") if withdrawal.gusd_amount else "",
        **flags,
        "decision_flags": decision_flags(withdrawal),
        "verified": verifications_of(withdrawal.bank).first(),
        "use": _describe_account_use(use),
        "other_owners": _describe_sharing(withdrawal, use),
        "velocity": _velocity_lines(withdrawal, recent),
        "velocity_until": format_time(recent.until),
        "largest": format_money(largest, withdrawal.currency_id) if largest else "none",
        "deposited": f"{format_money(arrived.amount, withdrawal.currency_id)}"
        f" in {arrived.count} deposit{'' if arrived.count == 1 else 's'}",
        "balances": _balance_lines(withdrawal),
        "open": withdrawal.status in OPEN_STATUSES,
        "order": _payment_instruction(withdrawal),
        "needed": bool(required_fields(withdrawal.currency_id)),
        "why_two": why_two,
        "allowance": describe_allowance(alone, withdrawal.currency_id),
        "approvals": _describe_approvals(withdrawal, 2 if why_two else 1),
        "others": describe_approvers(DECIDE, withdrawal.first_approver_id, withdrawal.requested_by)
        if pending
        else "",
        "pending": pending,
        "may_decide": pending and user.has_perm(DECIDE),
        "blocker": describe_blocker(withdrawal, user, flags.get("flags", ())),
        "approve_words": describe_approval(withdrawal, why_two),
        "payout": payout,
        "tabs": group_sections(tables),
    }


def group_sections(tables: Sequence[Section]) -> dict[str, list[Section]]:
    """Return the tables by tab."""
    found: dict[str, list[Section]] = {}
    for table in tables:
        found.setdefault(table.tab or OVERVIEW, []).append(table)
    return found


def current_flags(
    withdrawal: Withdrawal, facts: Mapping[UUID, ReviewFacts] | None = None
) -> dict[str, Any]:
    """Return the flags of a Pending withdrawal for the pages that decide."""
    found = review_flags([withdrawal], facts)[withdrawal.pk]
    return {"flags": found, "stop": critical_flags(found)}


def decision_flags(withdrawal: Withdrawal) -> list[DecisionFlags]:
    """Return the approvals and rejections with stored flags, oldest first."""
    return [
        DecisionFlags(
            f"{'Approved' if d.verdict == Verdict.APPROVE else 'Rejected'} by {d.actor_label}",
            format_time(d.created_at),
            deserialize_flags(d.flags),
            d.override,
        )
        for d in withdrawal.decisions.all()
        if d.verdict in _WITH_FLAGS and d.flags is not None
    ]


def attach_flags(withdrawals: Sequence[Any]) -> None:
    """Set `flags` on each: current ones if Pending, else those of its last decision, or None.

    Runs a bounded number of queries.
    """
    now = review_flags([row for row in withdrawals if row.status == WithdrawalStatus.PENDING])
    decided = [row for row in withdrawals if row.status != WithdrawalStatus.PENDING]
    kept = {
        decision.withdrawal_id: decision.flags
        for decision in Decision.objects.filter(
            _HAS_FLAGS, withdrawal__in=[row.pk for row in decided]
        )
    }
    for row in withdrawals:
        row.flags = now.get(row.pk)
    for row in decided:
        row.flags = deserialize_flags(kept[row.pk]) if row.pk in kept else None


def payment_summary(withdrawal: Withdrawal) -> dict[str, Any]:
    """Return amount, fee and payee for the pages that decide."""
    match = name_match(withdrawal)
    return {
        "withdrawal": withdrawal,
        "bank": withdrawal.bank,
        "match": match.label if match else "not checked",
        "match_tone": match_tone(match),
        "match_details": describe_match(match),
        "amount": format_money(withdrawal.amount, withdrawal.currency_id),
        "fee": format_money(withdrawal.fee, withdrawal.currency_id),
        "arrives": format_money(withdrawal.disburse_amount, withdrawal.currency_id),
        "missing": missing_fields(withdrawal.currency_id, withdrawal.bank),
    }


def describe_approval(withdrawal: Withdrawal, why_two: str) -> str:
    """Return what approving does now; `why_two` says why two approvals are required, or ""."""
    net = format_money(withdrawal.disburse_amount, withdrawal.currency_id)
    verb = "Record first approval of" if is_first_of_two(withdrawal, why_two) else "Approve and pay"
    return f"{verb} {net} to {withdrawal.bank.account_name}"


def describe_blocker(withdrawal: Withdrawal, user: StaffUser, flags: Collection[ReviewFlag]) -> str:
    """Return why `user` cannot approve the Pending `withdrawal`, which has `flags`, now, or ""."""
    if is_frozen(flags):
        return f"{FROZEN}."
    missing = missing_fields(withdrawal.currency_id, withdrawal.bank)
    if missing:
        return f"Payout details required: {', '.join(missing)}."
    if withdrawal.first_approver_id == user.pk:
        return "You already approved this withdrawal. A second person must approve or reject it."
    if withdrawal.requested_by == str(Actor.staff(user.pk, "")):
        return "You requested this withdrawal. Another person must approve it."
    return ""


def _describe_account_use(use: AccountUse) -> str:
    if not use.earlier:
        return "First payout to this account"
    words = f"{use.earlier} earlier, {use.paid} paid"
    return f"{words}, {use.bounced} failed or returned" if use.bounced else words


def _describe_sharing(withdrawal: Withdrawal, use: AccountUse) -> str:
    if not use.other_owners:
        return "None"
    named = [
        f"{member} of {firm}" if member else firm
        for firm, member in find_owners_sharing_account(withdrawal)
    ]
    more = " and others" if use.other_owners > len(named) else ""
    return f"{use.other_owners}: {', '.join(named)}{more}"


def _velocity_lines(withdrawal: Withdrawal, recent: Velocity) -> list[VelocityLine]:
    def line(title: str, owner: RequestTotals, organisation: RequestTotals) -> VelocityLine:
        return VelocityLine(
            title,
            owner.count,
            format_money(owner.amount, withdrawal.currency_id),
            organisation.count,
            format_money(organisation.amount, withdrawal.currency_id),
        )

    return [
        line("24 hours", recent.owner_day, recent.organisation_day),
        line("30 days", recent.owner_month, recent.organisation_month),
    ]


def _balance_lines(withdrawal: Withdrawal) -> list[BalanceLine]:
    currency = withdrawal.currency_id
    now = next(b for b in wallet_balances(withdrawal.owner_id) if b["currency"] == currency)
    hold = Transfer.objects.filter(
        subject_id=withdrawal.pk, kind=TransferKind.WITHDRAWAL_HOLD
    ).first()
    before: dict[str, Decimal] = {}
    if hold is not None:
        before = dict(
            hold.entries.annotate(was=F("balance_after") - F("amount")).values_list(
                "account__kind", "was"
            )
        )
    open_now = withdrawal.status in OPEN_STATUSES
    lines = []
    for kind, sign in ((AccountKind.AVAILABLE, 1), (AccountKind.ESCROW, -1)):
        amount = now["available"] if kind == AccountKind.AVAILABLE else now["escrow"]
        paid = amount if kind == AccountKind.AVAILABLE else amount - withdrawal.amount
        lines.append(
            BalanceLine(
                title=kind.label,
                before=format_money(before.get(kind), currency),
                now=format_money(amount, currency),
                after_payout=format_money(paid, currency) if open_now else "",
                after_release=format_money(amount + sign * withdrawal.amount, currency)
                if open_now
                else "",
            )
        )
    return lines


def _payment_instruction(withdrawal: Withdrawal) -> list[tuple[str, str]]:
    """Return the transfer request field by field; the amount is grouped."""
    order = transfer_request(withdrawal)
    lines: list[tuple[str, str]] = []
    for part in fields(order):
        value = getattr(order, part.name)
        if value is None:
            continue
        if part.name == "recipient":
            lines += [(f"recipient {f.name}", getattr(value, f.name)) for f in fields(value)]
        else:
            amount = isinstance(value, Decimal)
            lines.append((part.name, format_money(value, order.currency) if amount else str(value)))
    return [(name.replace("_", " "), value) for name, value in lines]


def _describe_approvals(withdrawal: Withdrawal, needed: int) -> str:
    given = [str(p) for p in (withdrawal.first_approver, withdrawal.second_approver) if p]
    words = f"{len(given)} of {needed} given"
    return f"{words}, by {' and '.join(given)}" if given else words


def describe_changes(withdrawal: Withdrawal, version: int | None) -> str:
    """Return the decisions on `withdrawal` since `version`, by default the last one, or "".

    Who decided what, when, and what became of it: `kwesi.finance approved it at 00:44:01 UTC. It is
    being processed.`
    """
    found = withdrawal.decisions.order_by("-pk")
    since = found[:1] if version is None else found.filter(version__gte=version)
    happened = [
        f"{d.actor_label} {_DEEDS[Verdict(d.verdict)]} at {d.created_at:%H:%M:%S} UTC"
        for d in reversed(since)
    ]
    if not happened:
        return ""
    now = WithdrawalStatus(withdrawal.status)
    return f"{'; '.join(happened)}. {_NOW.get(now, f'It is now {now}.')}".rstrip()
