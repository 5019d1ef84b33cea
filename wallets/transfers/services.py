"""Move money between wallets of an organisation: all rules and effects in one server-side call.

The SQL function `transfer_money` takes a single transfer, or a batch of concurrent ones, in one
round trip.
"""

from functools import partial

from django.db import DatabaseError, connection

from exchange.core.batching import BatchedFunction, Batcher
from exchange.core.database import read_rejection, violated_constraint
from exchange.core.errors import DomainError
from exchange.core.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    claim_error,
)
from exchange.core.references import ClientReferenceTaken
from exchange.participants.errors import member_error
from wallets.freezes.errors import block_error
from wallets.ledger.errors import InsufficientBalance, closed_error
from wallets.transfers.commands import TransferMoney

# SQLSTATE of a rejection by the SQL functions.
_REJECTED = "XW400"
# Violated where another transfer with the reference committed after the rules were checked.
_REFERENCE_CONSTRAINT = "wallet_transfer_client_reference_once"

_function = BatchedFunction(TransferMoney.function, 201, "Transfer completed")


def transfer_money(
    command: TransferMoney, *, claim: IdempotencyClaim | None = None
) -> StoredResponse:
    """Move the amount at once and create the Completed record.

    What the payee owes the exchange is repaid first. A `claim` replays the response stored under
    it. Raises, in this order, `UserNotFound`, `MemberClosed`, `InsufficientBalance`,
    `ClientReferenceTaken`, `AccountFrozen` or `ReceivableDue`; and `IdempotencyKeyReused` or
    `RequestInProgress` for the claim. An error moves no money.
    """
    command = command.with_key(claim)
    if connection.in_atomic_block:
        return _submit_alone(command)
    return _batcher.submit(command) or _submit_alone(command)


def _translate_rejection(error: DatabaseError, command: TransferMoney) -> DomainError | None:
    taken = ClientReferenceTaken(command.client_reference or "", "a transfer")
    if violated_constraint(error) == _REFERENCE_CONSTRAINT:
        return taken
    refused = read_rejection(error, _REJECTED)
    if refused is None:
        return claim_error(error) or closed_error(error)
    code, detail = refused
    match code:
        case "insufficient_balance":
            return InsufficientBalance(
                currency=command.currency, available=detail["available"], requested=command.amount
            )
        case "client_reference_taken":
            return taken
    return member_error(code) or block_error(code)


def _submit_alone(command: TransferMoney) -> StoredResponse:
    return _function.run_single(command, partial(_translate_rejection, command=command))


_batcher: Batcher[TransferMoney, StoredResponse | None] = Batcher(
    partial(_function.run_batch, run_single=_submit_alone)
)
# Views enter `with expected_transfer():` as early as possible, so that batches wait for them.
expected_transfer = _batcher.expect
