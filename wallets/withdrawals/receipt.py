"""The receipt of a completed withdrawal: a sentence for the customer, and a document to print."""

from datetime import datetime

from django.conf import settings

from exchange.core.currencies import format_money
from exchange.pdf.printout import Printout, print_day, print_time
from wallets.withdrawals.models import Payout, Withdrawal

TITLE = "Payment receipt"
# What is shown of an account number, from its end.
_SHOWN = 4


def describe_payment(withdrawal: Withdrawal, payout: Payout) -> str:
    """Return one sentence for the customer about a completed withdrawal."""
    bank = withdrawal.bank
    paid = format_money(withdrawal.disburse_amount, withdrawal.currency_id)
    return (
        f"{paid} was paid to {bank.account_name}, {bank.name}, account"
        f" {_mask(bank.account_number)}, on {print_day(_paid_at(withdrawal, payout))}. Our"
        f" reference is {withdrawal.reference}, that of the payment provider {payout.provider_id}."
    )


def build_receipt(withdrawal: Withdrawal, payout: Payout, made_at: datetime) -> Printout:
    """Return the receipt of a completed withdrawal as a document to print."""
    bank, currency = withdrawal.bank, withdrawal.currency_id
    owner = withdrawal.member or withdrawal.organisation
    document = Printout(
        issuer=settings.UNFOLD["SITE_TITLE"],
        title=TITLE,
        subject=f"{owner} · {withdrawal.reference}",
        made_at=made_at,
    )
    member_of = [("Member of", str(withdrawal.organisation))] if withdrawal.member else []
    client_reference = withdrawal.client_reference
    document.add_facts(
        [
            ("Paid by", str(owner)),
            *member_of,
            ("Paid to", bank.account_name),
            ("Bank", bank.name),
            ("Account", _mask(bank.account_number)),
        ],
        [
            ("Requested", print_time(withdrawal.created_at)),
            ("Paid", print_time(_paid_at(withdrawal, payout))),
            ("Reference", withdrawal.reference),
            ("Provider's reference", str(payout.provider_id)),
            *([("Your reference", client_reference)] if client_reference else []),
        ],
    )
    document.add_figures(
        [
            ("Amount", format_money(withdrawal.amount, currency)),
            ("Fee", format_money(withdrawal.fee, currency)),
            ("Paid out", format_money(withdrawal.disburse_amount, currency)),
        ]
    )
    document.add_paragraph(
        f"{describe_payment(withdrawal, payout)} The payee's bank may need further time to show it."
    )
    return document


def _paid_at(withdrawal: Withdrawal, payout: Payout) -> datetime:
    """Return when the provider confirmed the payment."""
    return payout.settled_at or withdrawal.updated_at


def _mask(account_number: str) -> str:
    """Return the last characters of an account number: `…0011`."""
    return f"…{account_number[-_SHOWN:]}" if len(account_number) > _SHOWN else account_number
