"""Double-entry ledger: accounts, transfers and entries, written through `posting` only.

The functions in `sql` write it and PostgreSQL enforces its invariants. `models` defines accounts.
"""
