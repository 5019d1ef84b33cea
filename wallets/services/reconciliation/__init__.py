"""The daily comparison of our payouts and money with the provider's, as a kept report.

A day's payouts are those we sent on it (UTC). They are matched with the provider's list by our
reference; whatever differs is looked at a second time, one by one, before it counts, because both
sides go on while they are compared. The network is asked outside of transactions, under a lease.

A report that says it agrees has seen everything: a provider that fails, or whose list contradicts
itself, makes it incomplete, with the reason.

The provider's balance need not equal the ledger's clearing account: we keep money of our own there.
So the gap between them, less what is under way, is kept, and a gap that changed from one complete
report to the next is a difference. Charges are booked rounded, which may move it by half of the
smallest unit for each.

`reports` is the life of a report; `comparison` makes it of `differences`, `figures`, `balances`.
"""

from wallets.services.reconciliation.reports import (
    PERMISSION,
    TASK,
    ask,
    ask_as_staff,
    ask_for_yesterday,
    claim,
    run,
    run_next,
)

__all__ = [
    "PERMISSION",
    "TASK",
    "ask",
    "ask_as_staff",
    "ask_for_yesterday",
    "claim",
    "run",
    "run_next",
]
