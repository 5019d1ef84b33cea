"""Errors of deposits."""

from __future__ import annotations

from exchange.core.errors import NotFound


class DepositNotFound(NotFound):
    """The calling organisation has no such deposit."""

    code = "deposit_not_found"
    message = "Deposit not found"
