"""Back-office users: accounts, second factor, lock-out and two-person approval."""
