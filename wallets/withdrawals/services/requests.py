"""Asking for a withdrawal: the checks of decisions §8 in their order, then one server-side call.

What needs the network (bank list, account name) happens first, with no transaction open; what
needs the lock (balance once more, minimum, fee, moving the money) happens in the SQL function
`request_withdrawal`, in one round trip. Requests that arrive at this process together are written
together, by `request_withdrawals`; those it leaves go one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connection

from exchange.core import wake
from exchange.core.actors import Actor
from exchange.core.batching import Combiner
from exchange.core.currencies import needs_name
from exchange.core.database import fetch_one, refused_by
from exchange.core.errors import DomainError
from exchange.core.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    claim_refusal,
    find_response,
    kept_for,
    wait_milliseconds,
)
from exchange.core.ids import new_reference, uuid7
from exchange.core.numbers import plain
from exchange.core.sets import as_json, carry_out
from exchange.participants.errors import UserNotFound
from exchange.participants.models import Member
from wallets.banks.services import Payee, find_bank, find_payee, remembered_bank
from wallets.fees.selectors import minimum_withdrawal
from wallets.ledger.errors import InsufficientBalance
from wallets.ledger.selectors.wallets import available_balance
from wallets.withdrawals.errors import BelowMinimum, FeeExceedsAmount

CREATED = 201
MESSAGE = "Withdrawal request created"

# What `request_withdrawal` raises for a refusal.
_REFUSED = "XW400"

_CALL = (
    "SELECT replayed, status_code, message, data FROM request_withdrawal("
    "%s::jsonb, %s::integer, %s::interval, %s::integer, %s::text)"
)
_CALL_FOR_MANY = (
    "SELECT array_agg(done::text), array_agg(answer)"
    " FROM request_withdrawals(%s::jsonb, %s::integer, %s::text)"
)
_NEW_IDS = ("withdrawal", "bank", "transfer", "event", "new_escrow")


@dataclass(frozen=True, slots=True)
class Corridor:
    """What some countries need besides the account: a branch, or who the recipient is."""

    branch_code: str = ""
    recipient_first_name: str = ""
    recipient_last_name: str = ""
    recipient_email: str = ""
    recipient_phone: str = ""
    recipient_address: str = ""

    def as_columns(self) -> dict[str, str]:
        """The values by their names."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class WithdrawalOrder:
    """What a client asks for, well formed: `amount` in units of `currency`, a wallet currency."""

    amount: Decimal
    currency: str
    bank_name: str
    account_name: str
    account_number: str
    corridor: Corridor = field(default_factory=Corridor)


def request_withdrawal(
    *,
    organisation_id: UUID,
    member_id: UUID | None,
    order: WithdrawalOrder,
    actor: Actor,
    claim: IdempotencyClaim | None = None,
) -> StoredResponse:
    """Moves `order.amount` into escrow and creates the Pending request, or refuses.

    `member_id` None is the organisation's own wallet. With a `claim` the first answer given under
    it is given again. Raises, in this order, `UserNotFound`, `InsufficientBalance`,
    `BelowMinimum`, `NoBankList`, `BankListUnavailable`, `BankNotFound`, `FeeExceedsAmount`; and
    `IdempotencyKeyReused` or `StillRunning` for the claim. Nothing moves on a refusal.
    """
    call = partial(
        _call,
        organisation_id=organisation_id,
        member_id=member_id,
        order=order,
        actor=actor,
        claim=claim,
    )
    bank = remembered_bank(order.currency, order.bank_name)
    if bank is not None and not needs_name(order.currency):
        # Nothing to ask the network: the function makes every check that is left, in order.
        payee = Payee(bank, order.account_name, resolved=False)
        return call(payee)

    _together.not_coming()
    if claim is not None and (answer := find_response(claim)) is not None:
        return answer
    try:
        _check_before_network(organisation_id, member_id, order)
        bank = find_bank(order.currency, order.bank_name)
        payee = find_payee(
            currency=order.currency,
            bank=bank,
            account_number=order.account_number,
            given_name=order.account_name,
        )
        return call(payee)
    except DomainError:
        # The first request of this key may have committed meanwhile and be the very reason of
        # this refusal (it took the money): its answer is then the answer.
        if claim is not None and (answer := find_response(claim)) is not None:
            return answer
        raise


def _check_before_network(
    organisation_id: UUID, member_id: UUID | None, order: WithdrawalOrder
) -> None:
    if (
        member_id is not None
        and not Member.objects.filter(id=member_id, organisation_id=organisation_id).exists()
    ):
        raise UserNotFound
    available = available_balance(member_id or organisation_id, order.currency)
    if available < order.amount:
        raise InsufficientBalance(
            currency=order.currency, available=available, requested=order.amount
        )
    minimum = minimum_withdrawal(order.currency)
    if order.amount < minimum:
        raise BelowMinimum(currency=order.currency, minimum=minimum)


def _call(
    payee: Payee,
    *,
    organisation_id: UUID,
    member_id: UUID | None,
    order: WithdrawalOrder,
    actor: Actor,
    claim: IdempotencyClaim | None,
) -> StoredResponse:
    form = {
        **_form(payee, organisation_id, member_id, order),
        "actor": str(actor),
        **(claim.as_form() if claim else {}),
    }
    if not connection.in_atomic_block:
        answer = _together.submit(form)
        if answer is not None:
            return answer
    try:
        row = fetch_one(_CALL, [as_json(form), wait_milliseconds(), kept_for(), CREATED, MESSAGE])
    except DatabaseError as error:
        refusal = _refusal(error, order)
        if refusal is None:
            raise
        raise refusal from error
    if row is None:
        raise RuntimeError("request_withdrawal returned no row")
    replayed, status_code, message, data = row
    wake.after_commit(wake.DELIVER_EVENTS)
    return StoredResponse(status_code, message, data, replayed=replayed)


_call_for_many = partial(
    carry_out, _CALL_FOR_MANY, id_name="withdrawal", status_code=CREATED, message=MESSAGE
)
_together = Combiner(_call_for_many)
# A view says `with requests_coming():` as early as it can, so that those who wait know.
requests_coming = _together.coming


def _form(
    payee: Payee,
    organisation_id: UUID,
    member_id: UUID | None,
    order: WithdrawalOrder,
) -> dict[str, Any]:
    """The order as the SQL functions take it: `withdrawal_order` by its column names."""
    return {
        **{name: str(uuid7()) for name in _NEW_IDS},
        "organisation": str(organisation_id),
        "member": member_id and str(member_id),
        "currency": order.currency,
        "amount": plain(order.amount),
        "reference": new_reference("payout_"),
        "bank_name": payee.bank.name,
        "bank_code": payee.bank.code,
        "provider_bank_id": payee.bank.id,
        "account_number": order.account_number,
        "account_name": payee.account_name,
        "given_name": order.account_name,
        "name_resolved": payee.resolved,
        **order.corridor.as_columns(),
    }


def _refusal(error: DatabaseError, order: WithdrawalOrder) -> DomainError | None:
    refused = refused_by(error, _REFUSED)
    if refused is None:
        return claim_refusal(error)
    code, detail = refused
    match code:
        case "user_not_found":
            return UserNotFound()
        case "insufficient_balance":
            return InsufficientBalance(
                currency=order.currency, available=detail["available"], requested=order.amount
            )
        case "below_minimum":
            return BelowMinimum(currency=order.currency, minimum=detail["minimum"])
        case "fee_exceeds_amount":
            return FeeExceedsAmount(currency=order.currency, fee=detail["fee"], amount=order.amount)
    return None
