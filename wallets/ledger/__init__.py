"""The ledger: accounts, transfers and entries; `posting` is the only way to write them.

The SQL functions in `sql` do the work and PostgreSQL holds the invariants; see `models` for what
accounts and signs mean.
"""
