"""Loan configurations, loans against token units, their servicing, and portfolios."""
