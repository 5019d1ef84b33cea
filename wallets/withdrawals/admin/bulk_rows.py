"""Rows and results of a bulk decision on withdrawals, and the fields its form posts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

import structlog
from django.db import DatabaseError

from exchange.admin.display import age, record_link
from exchange.core.currencies import format_money
from exchange.core.errors import Conflict, DomainError
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

log = structlog.get_logger(__name__)

APPROVE, REJECT = "approve", "reject"


@dataclass(frozen=True, slots=True)
class BulkRow:
    """Row of the bulk confirmation page; `exclusion` says why it cannot be decided in bulk."""

    withdrawal: Withdrawal
    owner: str
    amount: str
    match: str
    match_tone: str
    flags: Sequence[ReviewFlag]
    notes: str
    age: str
    exclusion: str


@dataclass(frozen=True, slots=True)
class BulkResult:
    """Result of one row."""

    withdrawal: str
    amount: str
    payee: str
    tone: str
    word: str
    text: str
    decided: Withdrawal | None = None


def describe_error(object_id: UUID, version: int, error: DomainError) -> str:
    """Return why a decision failed; for an outdated page, with the changes since."""
    if not isinstance(error, Conflict):
        return error.message
    since = describe_changes(Withdrawal.objects.get(pk=object_id), version)
    return f"{error.message.rstrip('.')}. No changes were made. {since}".rstrip()


def describe_decision(decided: Withdrawal) -> str:
    """Return the message after a successful decision."""
    amount = format_money(decided.amount, decided.currency_id)
    if decided.status == WithdrawalStatus.PENDING:
        return "First approval recorded. A second approver is required."
    if decided.status == WithdrawalStatus.REJECTED:
        return f"Rejected. {amount} released to the wallet."
    return (
        f"Approved. {format_money(decided.disburse_amount, decided.currency_id)} queued for payout."
    )


def build_rows(found: Sequence[Any], decision: str, user: StaffUser) -> list[BulkRow]:
    """Return the rows of the page, with flags and exclusions, in a bounded number of queries."""
    pending = [row for row in found if row.status == WithdrawalStatus.PENDING]
    first = [row.pk for row in pending if decision == APPROVE and row.first_approver_id is None]
    requirements = approval_requirements(first)
    flags = review_flags(pending)
    return [
        _build_row(row, decision, user, requirements.get(row.pk), flags.get(row.pk, []))
        for row in found
    ]


def _build_row(
    withdrawal: Withdrawal,
    decision: str,
    user: StaffUser,
    requirement: ApprovalRequirement | None,
    flags: Sequence[ReviewFlag],
) -> BulkRow:
    exclusion = ""
    if withdrawal.status != WithdrawalStatus.PENDING:
        exclusion = f"No longer Pending; now {withdrawal.status}."
    elif decision == APPROVE:
        exclusion = describe_blocker(withdrawal, user, flags)
        if not exclusion and critical_flags(flags):
            exclusion = "Critical flags: approve it on its own page with a written reason."
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
        match=match.label if match else "not checked",
        match_tone=match_tone(match),
        flags=flags,
        notes="; ".join(notes),
        age=age(withdrawal.created_at),
        exclusion=exclusion,
    )


def excluded_results(found: Sequence[Any], decision: str, user: StaffUser) -> list[BulkResult]:
    """Return the results of excluded rows, with the current reason."""
    return [
        BulkResult(
            withdrawal=record_link(row.withdrawal),
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


def parse_versions(rows: Iterable[str]) -> dict[UUID, int]:
    """Return the versions to decide by id, in order; empty if any value is malformed."""
    wanted: dict[UUID, int] = {}
    for row in rows:
        text, _, version = row.partition(":")
        pk = parse_id(text)
        if pk is None or not (version.isascii() and version.isdigit() and len(version) < 9):
            return {}
        wanted[pk] = int(version)
    return wanted


def parse_seen_flags(values: Iterable[str]) -> dict[UUID, set[str]]:
    """Return the flag codes shown, by withdrawal; each value is `<id>:<code>`, or an id."""
    found: dict[UUID, set[str]] = {}
    for value in values:
        text, _, code = value.partition(":")
        pk = parse_id(text)
        if pk is not None:
            found.setdefault(pk, set()).add(code)
    return found


def decide_row(
    act: Callable[[UUID, int], Withdrawal], pk: UUID, version: int, seen: Withdrawal | None
) -> BulkResult:
    """Decide one row and return its result."""
    decided: Withdrawal | None = None
    try:
        decided = act(pk, version)
    except DomainError as error:
        tone, word = "bad", "Not decided"
        text = describe_error(pk, version, error) if seen else error.message
    except DatabaseError:
        # The other rows are decided separately.
        log.exception("withdrawal_decision_failed", withdrawal_id=str(pk))
        tone, word = "bad", "Not decided"
        text = "Database error. Check the withdrawal before you try again."
    else:
        first = decided.status == WithdrawalStatus.PENDING
        tone = "moving" if first else "good"
        word = "First approval" if first else decided.status
        text = describe_decision(decided)
    return BulkResult(
        withdrawal=record_link(seen) if seen else str(pk),
        amount=format_money(seen.amount, seen.currency_id) if seen else "-",
        payee=str(seen.bank) if seen else "-",
        tone=tone,
        word=word,
        text=text,
        decided=decided,
    )


def total_by_currency(amounts: Iterable[tuple[str, Decimal]]) -> list[tuple[int, str]]:
    """Return count and total of each currency."""
    found: dict[str, list[Decimal]] = {}
    for currency, amount in amounts:
        found.setdefault(currency, []).append(amount)
    return [
        (len(each), format_money(sum(each, Decimal(0)), currency))
        for currency, each in sorted(found.items())
    ]
