"""Loan configurations: terms that somebody else approves."""
