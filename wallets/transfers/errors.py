"""Errors of transfers between wallets."""

from exchange.core.errors import NotFound


class TransferNotFound(NotFound):
    """The calling organisation has no such transfer."""

    code = "transfer_not_found"
    message = "Transfer not found"
