"""People of the back office: accounts, second factor, lock-out, and deciding by two."""
