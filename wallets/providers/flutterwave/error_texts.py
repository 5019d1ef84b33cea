"""Known error texts of the provider, and what each means.

Flutterwave v3 has no error codes: a 400 carries a sentence. Treating a sentence as a decline
releases the customer's money, so declines are a closed list compared for equality. Any other
sentence leaves the outcome unknown until a status check.
"""

from wallets.providers.base import (
    CollectionDeclined,
    DuplicateReference,
    InsufficientFloat,
    OutcomeUnknown,
    ProviderError,
    RecipientDeclined,
    TransferError,
)

_RECIPIENT_DECLINES = frozenset({"payout was made to a blacklisted account number"})
_DUPLICATES = (
    "reference already exists",
    "duplicate reference",
    "reference has already been used",
    "reference already used",
)
# A repeat with the same reference cannot pay twice, so these match by substring.
_FLOAT_SHORTAGES = (
    "insufficient fund",
    "insufficient balance",
    "insufficient wallet balance",
    "not have sufficient balance",
    "balance is insufficient",
)
_NOT_RESOLVED = ("could not be validated", "invalid account", "account not found")
_NO_TRANSACTION = "no transaction was found"


def _normalize(message: str) -> str:
    return " ".join(message.casefold().split()).strip(" .!")


def transfer_error(status_code: int, message: str) -> TransferError:
    """Return the error for an error envelope in response to a transfer."""
    plain = _normalize(message)
    if status_code == 400:
        if plain in _RECIPIENT_DECLINES:
            return RecipientDeclined(message)
        if any(part in plain for part in _DUPLICATES):
            return DuplicateReference(message)
        if any(part in plain for part in _FLOAT_SHORTAGES):
            return InsufficientFloat(message)
    return OutcomeUnknown(
        f"the provider responded with {status_code}: {message}", outage=status_code == 403
    )


def is_account_not_resolved(status_code: int, message: str) -> bool:
    """Return whether an error envelope states that an account could not be resolved."""
    plain = _normalize(message)
    return status_code == 400 and any(part in plain for part in _NOT_RESOLVED)


def is_transaction_not_found(status_code: int, message: str) -> bool:
    """Return whether an error envelope states that there is no such transaction."""
    return status_code == 400 and _normalize(message).startswith(_NO_TRANSACTION)


def refund_error(status_code: int, message: str) -> ProviderError:
    """Return the error for an error envelope in response to a refund.

    A refund has no reference of ours, so that a repeat pays twice: only the absence of the
    transaction and a shortage of float are certain not to have paid.
    """
    if is_transaction_not_found(status_code, message):
        return CollectionDeclined(message)
    error = transfer_error(status_code, message)
    if isinstance(error, InsufficientFloat | OutcomeUnknown):
        return error
    return OutcomeUnknown(f"the provider responded with {status_code}: {message}")
