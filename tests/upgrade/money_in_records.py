"""Rows of the tables of deposits, transfers, conversions, debts and the exchange's own money."""

from __future__ import annotations

from decimal import Decimal

from exchange.staff.models import StaffUser
from tests.factories.conversions import convert, set_rates
from tests.factories.deposits import (
    Owner,
    arrive,
    make_checkout,
    make_virtual_account,
    transaction_record,
)
from tests.factories.transfers import transfer
from tests.factories.treasury import closing, make_debt, move, terms, treasurer
from tests.factories.wallets import Wallet, make_staff
from wallets.deposits.models import PaymentAction
from wallets.deposits.services.unmatched import propose_resolution
from wallets.receivables.models import Receivable
from wallets.receivables.services.write_offs import confirm_write_off, propose_write_off
from wallets.treasury.services import propose_movement


def make_money_in(wallet: Wallet) -> None:
    """Pay into `wallet` in every way, convert, take a deposit back, and move own money."""
    owner = Owner(wallet.organisation, wallet.member)
    account = make_virtual_account(owner)
    arrive(transaction_record(account.reference, "1500"))
    checkout = make_checkout(owner, "2500")
    arrive(transaction_record(checkout.reference, "2500", payment_type="card"))
    make_checkout(owner, "50")
    unmatched = arrive(transaction_record("unknown", "700"))
    propose_resolution(
        payment_id=unmatched.pk,
        action=PaymentAction.REFUND,
        owner=None,
        explanation="Requested by the payer",
        user=make_staff("resolve_payment"),
    )
    transfer(wallet, Wallet(wallet.organisation), 300)
    set_rates()
    convert(wallet, 150_000)
    _write_off(make_debt(1000), Decimal(400), confirmed=True)
    _write_off(make_debt(50), Decimal(50), confirmed=False)
    move(terms("top_up", 10_000, charge=Decimal(10)))
    move(closing(75_000, "49.8", 50))
    propose_movement(terms=terms("draw_down", 100), user=treasurer())


def _write_off(debt: Receivable, amount: Decimal, *, confirmed: bool) -> None:
    people: list[StaffUser] = [make_staff("write_off_receivable") for _ in range(2)]
    proposed = propose_write_off(
        account_id=debt.pk, amount=amount, explanation="Bankrupt", user=people[0]
    )
    if confirmed:
        confirm_write_off(write_off_id=proposed.pk, user=people[1])
