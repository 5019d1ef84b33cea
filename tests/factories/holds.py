"""Frozen owners, and owners who owe."""

from decimal import Decimal

from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from orders.freezing.services import confirm_reversal, freeze_owner
from tests.factories.api_clients import TESTER
from tests.factories.deposits import Owner, arrive, make_checkout, transaction_record
from tests.factories.wallets import Wallet, make_staff, store_bank_list
from wallets.deposits.models import Deposit
from wallets.deposits.services.reversals import propose_reversal
from wallets.freezes.models import Freeze
from wallets.freezes.services import confirm_lift, propose_lift
from wallets.withdrawals.services import decisions

REASON = "Court order 7 of 2026, Lagos"


def freezer() -> StaffUser:
    """Make staff who may freeze."""
    return make_staff("place_freeze")


def lifter() -> StaffUser:
    """Make staff who may lift freezes."""
    return make_staff("lift_freeze")


def freeze(owner: Member | Organisation, currency: str | None = None) -> Freeze:
    return freeze_owner(owner=owner, currency=currency, reason=REASON, user=freezer())


def lift(frozen: Freeze) -> Freeze:
    """Lift a freeze by two people."""
    proposal = propose_lift(freeze_id=frozen.pk, explanation="Order withdrawn", user=lifter())
    return confirm_lift(lift_id=proposal.pk, user=lifter())


def make_paid_deposit(wallet: Wallet, amount: str, currency: str = "KES") -> Deposit:
    """Make a completed deposit by bank transfer."""
    checkout = make_checkout(Owner(wallet.organisation, wallet.member), amount, currency)
    arrive(transaction_record(checkout.reference, amount, currency=currency))
    checkout.refresh_from_db()
    return checkout


def reverse(deposit: Deposit) -> Deposit:
    """Take a deposit back, by two people."""
    people = [make_staff("reverse_deposit") for _ in range(2)]
    proposal = propose_reversal(deposit_id=deposit.pk, explanation="Chargeback", user=people[0])
    return confirm_reversal(reversal_id=proposal.pk, user=people[1])


def owe(wallet: Wallet, amount: str = "1000") -> Decimal:
    """Make the owner of an empty wallet owe an amount of KES, and have as much that no sweep has
    collected yet: it was in escrow while the deposit was taken back.
    """
    store_bank_list()
    deposit = make_paid_deposit(wallet, amount)
    withdrawal = wallet.request(amount)
    reverse(deposit)
    decisions.cancel(
        withdrawal_id=withdrawal.id, organisation_id=wallet.organisation.id, actor=TESTER
    )
    return Decimal(amount)
