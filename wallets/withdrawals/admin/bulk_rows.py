"""The rows of withdrawals that are decided together: what the page shows of each before, what came
of each after, and what the page's form sends in between.
"""

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
from wallets.withdrawals.admin.second_approval import BY_SIZE, explain_requirement
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
    """One row of the page that asks whether to decide many; `refusal` says why this one cannot."""

    withdrawal: Withdrawal
    owner: str
    amount: str
    match: str
    match_tone: str
    flags: Sequence[ReviewFlag]
    notes: str
    age: str
    refusal: str


@dataclass(frozen=True, slots=True)
class BulkResult:
    """What came of one row."""

    withdrawal: str
    amount: str
    payee: str
    tone: str
    word: str
    text: str
    decided: Withdrawal | None = None


def describe_error(object_id: UUID, version: int, error: DomainError) -> str:
    """Why a decision was refused; of a stale page, what happened since."""
    if not isinstance(error, Conflict):
        return error.message
    since = describe_changes(Withdrawal.objects.get(pk=object_id), version)
    return f"{error.message.rstrip('.')}. No changes were made. {since}".rstrip()


def describe_decision(decided: Withdrawal) -> str:
    amount = format_money(decided.amount, decided.currency_id)
    if decided.status == WithdrawalStatus.PENDING:
        return f"Your approval of {amount} is kept. Another person must approve it too."
    if decided.status == WithdrawalStatus.REJECTED:
        return f"Rejected: {amount} went back to the wallet."
    return (
        f"Approved. {format_money(decided.disburse_amount, decided.currency_id)} queued for payout."
    )


def build_rows(found: Sequence[Any], decision: str, user: StaffUser) -> list[BulkRow]:
    """Rows as the page shows them: with the flags of the Pending ones, and why some cannot be
    decided together with the others. A bounded number of queries.
    """
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
    refusal = ""
    if withdrawal.status != WithdrawalStatus.PENDING:
        refusal = f"It is {withdrawal.status}, no longer Pending."
    elif decision == APPROVE:
        refusal = describe_blocker(withdrawal, user)
        if not refusal and critical_flags(flags):
            refusal = "Flagged Critical: it is approved on its own page, with a written reason."
    match = name_match(withdrawal)
    notes = []
    why_two = explain_requirement(withdrawal, requirement) if requirement else ""
    if why_two:
        notes.append("First of two approvals")
        if why_two != BY_SIZE:
            notes.append(why_two.removeprefix("Two approvals needed: ").rstrip("."))
    return BulkRow(
        withdrawal=withdrawal,
        owner=str(withdrawal.member or withdrawal.organisation),
        amount=format_money(withdrawal.amount, withdrawal.currency_id),
        match=match.label if match else "not checked",
        match_tone=match_tone(match),
        flags=flags,
        notes="; ".join(notes),
        age=age(withdrawal.created_at),
        refusal=refusal,
    )


def excluded_results(found: Sequence[Any], decision: str, user: StaffUser) -> list[BulkResult]:
    """Those that the page left out, and why, as things stand now."""
    return [
        BulkResult(
            withdrawal=record_link(row.withdrawal),
            amount=row.amount,
            payee=str(row.withdrawal.bank),
            tone="waiting",
            word="Left out",
            text=" ".join(
                filter(None, (row.refusal, *(str(one) for one in critical_flags(row.flags))))
            )
            or "It could not be decided when you were asked.",
        )
        for row in build_rows(found, decision, user)
    ]


def parse_versions(rows: Iterable[str]) -> dict[UUID, int]:
    """The versions to decide on by id, in their order; what cannot be read makes it empty."""
    wanted: dict[UUID, int] = {}
    for row in rows:
        text, _, version = row.partition(":")
        pk = parse_id(text)
        if pk is None or not (version.isascii() and version.isdigit() and len(version) < 9):
            return {}
        wanted[pk] = int(version)
    return wanted


def parse_seen_flags(values: Iterable[str]) -> dict[UUID, set[str]]:
    """The codes of flags that were shown, by withdrawal: each value is `<id>:<code>`, or an id."""
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
    """Decides one row, on its own, and tells what came of it."""
    decided: Withdrawal | None = None
    try:
        decided = act(pk, version)
    except DomainError as error:
        tone, word = "bad", "Refused"
        text = describe_error(pk, version, error) if seen else error.message
    except DatabaseError:
        # The others are decided on their own, whatever happened to this one.
        log.exception("withdrawal_not_decided", withdrawal_id=str(pk))
        tone, word = "bad", "Not done"
        text = "The database did not take it. Look at it again before you decide."
    else:
        first = decided.status == WithdrawalStatus.PENDING
        tone = "moving" if first else "good"
        word = "First approval given" if first else decided.status
        text = "Another person must approve it too." if first else describe_decision(decided)
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
    """For each currency: how many, and what they add up to."""
    found: dict[str, list[Decimal]] = {}
    for currency, amount in amounts:
        found.setdefault(currency, []).append(amount)
    return [
        (len(each), format_money(sum(each, Decimal(0)), currency))
        for currency, each in sorted(found.items())
    ]
