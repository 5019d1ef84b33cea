"""Types of the events about loans, and when each happens."""

from __future__ import annotations

EVENT_TYPES = {
    "loan.created": "A loan was made",
    "loan.repaid": "A loan was repaid in full; its collateral is free",
    "loan.overdue": "A loan was not repaid in time; its grace period runs",
    "loan.defaulted": "A loan was not repaid within its grace period",
    "loan.liquidated": "The collateral of a defaulted loan went to its creditor",
    "loan.shortfall": "The collateral of a loan no longer covers the principal owed",
}
