"""What the review page of a withdrawal shows: facts gathered, nothing changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from django.db.models import F, Q
from django.http import HttpRequest

from exchange.admin.base import Section, staff_of
from exchange.admin.show import age, moment, page_of, state
from exchange.models import ApiKey, Event, StaffUser
from exchange.numbers import plain
from wallets.admin.show import money
from wallets.models import (
    AccountKind,
    Alert,
    Payout,
    ProposalStatus,
    Transfer,
    TransferKind,
    Verdict,
    Withdrawal,
    WithdrawalStatus,
)
from wallets.models.withdrawals import OPEN_STATUSES
from wallets.selectors.currencies import payout_currencies
from wallets.selectors.wallets import wallet_balances
from wallets.services.corridors import missing_fields, needed_fields
from wallets.services.payouts import transfer_request
from wallets.services.resolutions import possible_actions

_RECENT = 10
_PEOPLE_NAMED = 8
_DECIDE = "wallets.decide_withdrawal"
_RESOLVE = "wallets.resolve_payout"


@dataclass(frozen=True, slots=True)
class BalanceLine:
    """One account of the wallet: before the request, now, and after either decision."""

    title: str
    before: str
    now: str
    after_paying: str
    after_refusing: str


def incomplete() -> Q:
    """Withdrawals whose bank record lacks something their corridor needs."""
    lacking = Q(pk__in=())
    for currency in payout_currencies():
        missing = Q(pk__in=())
        for name in needed_fields(currency):
            missing |= Q(**{f"bank__{name}__regex": r"^\s*$"})
        lacking |= Q(currency=currency) & missing
    return lacking


def review(request: HttpRequest, withdrawal: Withdrawal) -> dict[str, Any]:
    """Everything the template of the page needs."""
    user = staff_of(request)
    payout = Payout.objects.filter(withdrawal_id=withdrawal.pk).first()
    pending = withdrawal.status == WithdrawalStatus.PENDING
    missing = missing_fields(withdrawal.currency_id, withdrawal.bank)
    may_decide = pending and user.has_perm(_DECIDE)
    may_resolve = user.has_perm(_RESOLVE)
    proposal = (
        withdrawal.proposals.filter(status=ProposalStatus.OPEN)
        .select_related("proposed_by")
        .first()
    )
    hindrance = ""
    if missing:
        hindrance = f"Before approval this payout needs: {', '.join(missing)}."
    elif withdrawal.first_approver_id == user.pk:
        hindrance = "You approved it already. Somebody else must approve it too, or reject it."
    return {
        "withdrawal": withdrawal,
        "bank": withdrawal.bank,
        "name_differs": _words(withdrawal.bank.given_name) != _words(withdrawal.bank.account_name),
        "owner": withdrawal.member or withdrawal.organisation,
        "owner_link": page_of(withdrawal.member or withdrawal.organisation),
        "organisation_link": page_of(withdrawal.organisation),
        "requested_by": _requester(withdrawal),
        "status": state(withdrawal.status),
        "age": age(withdrawal.created_at),
        "created": moment(withdrawal.created_at),
        "amount": money(withdrawal.amount, withdrawal.currency_id),
        "fee": money(withdrawal.fee, withdrawal.currency_id),
        "arrives": money(withdrawal.disburse_amount, withdrawal.currency_id),
        "in_usd": money(withdrawal.gusd_amount, "USD") if withdrawal.gusd_amount else "",
        "balances": _balances(withdrawal),
        "open": withdrawal.status in OPEN_STATUSES,
        "order": _order(withdrawal),
        "missing": missing,
        "needed": bool(needed_fields(withdrawal.currency_id)),
        "two_needed": withdrawal.approvals_needed > 1,
        "approvals": _approvals(withdrawal),
        "others": _others(withdrawal) if pending else "",
        "pending": pending,
        "may_decide": may_decide,
        "hindrance": hindrance,
        "payout": payout,
        "differs": _differs(withdrawal),
        "proposal": proposal,
        "own_proposal": proposal is not None and proposal.proposed_by_id == user.pk,
        "may_resolve": may_resolve,
        "possible": [] if proposal or not may_resolve else possible_actions(withdrawal),
        "sections": [
            *([_payout(withdrawal, payout)] if payout else []),
            _decisions(withdrawal),
            *_proposals(withdrawal),
            _events(withdrawal),
            _transfers(withdrawal),
            _recent(withdrawal),
        ],
    }


def _words(name: str) -> list[str]:
    """The words of a name in any case and order: banks write the family name first."""
    return sorted(name.casefold().replace(",", " ").split())


def _requester(withdrawal: Withdrawal) -> str:
    kind, _, key_id = withdrawal.requested_by.partition(":")
    if kind == "api_key":
        key = ApiKey.objects.filter(pk=key_id).first()
        if key is not None:
            return page_of(key, f"API key {key.name}")
    return withdrawal.requested_by


def _balances(withdrawal: Withdrawal) -> list[BalanceLine]:
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
                before=money(before.get(kind), currency),
                now=money(amount, currency),
                after_paying=money(paid, currency) if open_now else "",
                after_refusing=money(amount + sign * withdrawal.amount, currency)
                if open_now
                else "",
            )
        )
    return lines


def _order(withdrawal: Withdrawal) -> list[tuple[str, str]]:
    """The provider's order, field by field, as it will be sent."""
    order = transfer_request(withdrawal)
    lines: list[tuple[str, str]] = []
    for part in fields(order):
        value = getattr(order, part.name)
        if value is None:
            continue
        if part.name == "recipient":
            lines += [(f"recipient {f.name}", getattr(value, f.name)) for f in fields(value)]
        else:
            lines.append((part.name, plain(value) if isinstance(value, Decimal) else str(value)))
    return [(name.replace("_", " "), value) for name, value in lines]


def _approvals(withdrawal: Withdrawal) -> str:
    given = [str(p) for p in (withdrawal.first_approver, withdrawal.second_approver) if p]
    needed = withdrawal.approvals_needed
    words = f"{len(given)} of {needed} given"
    return f"{words}, by {' and '.join(given)}" if given else words


def _others(withdrawal: Withdrawal) -> str:
    """Who may still decide, in words."""
    people = StaffUser.objects.with_perm(
        _DECIDE, backend="django.contrib.auth.backends.ModelBackend"
    ).filter(is_staff=True)
    if withdrawal.first_approver_id:
        people = people.exclude(pk=withdrawal.first_approver_id)
    names = [str(user) for user in people.order_by("username")[: _PEOPLE_NAMED + 1]]
    if not names:
        return "nobody: no other member of staff may approve withdrawals"
    more = " and others" if len(names) > _PEOPLE_NAMED else ""
    return ", ".join(names[:_PEOPLE_NAMED]) + more


def _payout(withdrawal: Withdrawal, payout: Payout) -> Section:
    rows: list[Sequence[object]] = [
        ("Provider's id", payout.provider_id or "-"),
        ("Provider's status", payout.provider_status or "-"),
        ("Provider's message", payout.provider_message or "-"),
        ("Provider's charge", money(payout.provider_fee, withdrawal.currency_id)),
        ("Sent to the provider (UTC)", moment(payout.posted_at) if payout.posted_at else "not yet"),
        ("Last error", payout.last_error or "-"),
        ("Tries", payout.attempts),
        ("Look-ups", payout.look_ups),
        ("Look-ups that did not find it", payout.not_found_count),
        ("Next step (UTC)", moment(payout.next_step_at) if payout.next_step_at else "none"),
    ]
    return Section("Payout", ("Fact", "Value"), rows)


def _differs(withdrawal: Withdrawal) -> str:
    """What the provider's record has otherwise than it was ordered, in words; "" if nothing."""
    if withdrawal.status != WithdrawalStatus.UNKNOWN:
        return ""
    alert = Alert.objects.filter(
        kind="payout_differs", subject=withdrawal.reference, resolved_at=None
    ).first()
    return alert.message if alert else ""


def _decisions(withdrawal: Withdrawal) -> Section:
    rows = [
        (moment(d.created_at), d.verdict, d.actor_label, d.reason or "-", d.version)
        for d in withdrawal.decisions.all()
    ]
    headings = ("When (UTC)", "Decision", "By", "Reason", "On version")
    return Section("Decisions so far", headings, rows, right=(4,), empty="Nobody has decided yet.")


def _proposals(withdrawal: Withdrawal) -> list[Section]:
    closed = withdrawal.proposals.exclude(status=ProposalStatus.OPEN)
    rows = [
        (moment(p.created_at), p.action, state(p.status), p.proposed_by, p.decided_by, p.reason)
        for p in closed.select_related("proposed_by", "decided_by")
    ]
    headings = ("When (UTC)", "Proposal", "State", "By", "Decided by", "Reason")
    return [Section("Earlier proposals", headings, rows)] if rows else []


def _events(withdrawal: Withdrawal) -> Section:
    rows = [
        (moment(e.created_at), page_of(e, e.type), state(e.status), e.attempts)
        for e in Event.objects.filter(subject_id=withdrawal.pk).order_by("created_at", "id")
    ]
    headings = ("When (UTC)", "Event", "Delivery", "Tries")
    return Section("Events told to the organisation", headings, rows, right=(3,))


def _transfers(withdrawal: Withdrawal) -> Section:
    transfers = (
        Transfer.objects.filter(subject_id=withdrawal.pk)
        .order_by("created_at", "id")
        .prefetch_related("entries__account")
    )
    rows = [
        (
            moment(transfer.created_at),
            page_of(transfer, transfer.get_kind_display()),
            entry.account.get_kind_display(),
            money(entry.amount, entry.asset_id),
        )
        for transfer in transfers
        for entry in sorted(transfer.entries.all(), key=lambda e: e.pk)
    ]
    headings = ("When (UTC)", "Transfer", "Account", "Amount")
    return Section("Ledger", headings, rows, right=(3,))


def _recent(withdrawal: Withdrawal) -> Section:
    others = (
        Withdrawal.objects.filter(owner_id=withdrawal.owner_id)
        .exclude(pk=withdrawal.pk)
        .select_related("bank")
        .order_by("-created_at", "-id")[:_RECENT]
    )
    rows = [
        (
            age(other.created_at),
            page_of(other),
            state(other.status),
            money(other.amount, other.currency_id),
            f"{other.bank.account_name}, {other.bank.name} {other.bank.account_number}",
        )
        for other in others
    ]
    headings = ("Ago", "Withdrawal", "State", "Amount", "To")
    title = "Recent withdrawals of the same owner"
    return Section(title, headings, rows, right=(3,), empty="This is the first one.")


def changes_since(withdrawal: Withdrawal, version: int) -> str:
    """What happened to `withdrawal` since somebody saw its `version`, in words; "" if nothing."""
    happened = [
        f"{verdict_in_words(d.verdict)} by {d.actor_label} at {d.created_at:%H:%M:%S} UTC"
        for d in withdrawal.decisions.filter(version__gte=version)
    ]
    if not happened:
        return ""
    return f"Since you opened the page: {'; '.join(happened)}."


def verdict_in_words(verdict: str) -> str:
    """A verdict as something that was done."""
    return {
        Verdict.APPROVE: "approved",
        Verdict.REJECT: "rejected",
        Verdict.CANCEL: "cancelled",
        Verdict.CORRIDOR: "details filled in",
        Verdict.PROPOSE: "a proposal made",
        Verdict.CONFIRM: "a proposal confirmed",
        Verdict.DECLINE: "a proposal declined",
    }[Verdict(verdict)]
