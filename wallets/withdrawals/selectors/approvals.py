"""Approval requirements of withdrawals: 24-hour totals compared with the thresholds in effect.

The rules are in `wallets/withdrawals/sql/approval_requirement.sql`, shared with the guard of
withdrawals.
"""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import connection


@dataclass(frozen=True, slots=True)
class ApprovalRequirement:
    """Number of approvals a withdrawal requires, with the totals in its currency.

    Totals include the withdrawal itself. A threshold is None if not set.
    """

    needed: int
    owner_total: Decimal
    account_total: Decimal
    organisation_total: Decimal
    second_above: Decimal | None
    second_daily_above: Decimal | None


@dataclass(frozen=True, slots=True)
class SoleApprovals:
    """Amount a person approved alone within 24 hours, and their limit (None: no limit)."""

    total: Decimal
    most: Decimal | None

    def allows(self, amount: Decimal) -> bool:
        """Return whether `amount` may be approved alone in addition."""
        return self.most is None or self.total + amount <= self.most

    @property
    def left(self) -> Decimal:
        """The amount remaining until the limit."""
        return max((self.most or self.total) - self.total, Decimal(0))


def approval_requirement(withdrawal_id: UUID) -> ApprovalRequirement:
    """Return the current requirement of one withdrawal."""
    return approval_requirements([withdrawal_id])[withdrawal_id]


def approval_requirements(withdrawal_ids: Collection[UUID]) -> dict[UUID, ApprovalRequirement]:
    """Return the current requirements of withdrawals, in one statement."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT w.id, r.* FROM unnest(%s::uuid[]) AS w (id), approval_requirement(w.id) r",
            [list(withdrawal_ids)],
        )
        return {row[0]: ApprovalRequirement(*row[1:]) for row in cursor.fetchall()}


def sole_approvals(approver_id: UUID, withdrawal_id: UUID) -> SoleApprovals:
    """Return the sole approvals of a person in the currency of the withdrawal, excluding it.

    Holds a lock until the transaction ends, so that approvals of the same person are serialized.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM sole_approvals(%s, %s)", [approver_id, withdrawal_id])
        total, most = cursor.fetchone()
    return SoleApprovals(total, most)
