"""The daily comparison of our payouts and money with the provider's, as a kept report.

A day's payouts are those we sent on it (UTC). They are matched with the provider's list by our
reference; whatever differs is looked at a second time, one by one, before it counts, because both
sides go on while they are compared. The network is asked outside of transactions, under a lease.

A report that says it agrees has seen everything: a provider that fails, or whose list contradicts
itself, makes it incomplete, with the reason.

Every difference becomes a break, an item that two people explain and close (`breaks`, which also
says what gap between the provider's balance and ours is expected; `explanations`). A day that is
not over is compared provisionally: such a report opens no break and raises no alert.

`reports` is the life of a report; `comparison` makes it of `differences`, `figures`, `balances`.
"""

from wallets.reconciliation.services.explanations import (
    DECIDE,
    EXPLANATIONS,
    assign_break,
    close_break,
    describe_break_blocker,
    explain_break,
    reject_explanation,
)
from wallets.reconciliation.services.reports import (
    PERMISSION,
    TASK,
    claim_report,
    request_daily_report,
    request_report,
    request_report_as_staff,
    run_next_report,
    run_report,
)

__all__ = [
    "DECIDE",
    "EXPLANATIONS",
    "PERMISSION",
    "TASK",
    "assign_break",
    "claim_report",
    "close_break",
    "describe_break_blocker",
    "explain_break",
    "reject_explanation",
    "request_daily_report",
    "request_report",
    "request_report_as_staff",
    "run_next_report",
    "run_report",
]
