"""Which error texts of the provider we know, and what each one means. Nothing else is known.

Flutterwave v3 has no error codes: a 400 carries a sentence. Calling a sentence a refusal releases
the customer's money, so refusals are a closed list compared for equality; a sentence that is not
listed leaves the outcome unknown, to be settled by looking the transfer up.
"""

from wallets.providers.base import (
    DuplicateReference,
    InsufficientFloat,
    OutcomeUnknown,
    RecipientDeclined,
    TransferError,
)

RECIPIENT_DECLINES = {
    "payout was made to a blacklisted account number": "recipient_blacklisted",
}

_DUPLICATES = (
    "reference already exists",
    "duplicate reference",
    "reference has already been used",
    "reference already used",
)
# A repeat with the same reference cannot pay twice, so these may be matched by their parts.
_FLOAT_SHORTAGES = (
    "insufficient fund",
    "insufficient balance",
    "insufficient wallet balance",
    "not have sufficient balance",
    "balance is insufficient",
)
_NOT_RESOLVED = ("could not be validated", "invalid account", "account not found")


def _normalize(message: str) -> str:
    return " ".join(message.casefold().split()).strip(" .!")


def transfer_error(status_code: int, message: str) -> TransferError:
    """What an error envelope in answer to a transfer means."""
    plain = _normalize(message)
    if status_code == 400:
        code = RECIPIENT_DECLINES.get(plain)
        if code is not None:
            return RecipientDeclined(message, code=code)
        if any(part in plain for part in _DUPLICATES):
            return DuplicateReference(message)
        if any(part in plain for part in _FLOAT_SHORTAGES):
            return InsufficientFloat(message)
    return OutcomeUnknown(
        f"the provider answered {status_code}: {message}", outage=status_code == 403
    )


def is_account_not_resolved(status_code: int, message: str) -> bool:
    """Whether an error envelope says that an account could not be resolved."""
    plain = _normalize(message)
    return status_code == 400 and any(part in plain for part in _NOT_RESOLVED)
