"""Requesting a withdrawal: the checks of decisions §8 in their order, then one server-side call.

What needs the network (bank list, account name) happens first, with no transaction open; what
needs the lock (all rules, moving the money) happens in the SQL function `request_withdrawals`, in
one round trip, for one request or for several that arrive at this process together.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from django.db import DatabaseError, connection

from exchange.core.batching import BatchedFunction, Batcher
from exchange.core.commands import as_json
from exchange.core.currencies import resolves_names
from exchange.core.database import fetch_one, read_rejection, savepoint_if_in_transaction
from exchange.core.errors import DomainError
from exchange.core.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    claim_error,
    find_response,
    wait_milliseconds,
)
from exchange.participants.errors import UserNotFound
from wallets.banks.services import Payee, find_bank, find_cached_bank, find_payee
from wallets.ledger.errors import InsufficientBalance
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.errors import BelowMinimum, FeeExceedsAmount

# What the SQL functions raise for a refusal.
_REJECTED = "XW400"

_function = BatchedFunction("request_withdrawals", 201, "Withdrawal request created")


def request_withdrawal(
    command: RequestWithdrawal, *, claim: IdempotencyClaim | None = None
) -> StoredResponse:
    """Move the amount into escrow and create the Pending request, or refuse.

    With a `claim` the first answer given under it is given again. Raises, in this order,
    `UserNotFound`, `InsufficientBalance`, `BelowMinimum`, `NoBankList`, `BankListUnavailable`,
    `BankNotFound`, `FeeExceedsAmount`; and `IdempotencyKeyReused` or `RequestInProgress` for the
    claim. Nothing moves on a refusal.
    """
    command = command.with_key(claim)
    bank = find_cached_bank(command.currency, command.bank_name)
    if bank is not None and not resolves_names(command.currency):
        # Nothing to ask the network: the function makes every check that is left, in order.
        return _submit(command, Payee(bank, command.account_name, resolved=False))

    _batcher.withdraw()
    if claim is not None and (answer := find_response(claim)) is not None:
        return answer
    try:
        _precheck(command)
        bank = find_bank(command.currency, command.bank_name)
        payee = find_payee(
            currency=command.currency,
            bank=bank,
            account_number=command.account_number,
            given_name=command.account_name,
        )
        return _submit(command, payee)
    except DomainError:
        # The first request of this key may have committed meanwhile and be the very reason of
        # this refusal (it took the money): its answer is then the answer.
        if claim is not None and (answer := find_response(claim)) is not None:
            return answer
        raise


def _precheck(command: RequestWithdrawal) -> None:
    """Raise what refuses `command` already, so that nobody pays for a look-up to be told so."""
    try:
        with savepoint_if_in_transaction():
            fetch_one("SELECT check_withdrawal(%s::jsonb)", [as_json([command])])
    except DatabaseError as error:
        refusal = _translate_rejection(error, command)
        if refusal is None:
            raise
        raise refusal from error


def _submit(command: RequestWithdrawal, payee: Payee) -> StoredResponse:
    """Have the withdrawal to `payee` written, together with others of this moment."""
    command = replace(
        command,
        bank_name=payee.bank.name,
        bank_code=payee.bank.code,
        provider_bank_id=payee.bank.id,
        account_name=payee.account_name,
        given_name=command.account_name,
        name_resolved=payee.resolved,
    )
    if connection.in_atomic_block:
        return _submit_alone(command)
    return _batcher.submit(command) or _submit_alone(command)


def _submit_alone(command: RequestWithdrawal) -> StoredResponse:
    try:
        answers = _function.run([command], wait_milliseconds())
    except DatabaseError as error:
        refusal = _translate_rejection(error, command)
        if refusal is None:
            raise
        raise refusal from error
    return answers[command.created_id]


_batcher: Batcher[RequestWithdrawal, StoredResponse | None] = Batcher(
    partial(_function.run_batch, run_single=_submit_alone)
)
# A view says `with expect_request():` as early as it can, so that those who wait know.
expected_request = _batcher.expect


def _translate_rejection(error: DatabaseError, command: RequestWithdrawal) -> DomainError | None:
    refused = read_rejection(error, _REJECTED)
    if refused is None:
        return claim_error(error)
    code, detail = refused
    match code:
        case "user_not_found":
            return UserNotFound()
        case "insufficient_balance":
            return InsufficientBalance(
                currency=command.currency, available=detail["available"], requested=command.amount
            )
        case "below_minimum":
            return BelowMinimum(currency=command.currency, minimum=detail["minimum"])
        case "fee_exceeds_amount":
            return FeeExceedsAmount(
                currency=command.currency, fee=detail["fee"], amount=command.amount
            )
    return None
