"""Demo payments, for the pages of deposits: into an account number, by card, and without an owner.

Paid at the sandbox and credited by the services that webhooks use, each identified by its amount. A
real provider has no control to pay with, so it gets none. Events are marked as unsent.
"""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.conf import settings

from config.local.demo.data import DemoParticipant, DemoPayment
from config.local.demo.sandbox import is_sandbox, read_control, send_control
from config.provider_webhooks import RECEIVERS
from exchange.core.actors import Actor
from exchange.events.services.outbox import mark_unsent
from exchange.participants.models import Member, Organisation
from wallets.deposits.models import Payment, VirtualAccount
from wallets.deposits.services.opening import Checkout, open_checkout, open_virtual_account
from wallets.deposits.services.payments import look_up
from wallets.providers.collection import CheckoutRequest
from wallets.providers.registry import payment_provider
from wallets.providers.services import receive_webhook

_BVN = "22222222222"


def load_payments(
    payments: Sequence[DemoPayment],
    parties: Mapping[str, DemoParticipant],
    actor: Actor,
) -> bool:
    """Create the missing payments; `parties` are by slug.

    Returns whether the provider can be paid at.
    """
    if not is_sandbox():
        return False
    for shown in payments:
        if Payment.objects.filter(amount=shown.amount, currency_code=shown.currency).exists():
            continue
        party = parties[shown.organisation]
        made = _pay(_open(shown, party.organisation, party.member(shown)))
        _receive_webhook(made)
        payment = Payment.objects.get(transaction_id=made["id"])
        look_up(payment.pk, actor)
        payment.refresh_from_db()
        if payment.deposit_id is not None:
            mark_unsent(organisation_id=party.organisation.id, subject_ids=[payment.deposit_id])
    return True


def _open(shown: DemoPayment, organisation: Organisation, member: Member | None) -> dict[str, Any]:
    """Open what is paid into; return the order to the sandbox to pay it."""
    member_id = None if member is None else member.id
    match shown.way:
        case "account":
            account_id = open_virtual_account(
                organisation_id=organisation.id,
                member_id=member_id,
                currency=shown.currency,
                bvn=_BVN,
            )
            account = VirtualAccount.objects.get(pk=account_id)
            payer = {"name": shown.payer, "bank": "Access Bank", "account_number": "0690000041"}
            return {
                "account_number": account.account_number,
                "amount": str(shown.amount),
                "payer": payer,
            }
        case "card":
            checkout = Checkout(
                organisation_id=organisation.id,
                member_id=member_id,
                amount=shown.amount,
                currency=shown.currency,
                redirect_url=f"{organisation.redirect_origins[0]}/paid",
            )
            open_checkout(checkout)
            return {"tx_ref": checkout.reference, "payment_type": "card"}
        case _:
            request = CheckoutRequest(
                tx_ref=f"invoice-{shown.amount}",
                amount=shown.amount,
                currency=shown.currency,
                redirect_url=f"{organisation.redirect_origins[0]}/paid",
                customer_email=organisation.email,
                customer_name=shown.payer,
            )
            payment_provider().create_checkout(request)
            return {"tx_ref": request.tx_ref, "payment_type": "bank_transfer"}


def find_payment(shown: DemoPayment) -> Payment:
    """Return the payment, which was made before."""
    return Payment.objects.get(amount=shown.amount, currency_code=shown.currency)


def charge_back(payment: Payment) -> None:
    """Let the payer's bank take the payment back at the sandbox."""
    send_control("charge-back", {"id": payment.transaction_id})


def deduct_bank_charge(currency: str, amount: Decimal) -> None:
    """Lower our balance at the sandbox."""
    left = Decimal(read_control("float")[currency]) - amount
    send_control("float", {"currency": currency, "amount": str(left)})


def _receive_webhook(made: dict[str, Any]) -> None:
    """Receive the webhook of a payment, as the service does."""
    body = {"event": "charge.completed", "data": {"id": made["id"], "tx_ref": made["tx_ref"]}}
    receive_webhook(
        RECEIVERS,
        headers={"verif-hash": settings.PAYMENT_PROVIDER["webhook_hash"]},
        body=json.dumps(body).encode(),
    )


def _pay(order: dict[str, Any]) -> dict[str, Any]:
    """Pay at the sandbox, without its webhook; return its transaction."""
    return send_control("pay", {**order, "webhook": "no_webhook"})
