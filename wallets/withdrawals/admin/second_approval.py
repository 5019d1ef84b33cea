"""Explanations of why a withdrawal requires two approvals."""

from exchange.core.currencies import format_money
from exchange.staff.models import StaffUser
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.approvals import (
    ApprovalRequirement,
    SoleApprovals,
    approval_requirement,
    sole_approvals,
)

BY_SIZE = "Amounts of this size require two approvals."
TWO_APPROVALS = "Two approvals required: "
# The threshold that required them may have changed since.
_GENERIC = "Two approvals are required."


def explain_second_approval(
    withdrawal: Withdrawal, user: StaffUser, alone: SoleApprovals | None = None
) -> str:
    """Return why a withdrawal requires two approvals, or "".

    The amount that `user` may still approve alone counts for the first approval; `alone` is it, if
    the caller has read it.
    """
    if withdrawal.status != WithdrawalStatus.PENDING:
        return _GENERIC if withdrawal.approvals_needed > 1 else ""
    requirement = approval_requirement(withdrawal.pk)
    if alone is None and withdrawal.first_approver_id is None:
        alone = sole_approvals(user.pk, withdrawal.pk)
    return explain_requirement(withdrawal, requirement, alone)


def describe_allowance(alone: SoleApprovals | None, currency: str) -> str:
    """Return what is left of one's own approvals: `9.00 KES of 12.00 KES left`, or ""."""
    if alone is None or alone.most is None:
        return ""
    return f"{format_money(alone.left, currency)} of {format_money(alone.most, currency)} left"


def is_first_of_two(withdrawal: Withdrawal, why_two: str) -> bool:
    """Return whether the next approval is the first of two, required by `why_two`."""
    return bool(why_two) and withdrawal.first_approver_id is None


def explain_requirement(
    withdrawal: Withdrawal, requirement: ApprovalRequirement, alone: SoleApprovals | None = None
) -> str:
    """Return the same for known facts; `alone` are the user's sole approvals."""
    above = requirement.second_above
    if above is not None and withdrawal.amount >= above:
        return BY_SIZE
    totals = []
    if above is not None:
        totals = [
            f"{words} {format_money(total, withdrawal.currency_id)}"
            for words, total in (
                ("total for this account", requirement.account_total),
                ("24-hour total of this owner", requirement.owner_total),
            )
            if total >= above
        ]
    daily = requirement.second_daily_above
    if daily is not None and requirement.organisation_total >= daily:
        total = format_money(requirement.organisation_total, withdrawal.currency_id)
        totals.append(f"24-hour total of the organisation and its members {total}")
    if not totals and alone is not None and not alone.allows(withdrawal.amount):
        left, most = (
            format_money(amount, withdrawal.currency_id) for amount in (alone.left, alone.most)
        )
        totals.append(f"{left} left of the {most} that you may approve alone in 24 hours")
    if totals:
        return f"{TWO_APPROVALS}{'; '.join(totals)}."
    return _GENERIC if withdrawal.approvals_needed > 1 else ""
