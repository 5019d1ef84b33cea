"""Request a withdrawal: checks in the specified order, then one server-side call.

Network calls (bank list, account name) run first, with no transaction open. All rules and the
transfer to escrow run under the lock in the SQL function `request_withdrawals`, in one round trip
for a single request or a batch of concurrent ones.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from django.db import DatabaseError, connection

from exchange.core.batching import BatchedFunction, Batcher
from exchange.core.commands import as_json
from exchange.core.currencies import resolves_names
from exchange.core.database import (
    fetch_one,
    read_rejection,
    savepoint_if_in_transaction,
    violated_constraint,
)
from exchange.core.errors import DomainError
from exchange.core.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    claim_error,
    find_response,
)
from exchange.core.references import ClientReferenceTaken
from exchange.participants.errors import member_error
from wallets.banks.services import Payee, find_bank, find_cached_bank, find_payee
from wallets.freezes.errors import block_error
from wallets.ledger.errors import InsufficientBalance, closed_error
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.errors import BelowMinimum, FeeExceedsAmount

# SQLSTATE of a rejection by the SQL functions.
_REJECTED = "XW400"
# Violated where another request with the reference committed after the rules were checked.
_REFERENCE_CONSTRAINT = "withdrawal_client_reference_once"

_function = BatchedFunction(RequestWithdrawal.function, 201, "Withdrawal request created")


def request_withdrawal(
    command: RequestWithdrawal, *, claim: IdempotencyClaim | None = None
) -> StoredResponse:
    """Move the amount into escrow and create the Pending request.

    A `claim` replays the response stored under it. Raises, in this order,
    `UserNotFound`, `MemberClosed`, `InsufficientBalance`, `ClientReferenceTaken`, `AccountFrozen`
    or `ReceivableDue`, `VerificationRequired`, `BelowMinimum`, `NoBankList`,
    `BankListUnavailable`, `BankNotFound`,
    `FeeExceedsAmount`; and `IdempotencyKeyReused` or `RequestInProgress` for the claim. An error
    moves no money.
    """
    command = command.with_key(claim)
    bank = find_cached_bank(command.currency, command.bank_name)
    if bank is not None and not resolves_names(command.currency):
        # No network call needed: the SQL function makes all remaining checks, in order.
        return _submit(command, Payee(bank, command.account_name, resolved=False))

    _batcher.withdraw()
    if claim is not None and (response := find_response(claim)) is not None:
        return response
    try:
        _precheck(command)
        bank = find_bank(command.currency, command.bank_name)
        payee = find_payee(
            currency=command.currency,
            bank=bank,
            account_number=command.account_number,
            provided_name=command.account_name,
        )
        return _submit(command, payee)
    except DomainError:
        # The first request of this key may have committed meanwhile and caused this error by
        # taking the money; its response is replayed.
        if claim is not None and (response := find_response(claim)) is not None:
            return response
        raise


def _precheck(command: RequestWithdrawal) -> None:
    """Check the rules before the network calls, to fail early without them."""
    try:
        with savepoint_if_in_transaction():
            fetch_one("SELECT check_withdrawal(%s::jsonb)", [as_json([command])])
    except DatabaseError as error:
        rejection = _translate_rejection(error, command)
        if rejection is None:
            raise
        raise rejection from error


def _submit(command: RequestWithdrawal, payee: Payee) -> StoredResponse:
    """Write the withdrawal to `payee`, batched with concurrent requests."""
    command = replace(
        command,
        bank_name=payee.bank.name,
        bank_code=payee.bank.code,
        provider_bank_id=payee.bank.id,
        account_name=payee.account_name,
        provided_name=command.account_name,
        name_resolved=payee.resolved,
    )
    if connection.in_atomic_block:
        return _submit_alone(command)
    return _batcher.submit(command) or _submit_alone(command)


def _submit_alone(command: RequestWithdrawal) -> StoredResponse:
    return _function.run_single(command, partial(_translate_rejection, command=command))


_batcher: Batcher[RequestWithdrawal, StoredResponse | None] = Batcher(
    partial(_function.run_batch, run_single=_submit_alone)
)
# Views enter `with expected_request():` as early as possible, so that batches wait for them.
expected_request = _batcher.expect


def _translate_rejection(error: DatabaseError, command: RequestWithdrawal) -> DomainError | None:
    if violated_constraint(error) == _REFERENCE_CONSTRAINT:
        return _build_rejection("client_reference_taken", {}, command)
    refused = read_rejection(error, _REJECTED)
    if refused is None:
        return claim_error(error) or closed_error(error)
    return _build_rejection(*refused, command)


def _build_rejection(
    code: str, detail: dict[str, Any], command: RequestWithdrawal
) -> DomainError | None:
    match code:
        case "insufficient_balance":
            return InsufficientBalance(
                currency=command.currency, available=detail["available"], requested=command.amount
            )
        case "client_reference_taken":
            return ClientReferenceTaken(command.client_reference or "", "a withdrawal")
        case "below_minimum":
            return BelowMinimum(currency=command.currency, minimum=detail["minimum"])
        case "fee_exceeds_amount":
            return FeeExceedsAmount(
                currency=command.currency, fee=detail["fee"], amount=command.amount
            )
    return member_error(code) or block_error(code)
