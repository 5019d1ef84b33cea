"""The posting side of the ledger: open an account, post a transfer. Nothing here decides rules.

The SQL functions in `wallets/sql` do the work and PostgreSQL holds the invariants; see
`wallets.models.ledger` for what accounts and signs mean.
"""

from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    TransferAlreadyPosted,
    open_account,
    post_transfer,
    system_account,
)

__all__ = [
    "InsufficientFunds",
    "Leg",
    "TransferAlreadyPosted",
    "open_account",
    "post_transfer",
    "system_account",
]
