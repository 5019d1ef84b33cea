"""Queries and pages of the audit log, which triggers of the kernel write."""
