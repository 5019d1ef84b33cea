"""Event types of loans, and when each is emitted."""

EVENT_TYPES = {
    "loan.created": "A loan was disbursed",
    "loan.partially_repaid": "A part of a loan was repaid",
    "loan.repaid": "A loan was repaid in full and its collateral released",
    "loan.overdue": "A loan was not repaid on its due date; its grace period has started",
    "loan.defaulted": "A loan was not repaid within its grace period",
    "loan.liquidated": "The collateral of a defaulted loan was transferred to its creditor",
    "loan.written_off": "A loan was written off and its collateral released",
    "loan.collateral_added": "The borrower pledged more units for a loan",
    "loan.collateral_released": "Units or cash collateral of an open loan were released",
    "loan.shortfall": "The collateral of a loan no longer covers its outstanding principal",
}
