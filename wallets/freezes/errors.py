"""Refusals because of the owner of the money."""

from exchange.core.errors import Conflict, DomainError


class AccountFrozen(Conflict):
    """Staff have frozen the owner."""

    code = "account_frozen"
    message = "This account is frozen. Contact support"


class ReceivableDue(Conflict):
    """The owner owes the exchange money."""

    code = "receivable_due"
    message = "An amount owed after a chargeback is due. It must be repaid first"


# For the API schema.
FROZEN_FAILURES = {AccountFrozen.code: AccountFrozen.message}
BLOCKED_FAILURES = {**FROZEN_FAILURES, ReceivableDue.code: ReceivableDue.message}


def block_error(code: str) -> DomainError | None:
    """Return the error of a result of the SQL function `owner_block`; None for another code."""
    for error in (AccountFrozen, ReceivableDue):
        if error.code == code:
            return error()
    return None
