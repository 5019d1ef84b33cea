"""Loans: creation, repayment, collateral, servicing, closure."""
