"""Matching a payment with what it is for: a checkout, a virtual account, or nothing known."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.currencies import currencies, format_paid
from exchange.core.ids import new_reference, uuid7
from exchange.core.numbers import count_decimals, round_half_even
from exchange.participants.services.members import hold_open
from wallets.alerts.services import raise_alert
from wallets.deposits.models import (
    Deposit,
    DepositChannel,
    DepositStatus,
    Payment,
    PaymentStatus,
    VirtualAccount,
)
from wallets.deposits.services.crediting import credit, emit_deposit_event
from wallets.fees.definitions import DEPOSIT_CLEARING_DAYS, DEPOSIT_FEE_BORNE_BY_OWNER
from wallets.fees.selectors import effective_setting
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, post_transfer, system_account
from wallets.providers.collection import BANK_TRANSFER

_CLOSED = "The member it is for is closed"

Owner = tuple[UUID, UUID | None]


def match(payment: Payment, actor: Actor) -> None:
    """Credit a successful payment to its owner, or keep it as unmatched.

    `payment` is locked and open. A payment that differs from its checkout is credited as what it
    is, to the same owner, and flagged. One for a closed member waits for people.
    """
    if (problem := _why_not_creditable(payment)) is not None:
        _keep_unmatched(payment, actor, problem)
        return
    checkout = (
        Deposit.objects.select_for_update(no_key=True)
        .filter(reference=payment.tx_ref, channel=DepositChannel.CHECKOUT)
        .first()
    )
    if checkout is not None and not hold_open(checkout.member_id):
        _keep_unmatched(payment, actor, _CLOSED)
        return
    if checkout is not None:
        _complete_checkout(payment, checkout, actor)
        return
    account = VirtualAccount.objects.filter(reference=payment.tx_ref).first()
    if account is None:
        _keep_unmatched(payment, actor, "No checkout or virtual account has its reference")
        return
    if not hold_open(account.member_id):
        _keep_unmatched(payment, actor, _CLOSED)
        return
    flags = [] if account.currency_id == payment.currency_code else ["currency_differs"]
    credit_payment(
        payment,
        (account.organisation_id, account.member_id),
        DepositChannel.VIRTUAL_ACCOUNT,
        actor,
        flags=flags,
    )


def credit_payment(
    payment: Payment,
    owner: Owner,
    channel: DepositChannel,
    actor: Actor,
    *,
    flags: list[str] | None = None,
    source: AccountKind = AccountKind.CLEARING,
) -> Deposit:
    """Make a completed deposit of the payment and credit it to `owner`."""
    organisation_id, member_id = owner
    now = timezone.now()
    deposit = Deposit.objects.create(
        id=uuid7(),
        organisation_id=organisation_id,
        member_id=member_id,
        channel=channel,
        reference=new_reference("deposit_"),
        status=DepositStatus.COMPLETED,
        decided_at=now,
        created_at=now,
        updated_at=now,
        **_arrived(payment, flags or []),
    )
    _close(payment, deposit, actor, source)
    return deposit


def fail_checkouts(why: str, *, nowait: bool = False, **conditions: Any) -> None:
    """Fail the matching pending checkouts; a later payment may still complete them.

    With `nowait`, raises `OperationalError` for one that is locked.
    """
    deposits = Deposit.objects.filter(
        channel=DepositChannel.CHECKOUT, status=DepositStatus.PENDING, **conditions
    )
    locked = deposits.select_for_update(no_key=True, nowait=nowait).order_by("pk")
    for deposit_id in locked.values_list("pk", flat=True):
        deposits.filter(pk=deposit_id).update(
            status=DepositStatus.FAILED, reason=why[:500], updated_at=timezone.now()
        )
        emit_deposit_event(deposit_id, "deposit.failed")


def _complete_checkout(payment: Payment, checkout: Deposit, actor: Actor) -> None:
    owner = (checkout.organisation_id, checkout.member_id)
    if checkout.status not in (DepositStatus.PENDING, DepositStatus.FAILED):
        credit_payment(payment, owner, DepositChannel.CHECKOUT, actor, flags=["paid_again"])
        return
    flags = []
    if payment.currency_code != checkout.currency_id:
        flags.append("currency_differs")
    elif payment.amount != checkout.amount:
        flags.append("amount_differs")
    if checkout.status == DepositStatus.FAILED:
        flags.append("paid_after_failure")
    now = timezone.now()
    Deposit.objects.filter(pk=checkout.pk).update(
        status=DepositStatus.COMPLETED,
        reason="",
        decided_at=now,
        updated_at=now,
        **_arrived(payment, flags),
    )
    checkout.refresh_from_db()
    _close(payment, checkout, actor, AccountKind.CLEARING)


def _close(payment: Payment, deposit: Deposit, actor: Actor, source: AccountKind) -> None:
    payment.status = PaymentStatus.CREDITED
    payment.deposit = deposit
    payment.updated_at = timezone.now()
    payment.save()
    credit(deposit, actor, source=source)
    emit_deposit_event(deposit.pk, "deposit.completed")
    # Two people have decided about an assigned payment.
    differences = [flag for flag in deposit.flags if flag != "assigned"]
    if differences:
        raise_alert(
            "deposit_differs",
            subject=deposit.reference,
            message=f"Deposit {deposit.reference} is not what its checkout requested: "
            + ", ".join(flag.replace("_", " ") for flag in differences),
        )


def _arrived(payment: Payment, flags: list[str]) -> dict[str, object]:
    """Return the columns of a deposit that say what arrived."""
    # The fee of a payment that was unmatched was booked with it.
    fee = _fee(payment) if payment.booked_fee is None else Decimal(0)
    # Only a bank transfer is final; whatever else was paid can be taken back for a while.
    rests = payment.payment_type != BANK_TRANSFER
    days = timedelta(days=int(effective_setting(DEPOSIT_CLEARING_DAYS) or 0))
    return {
        "amount": payment.amount,
        "currency_id": payment.currency_code,
        "provider_fee": fee,
        "fee": fee if effective_setting(DEPOSIT_FEE_BORNE_BY_OWNER) else Decimal(0),
        "provider_reference": payment.provider_reference,
        "payer_name": payment.payer_name,
        "payer_bank": payment.payer_bank,
        "payer_account": payment.payer_account,
        "available_at": timezone.now() + days if rests and days else None,
        "flags": flags,
    }


def _fee(payment: Payment) -> Decimal:
    decimals = currencies()[payment.currency_code].decimals
    return round_half_even(payment.provider_fee or Decimal(0), decimals)


def _has_amount_of_currency(payment: Payment) -> bool:
    """Return whether the ledger has the currency and the decimals of the payment."""
    facts = currencies().get(payment.currency_code)
    amount = payment.amount or Decimal(0)
    return facts is not None and amount > 0 and count_decimals(amount) <= facts.decimals


def _can_be_booked(payment: Payment) -> bool:
    """Return whether the payment adds to what the provider holds for us, in the ledger's terms."""
    return _has_amount_of_currency(payment) and _fee(payment) <= (payment.amount or Decimal(0))


def _why_not_creditable(payment: Payment) -> str | None:
    """Return why no wallet can hold the payment: it waits for people."""
    if payment.currency_code not in currencies():
        return "The exchange keeps no wallets in its currency"
    if not _has_amount_of_currency(payment):
        return "Its amount is not one of its currency"
    if _fee(payment) >= (payment.amount or Decimal(0)):
        return "The payment provider's fee leaves nothing of it"
    return None


def _keep_unmatched(payment: Payment, actor: Actor, why: str) -> None:
    amount = payment.amount or Decimal(0)
    payment.status = PaymentStatus.UNMATCHED
    payment.last_error = why
    payment.updated_at = timezone.now()
    if _can_be_booked(payment):
        payment.booked_fee = _fee(payment)
        accounts = {
            kind: system_account(payment.currency_code, kind)
            for kind in (AccountKind.CLEARING, AccountKind.EXPENSES, AccountKind.UNMATCHED)
        }
        post_transfer(
            kind=TransferKind.PAYMENT_UNMATCHED,
            reference=f"payment:{payment.pk}:unmatched",
            subject_id=payment.pk,
            actor=actor,
            memo=payment.tx_ref,
            legs=[
                Leg(accounts[AccountKind.CLEARING], payment.booked_fee - amount),
                Leg(accounts[AccountKind.EXPENSES], -payment.booked_fee),
                Leg(accounts[AccountKind.UNMATCHED], amount),
            ],
        )
    payment.save()
    raise_alert(
        "payment_unmatched",
        subject=str(payment.transaction_id),
        message=f"Payment {payment.transaction_id} of"
        f" {format_paid(amount, payment.currency_code)} needs a decision: {why}",
    )
