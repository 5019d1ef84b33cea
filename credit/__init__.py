"""Loan configurations, loans, collateral and the portfolio."""
