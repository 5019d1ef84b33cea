"""Recovery of a withdrawal that the provider paid and a restored database does not have.

The withdrawal is requested again under its old reference and approved as usual. Its payout finds
the provider's transfer by the reference and settles with it: nothing is sent.
"""

from uuid import UUID

from django.db import IntegrityError

from exchange.core.actors import Actor
from exchange.core.database import violated_constraint
from exchange.core.errors import NotFound, Rejected, StateConflict
from wallets.banks.services import bank_directory
from wallets.fees.selectors import withdrawal_fee
from wallets.payouts.errors import StatusCheckUnavailable
from wallets.providers.base import BankEntry, ProviderError, TransferRecord, TransferStatus
from wallets.providers.registry import payment_provider
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services.requests import request_withdrawal


def recover_withdrawal(
    *,
    reference: str,
    organisation_id: UUID,
    member_id: UUID | None,
    account_name: str,
    actor: Actor,
) -> Withdrawal:
    """Request the withdrawal of the provider's transfer `reference` again; return it, Pending.

    The amount is the transfer's with the effective fee. Raises `NotFound`, `StateConflict` when the
    withdrawal exists, `Rejected` for a failed transfer or an unknown bank,
    `StatusCheckUnavailable`, and as `request_withdrawal`.
    """
    exists = StateConflict(f"The withdrawal {reference} exists: approve it if it is Pending")
    if Withdrawal.objects.filter(reference=reference).exists():
        raise exists
    try:
        record = payment_provider().find_transfer(reference)
    except ProviderError as error:
        raise StatusCheckUnavailable from error
    if record is None:
        raise NotFound(f"The provider has no transfer {reference}", code="transfer_not_found")
    if record.status is TransferStatus.FAILED:
        raise Rejected(f"The transfer {reference} failed, so no money left: nothing to recover")
    command = RequestWithdrawal(
        organisation=organisation_id,
        member=member_id,
        actor=str(actor),
        currency=record.currency,
        amount=record.amount + withdrawal_fee(record.currency),
        bank_name=_find_bank(record).name,
        account_name=account_name,
        account_number=record.account_number,
        reference=reference,
    )
    try:
        request_withdrawal(command)
    except IntegrityError as error:
        if violated_constraint(error) != "withdrawal_reference_once":
            raise
        raise exists from error
    return Withdrawal.objects.get(reference=reference)


def _find_bank(record: TransferRecord) -> BankEntry:
    # Some responses render codes as numbers, without leading zeros.
    code = record.bank_code.lstrip("0")
    for bank in bank_directory(record.currency).banks:
        if bank.code.lstrip("0") == code:
            return bank
    raise Rejected(f"The {record.currency} bank list has no bank with the code {record.bank_code}")
