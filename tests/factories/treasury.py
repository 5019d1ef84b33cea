"""Treasury movements by two people, debts after a chargeback, and balances of system accounts."""

from decimal import Decimal
from typing import Any

from django.db.models import Sum

from exchange.staff.models import StaffUser
from orders.freezing.services import confirm_reversal
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet, make_member_wallet, make_staff
from wallets.deposits.models import Deposit
from wallets.deposits.services.reversals import propose_reversal
from wallets.ledger.models import Entry
from wallets.receivables.models import Receivable, ReceivableWriteOff
from wallets.receivables.services.write_offs import propose_write_off
from wallets.treasury.models import TreasuryKind, TreasuryMovement
from wallets.treasury.services import (
    ClosedPosition,
    MovementTerms,
    confirm_movement,
    propose_movement,
)


def system_balance(kind: str, currency: str) -> Decimal:
    """Return the sum of the entries of a system account."""
    entries = Entry.objects.filter(
        account__kind=kind, account__organisation=None, asset_id=currency
    )
    return entries.aggregate(total=Sum("amount"))["total"] or Decimal(0)


def treasurer() -> StaffUser:
    """Return a new person who may move the exchange's own money."""
    return make_staff("move_treasury")


def terms(kind: str, amount: str | int, **changes: Any) -> MovementTerms:
    """Return terms of a movement of KES."""
    values: dict[str, Any] = {
        "currency": "KES",
        "reference": f"BANK-{kind}",
        "note": "Float for the payouts",
    }
    return MovementTerms(kind=TreasuryKind(kind), amount=Decimal(amount), **values | changes)


def closing(sold: str | int, bought: str | int, closed: str | int, **changes: Any) -> MovementTerms:
    """Return terms that sell NGN of a long position for USD of a short one."""
    position = ClosedPosition("USD", Decimal(bought), Decimal(closed))
    return terms("position_close", sold, currency="NGN", position=position, **changes)


def move(wanted: MovementTerms) -> TreasuryMovement:
    """Propose a movement and confirm it as another person."""
    proposed = propose_movement(terms=wanted, user=treasurer())
    return confirm_movement(
        movement_id=proposed.pk, user=treasurer(), reason="Compared with the statement"
    )


def write_off_and_top_up() -> tuple[Receivable, ReceivableWriteOff, TreasuryMovement]:
    """Make a debt, a write-off of it and a top-up of the float; two people have yet to decide."""
    debt = make_debt(100)
    write_off = propose_write_off(
        account_id=debt.pk,
        amount=Decimal(40),
        explanation="Bankrupt",
        user=make_staff("write_off_receivable"),
    )
    return debt, write_off, propose_movement(terms=terms("top_up", 1000), user=treasurer())


def make_debt(amount: str | int = 1000, currency: str = "KES") -> Receivable:
    """Take back a deposit that a new member has passed on: all of it is owed."""
    wallet = make_member_wallet(amount, currency=currency)
    transfer(wallet, Wallet(wallet.organisation), amount, currency)
    deposit = Deposit.objects.get(owner_id=wallet.owner_id)
    proposal = propose_reversal(
        deposit_id=deposit.pk, explanation="Chargeback", user=make_staff("reverse_deposit")
    )
    confirm_reversal(reversal_id=proposal.pk, user=make_staff("reverse_deposit"))
    return Receivable.objects.get(owner_id=wallet.owner_id)
