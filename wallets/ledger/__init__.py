"""The posting side of the ledger: open an account, post a transfer. Nothing here decides rules.

The SQL functions in `wallets/sql` do the work and PostgreSQL holds the invariants; see
`wallets.ledger.models` for what accounts and signs mean.
"""

from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    Posting,
    TransferAlreadyPosted,
    open_account,
    open_accounts,
    post_transfer,
    post_transfers,
    system_account,
)

__all__ = [
    "InsufficientFunds",
    "Leg",
    "Posting",
    "TransferAlreadyPosted",
    "open_account",
    "open_accounts",
    "post_transfer",
    "post_transfers",
    "system_account",
]
