"""Daily reconciliation of our payouts and balances with the provider's, stored as a report.

The payouts of a day are those sent on it (UTC), matched with the provider's list by reference. Its
payments are those the provider dates to it, matched by the provider's transaction id.
Both sides move during the comparison, so each difference is checked again on its own before it
counts. The provider is called outside transactions, under a lease. If the provider fails, or its
list contradicts itself, the report is incomplete and states the reason.

Every difference opens a break, which two people explain and close. A report of a day that has not
ended is provisional: it opens no break and raises no alert.

`reports` runs the reports, `comparison` compares the day with `differences`, `payments`, `totals`
and `balances`, `breaks` updates the breaks, and `explanations` closes them.
"""
