"""The transfer request of a withdrawal: shown before approval, sent after it."""

from wallets.providers.base import RecipientIdentity, TransferRequest
from wallets.withdrawals.models import Withdrawal


def transfer_request(withdrawal: Withdrawal) -> TransferRequest:
    """Return the transfer request of `withdrawal` (with its bank loaded)."""
    bank = withdrawal.bank
    recipient = None
    if bank.recipient_last_name:
        recipient = RecipientIdentity(
            first_name=bank.recipient_first_name,
            last_name=bank.recipient_last_name,
            email=bank.recipient_email,
            mobile_number=bank.recipient_phone,
            address=bank.recipient_address,
        )
    return TransferRequest(
        reference=withdrawal.reference,
        amount=withdrawal.disburse_amount,
        currency=withdrawal.currency_id,
        bank_code=bank.code,
        account_number=bank.account_number,
        beneficiary_name=bank.account_name,
        narration=f"Withdrawal {withdrawal.reference}",
        branch_code=bank.branch_code or None,
        recipient=recipient,
    )
