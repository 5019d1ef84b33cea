"""Money of a disputed deposit: held as uncleared until people decide, then released or taken back.

Call in the transaction that holds the lock of the deposit.
"""

from decimal import Decimal

from exchange.core.actors import Actor
from wallets.deposits.models import Deposit, DepositReversal
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    Posting,
    post_transfers,
    wallet_account,
)
from wallets.ledger.selectors.wallets import available_balance
from wallets.receivables.services.repayments import ATTEMPTS, post_credit


def hold(deposit: Deposit, reversal: DepositReversal, amount: Decimal, actor: Actor) -> Decimal:
    """Hold `amount` for the reversal, as far as the wallet has it; return and record how much.

    What rests until the deposit clears needs no transfer: it does not clear meanwhile.
    """
    held = Decimal(0)
    if not deposit.is_resting:
        held = _post_hold(deposit, reversal, amount, actor)
    DepositReversal.objects.filter(pk=reversal.pk).update(held=held)
    return held


def release(deposit: Deposit, reversal: DepositReversal, actor: Actor) -> None:
    """Make what a rejected reversal held available again; it repays first what the owner owes."""
    if not reversal.held:
        return
    posting = Posting(
        kind=TransferKind.DEPOSIT_RELEASE,
        reference=f"deposit:{deposit.pk}:release:{reversal.pk}",
        subject_id=deposit.pk,
        actor=actor,
        memo=deposit.reference,
        legs=[Leg(wallet_account(deposit, AccountKind.UNCLEARED), -reversal.held)],
    )
    post_credit(posting, deposit, reversal.held)


def _post_hold(
    deposit: Deposit, reversal: DepositReversal, amount: Decimal, actor: Actor
) -> Decimal:
    for _ in range(ATTEMPTS):
        # The wallet may be spent meanwhile: then less is held, at the next attempt.
        held = min(amount, available_balance(deposit.owner_id, deposit.currency_id))
        if not held:
            return held
        available = wallet_account(deposit, AccountKind.AVAILABLE)
        uncleared = wallet_account(deposit, AccountKind.UNCLEARED)
        posting = Posting(
            kind=TransferKind.DEPOSIT_HOLD,
            reference=f"deposit:{deposit.pk}:hold:{reversal.pk}",
            subject_id=deposit.pk,
            actor=actor,
            memo=deposit.reference,
            legs=[Leg(available, -held), Leg(uncleared, held)],
        )
        try:
            post_transfers([posting])
        except InsufficientFunds:
            continue
        return held
    raise InsufficientFunds(deposit.reference)
