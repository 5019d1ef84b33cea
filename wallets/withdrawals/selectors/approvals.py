"""Who else must approve a withdrawal: totals over 24 hours beside what finance set.

The rules are in `wallets/withdrawals/sql/approval_requirement.sql`, which the guard of withdrawals
asks too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import connection


@dataclass(frozen=True, slots=True)
class ApprovalRequirement:
    """How many approvals a withdrawal needs, and the totals in its currency that say so.

    The totals count the withdrawal itself. A threshold is None where finance set none.
    """

    needed: int
    owner_total: Decimal
    account_total: Decimal
    organisation_total: Decimal
    second_above: Decimal | None
    second_daily_above: Decimal | None


@dataclass(frozen=True, slots=True)
class SoleApprovals:
    """What a person approved alone within 24 hours, and the most they may (None: no limit)."""

    total: Decimal
    most: Decimal | None

    def allows(self, amount: Decimal) -> bool:
        """Whether `amount` may be approved alone besides."""
        return self.most is None or self.total + amount <= self.most

    @property
    def left(self) -> Decimal:
        """What remains until the limit."""
        return max((self.most or self.total) - self.total, Decimal(0))


def approval_requirement(withdrawal_id: UUID) -> ApprovalRequirement:
    """The requirement of one withdrawal, now."""
    return approval_requirements([withdrawal_id])[withdrawal_id]


def approval_requirements(withdrawal_ids: Collection[UUID]) -> dict[UUID, ApprovalRequirement]:
    """The requirements of withdrawals, now, in one statement."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT w.id, r.* FROM unnest(%s::uuid[]) AS w (id), approval_requirement(w.id) r",
            [list(withdrawal_ids)],
        )
        return {row[0]: ApprovalRequirement(*row[1:]) for row in cursor.fetchall()}


def sole_approvals(approver_id: UUID, withdrawal_id: UUID) -> SoleApprovals:
    """What the person approved alone in the currency of the withdrawal, without counting it.

    In a transaction, other approvals of the same person wait until it ends.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM sole_approvals(%s, %s)", [approver_id, withdrawal_id])
        total, most = cursor.fetchone()
    return SoleApprovals(total, most)
