"""Errors of deposits."""

from exchange.core.errors import Conflict, NotFound


class DepositNotFound(NotFound):
    """The calling organisation has no such deposit."""

    code = "deposit_not_found"
    message = "Deposit not found"


class PaymentNotFound(NotFound):
    """There is no such payment at the provider."""

    code = "payment_not_found"
    message = "Payment not found"


class ReversalPending(Conflict):
    """One reversal of a deposit is decided at a time."""

    code = "reversal_pending"
    message = "A reversal of this deposit is pending already"
