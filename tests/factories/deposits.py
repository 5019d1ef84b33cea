"""Virtual accounts, checkouts, and the provider's records of payments into them."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any
from uuid import UUID

from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.ids import new_reference, uuid7
from exchange.participants.models import Member, Organisation
from tests.environment.owner import without_guards
from tests.factories.api_clients import make_member, make_organisation
from wallets.deposits.models import (
    Deposit,
    DepositChannel,
    DepositStatus,
    Payment,
    VirtualAccount,
)
from wallets.deposits.services.payments import apply_record, report_payment
from wallets.providers.collection import (
    BANK_TRANSFER,
    ChargeHint,
    Payer,
    TransactionRecord,
    TransactionStatus,
)

ACTOR = Actor.system("deposits")
_TRANSACTION_IDS = count(70_001)


@dataclass(frozen=True)
class Owner:
    """The owner of a wallet: a member, or the organisation."""

    organisation: Organisation
    member: Member | None = None

    @property
    def member_id(self) -> UUID | None:
        return self.member.pk if self.member else None

    def columns(self) -> dict[str, Any]:
        return {"organisation": self.organisation, "member": self.member}


def make_owner() -> Owner:
    """Make a member, Ada Obi of Acme."""
    member = make_member(make_organisation("Acme"), "Ada Obi")
    return Owner(member.organisation, member)


def make_virtual_account(owner: Owner, currency: str = "NGN", **columns: Any) -> VirtualAccount:
    """Make a virtual account without the provider."""
    made = {
        "reference": new_reference("account_"),
        "order_reference": new_reference("URF_"),
        "bank_name": "Wema Bank",
        "account_number": f"85{uuid7().int % 10**8:08d}",
        "account_name": "Ada Obi",
        "created_at": timezone.now(),
    }
    return VirtualAccount.objects.create(
        **owner.columns(), currency_id=currency, **{**made, **columns}
    )


def make_checkout(
    owner: Owner,
    amount: str = "1000",
    currency: str = "NGN",
    *,
    hours_ago: int = 0,
    client_reference: str | None = None,
) -> Deposit:
    """Make a pending checkout without the provider."""
    now = timezone.now() - timedelta(hours=hours_ago)
    return Deposit.objects.create(
        **owner.columns(),
        channel=DepositChannel.CHECKOUT,
        status=DepositStatus.PENDING,
        amount=Decimal(amount),
        currency_id=currency,
        requested_amount=Decimal(amount),
        requested_currency=currency,
        reference=new_reference("deposit_"),
        redirect_url="https://example.com/paid",
        client_reference=client_reference,
        created_at=now,
        updated_at=now,
    )


def transaction_record(tx_ref: str, amount: str = "1000", **changes: Any) -> TransactionRecord:
    """Return the provider's record of a successful bank transfer."""
    values: dict[str, Any] = {
        "transaction_id": str(next(_TRANSACTION_IDS)),
        "tx_ref": tx_ref,
        "flw_ref": new_reference("FLW_"),
        "status": TransactionStatus.SUCCESSFUL,
        "amount": Decimal(amount),
        "currency": "NGN",
        "charged_amount": Decimal(amount),
        "app_fee": Decimal(14),
        "merchant_fee": Decimal(0),
        "amount_settled": Decimal(amount) - 14,
        "payment_type": BANK_TRANSFER,
        "processor_response": "Approved",
        "customer_name": "Ada Obi",
        "payer": Payer("ADA OBI", "Access Bank", "******4821"),
        "created_at": timezone.now(),
        **changes,
    }
    return TransactionRecord(**values)


def arrive(record: TransactionRecord, hinted: str | None = None) -> Payment:
    """Report the payment by a webhook (with `hinted` as reference) and look it up."""
    report_payment(ChargeHint(record.transaction_id, hinted or record.tx_ref))
    payment = Payment.objects.get(transaction_id=int(record.transaction_id))
    apply_record(payment.pk, record, ACTOR)
    payment.refresh_from_db()
    return payment


def make_due(deposit: Deposit, *, hours: int = 0) -> None:
    """Date the end of the deposit's rest into the past."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_deposit SET available_at = now() - make_interval(hours => %s)"
            " WHERE id = %s",
            [hours, deposit.pk],
        )
    # With guards, so that its document has it too.
    Deposit.objects.filter(pk=deposit.pk).update(updated_at=timezone.now())


def credited(reference: str) -> Deposit:
    """Let 1,000 arrive with the reference, and return its deposit."""
    return Deposit.objects.get(payment=arrive(transaction_record(reference)))
