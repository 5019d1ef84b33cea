"""Rows and results of a bulk decision on withdrawals, and the fields its form posts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.utils.html import format_html
from django.utils.safestring import SafeString

from exchange.admin.display import age, record_link, record_url
from exchange.core.currencies import format_money
from exchange.core.ids import parse_id
from exchange.staff.models import StaffUser
from wallets.banks.admin.name_matching import match_tone
from wallets.withdrawals.admin.review import describe_blocker, describe_changes
from wallets.withdrawals.admin.second_approval import BY_SIZE, TWO_APPROVALS, explain_requirement
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.approvals import ApprovalRequirement, approval_requirements
from wallets.withdrawals.selectors.review_flags import (
    ReviewFlag,
    critical_flags,
    name_match,
    review_flags,
)

APPROVE, REJECT = "approve", "reject"


@dataclass(frozen=True, slots=True)
class BulkDecision:
    """What is decided about many withdrawals at once.

    `find_exclusion` says why a row cannot be decided in bulk, and `decide` decides one: by the
    version shown; without it, rows are queued (`services.bulk`). `word` and `noun` name
    it on buttons and results.
    """

    verb: str
    noun: str
    word: str
    permission: str
    find_exclusion: Callable[[Withdrawal, StaffUser, Sequence[ReviewFlag]], str]
    decide: Callable[[ChosenRow], Withdrawal] | None = None
    reason_required: str = ""
    final: bool = True


@dataclass(frozen=True, slots=True)
class ChosenRow:
    """A row to decide, as it was shown."""

    withdrawal_id: UUID
    version: int
    reason: str
    user: StaffUser


@dataclass(frozen=True, slots=True)
class BulkRow:
    """Row of the bulk confirmation page; `exclusion` says why it cannot be decided in bulk."""

    withdrawal: Withdrawal
    owner: str
    amount: str
    net: str
    match: str
    match_tone: str
    flags: Sequence[ReviewFlag]
    notes: str
    age: str
    exclusion: str
    url: str


@dataclass(frozen=True, slots=True)
class BulkResult:
    """Result of one row; `url` is the withdrawal's page."""

    reference: str
    url: str
    amount: str
    payee: str
    tone: str
    word: str
    text: str
    # Id and status of a withdrawal that was decided.
    pk: str = ""
    status: str = ""


def describe_stale(withdrawal: Withdrawal, version: int | None, decision: str) -> str:
    """Return why `decision` on the `version` shown is too late, or ""."""
    pending = withdrawal.status == WithdrawalStatus.PENDING
    if pending and version in {None, withdrawal.version}:
        return ""
    word = "approved" if decision == APPROVE else "rejected"
    changes = describe_changes(withdrawal, None if version == withdrawal.version else version)
    return f"Not {word}: {changes or 'it has changed. Review it again.'}"


def describe_outdated(object_id: UUID, version: int, message: str) -> str:
    """Return what has changed since `version`; `message` if nothing is known."""
    since = describe_changes(Withdrawal.objects.get(pk=object_id), version)
    return since or f"{message.rstrip('.')}. No changes were made."


def describe_decision(decided: Withdrawal) -> SafeString:
    """Return the message after a decision: amount, payee, linked reference and what follows."""
    amount, what, then = decided.disburse_amount, "Approved", "."
    if decided.status == WithdrawalStatus.PENDING:
        what, then = "First approval recorded", ". A second person must approve it."
    elif decided.status == WithdrawalStatus.REJECTED:
        amount, what, then = decided.amount, "Rejected", ". Released to the wallet."
    return format_html(
        "{}: {} to {} ({}){}",
        what,
        format_money(amount, decided.currency_id),
        decided.bank.account_name,
        record_link(decided),
        then,
    )


def build_rows(found: Sequence[Any], decision: BulkDecision, user: StaffUser) -> list[BulkRow]:
    """Return the rows of the page, with flags and exclusions, in a bounded number of queries."""
    pending = [row for row in found if row.status == WithdrawalStatus.PENDING]
    first = [row.pk for row in pending if not decision.final and row.first_approver_id is None]
    requirements = approval_requirements(first)
    flags = review_flags(pending)
    return [
        _build_row(row, decision, user, requirements.get(row.pk), flags.get(row.pk, []))
        for row in found
    ]


def _build_row(
    withdrawal: Withdrawal,
    decision: BulkDecision,
    user: StaffUser,
    requirement: ApprovalRequirement | None,
    flags: Sequence[ReviewFlag],
) -> BulkRow:
    match = name_match(withdrawal)
    notes = []
    why_two = explain_requirement(withdrawal, requirement) if requirement else ""
    if why_two:
        notes.append("First of two approvals")
        if why_two != BY_SIZE:
            notes.append(why_two.removeprefix(TWO_APPROVALS).rstrip("."))
    return BulkRow(
        withdrawal=withdrawal,
        owner=str(withdrawal.member or withdrawal.organisation),
        amount=format_money(withdrawal.amount, withdrawal.currency_id),
        net=format_money(withdrawal.disburse_amount, withdrawal.currency_id),
        match=match.label if match else "not checked",
        match_tone=match_tone(match),
        flags=flags,
        notes="; ".join(notes),
        age=age(withdrawal.created_at),
        exclusion=decision.find_exclusion(withdrawal, user, flags),
        url=record_url(withdrawal),
    )


def exclude_from_rejection(withdrawal: Withdrawal, *_: object) -> str:
    """Return why a row cannot be rejected in bulk, or ""."""
    pending = withdrawal.status == WithdrawalStatus.PENDING
    return "" if pending else f"No longer Pending: {withdrawal.status}."


def exclude_from_approval(
    withdrawal: Withdrawal, user: StaffUser, flags: Sequence[ReviewFlag]
) -> str:
    """Return why a row cannot be approved in bulk, or ""."""
    found = exclude_from_rejection(withdrawal) or describe_blocker(withdrawal, user, flags)
    if not found and critical_flags(flags):
        return "Critical: needs a written reason. Open it to decide."
    return found


def excluded_results(
    found: Sequence[Any], decision: BulkDecision, user: StaffUser
) -> list[BulkResult]:
    """Return the results of excluded rows, with the current reason."""
    return [
        BulkResult(
            reference=row.withdrawal.reference,
            url=row.url,
            amount=row.amount,
            payee=str(row.withdrawal.bank),
            tone="waiting",
            word="Excluded",
            text=" ".join(
                filter(None, (row.exclusion, *(str(one) for one in critical_flags(row.flags))))
            )
            or "Excluded when you confirmed.",
        )
        for row in build_rows(found, decision, user)
    ]


def parse_version(text: str) -> int | None:
    """Return a version, or None if it is malformed."""
    valid = text.isascii() and text.isdigit() and len(text) < 9
    return int(text) or None if valid else None


def parse_versions(rows: Iterable[str]) -> dict[UUID, int]:
    """Return the versions to decide by id, in order; empty if any value is malformed."""
    wanted: dict[UUID, int] = {}
    for row in rows:
        text, _, posted = row.partition(":")
        pk, version = parse_id(text), parse_version(posted)
        if pk is None or version is None:
            return {}
        wanted[pk] = version
    return wanted


def parse_seen_flags(values: Iterable[str]) -> dict[UUID, set[str]]:
    """Return the flag codes shown, by withdrawal; each value is `<id>:<code>`, or an id."""
    found: dict[UUID, set[str]] = {}
    for value in values:
        text, _, code = value.partition(":")
        pk = parse_id(text)
        # PostgreSQL stores no NUL.
        if pk is not None and "\0" not in code:
            found.setdefault(pk, set()).add(code)
    return found


def describe_result(
    found: Mapping[str, Any], word: str, pk: UUID, version: int, seen: Withdrawal | None
) -> BulkResult:
    """Return what the page says of a row's result (`wallets.withdrawals.services.bulk`).

    `word` names a decision that was made, and `seen` is the withdrawal, if it is known.
    """
    status = str(found.get("status", ""))
    if status:
        first = status == WithdrawalStatus.PENDING
        tone = "moving" if first else "good"
        word = "First approval" if first else word
        text = _describe_status(status, seen) if seen else ""
    else:
        tone, word, text = "bad", "Not decided", str(found["error"])
        if found["outdated"] and seen:
            text = describe_outdated(pk, version, text)
    return BulkResult(
        reference=seen.reference if seen else str(pk),
        url=record_url(seen) if seen else "",
        amount=format_money(seen.amount, seen.currency_id) if seen else "-",
        payee=str(seen.bank) if seen else "-",
        tone=tone,
        word=word,
        text=text,
        pk=str(pk) if status else "",
        status=status,
    )


def _describe_status(status: str, seen: Withdrawal) -> str:
    """Return what follows from a decision, after its word."""
    if status == WithdrawalStatus.COMPLETED:
        return "A second person must confirm it."
    if status == WithdrawalStatus.PENDING:
        return "A second person must approve it."
    if status == WithdrawalStatus.REJECTED:
        return f"{format_money(seen.amount, seen.currency_id)} released to the wallet."
    return f"{format_money(seen.disburse_amount, seen.currency_id)} queued for payout."


def total_by_currency(amounts: Iterable[tuple[str, Decimal]]) -> list[tuple[int, str]]:
    """Return count and total of each currency."""
    found: dict[str, list[Decimal]] = {}
    for currency, amount in amounts:
        found.setdefault(currency, []).append(amount)
    return [
        (len(each), format_money(sum(each, Decimal(0)), currency))
        for currency, each in sorted(found.items())
    ]
