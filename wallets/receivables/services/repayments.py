"""Receivables: what an owner owes after a chargeback is repaid by what arrives next.

The owner's `receivable` account is below zero by the amount owed. Whatever credits a wallet from
outside calls `post_credit`; other credits, such as a sale's, are collected by `collect_due`.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

from django.db import IntegrityError, connection

from exchange.core.actors import Actor
from exchange.core.database import violated_constraint
from exchange.core.ids import uuid7
from wallets.freezes.selectors import WalletRecord
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    Posting,
    post_transfers,
    wallet_account,
)
from wallets.ledger.selectors.wallets import account_balance

OVERPAID = "account_receivable_not_positive"
# Of a posting whose split between accounts another one changed.
ATTEMPTS = 5
_BATCH = 100


def amount_owed(owner_id: UUID, currency: str) -> Decimal:
    """Return what the owner owes in `currency`, zero or more."""
    return -account_balance(owner_id, currency, AccountKind.RECEIVABLE)


def post_credit(posting: Posting, record: WalletRecord, amount: Decimal) -> UUID:
    """Post `posting` with the legs that credit `amount` to the wallet of `record`; return its id.

    The amount repays what the owner owes first. Call in a transaction. Raises as `post_transfer`.
    """
    for _ in range(ATTEMPTS):
        legs = [*posting.legs, *_credit_legs(record, amount)]
        try:
            (transfer_id,) = post_transfers([replace(posting, legs=legs)])
        except IntegrityError as error:
            # Another credit repaid the debt meanwhile.
            if violated_constraint(error) != OVERPAID:
                raise
        else:
            return transfer_id
    raise InsufficientFunds(posting.reference)


def collect_due(actor: Actor) -> int:
    """Repay debts from the wallets of those who owe and have money; return how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT debt.id, wallet.id, least(-debt.balance, wallet.balance)
            FROM wallets_account debt
            JOIN wallets_account wallet ON wallet.owner_id = debt.owner_id
                AND wallet.asset_id = debt.asset_id AND wallet.kind = 'available'
            WHERE debt.kind = 'receivable' AND debt.balance < 0 AND wallet.balance > 0
            ORDER BY debt.id LIMIT %s
            """,
            [_BATCH],
        )
        due = cursor.fetchall()
    return sum(_collect(debt, wallet, amount, actor) for debt, wallet, amount in due)


def _collect(debt: UUID, wallet: UUID, amount: Decimal, actor: Actor) -> bool:
    try:
        post_transfers(
            [
                Posting(
                    kind=TransferKind.RECEIVABLE_REPAY,
                    reference=f"receivable:{debt}:{uuid7()}",
                    subject_id=debt,
                    actor=actor,
                    legs=[Leg(wallet, -amount), Leg(debt, amount)],
                )
            ]
        )
    except InsufficientFunds:
        return False
    except IntegrityError as error:
        if violated_constraint(error) != OVERPAID:
            raise
        return False
    return True


def _credit_legs(record: WalletRecord, amount: Decimal) -> Sequence[Leg]:
    owed = amount_owed(record.member_id or record.organisation_id, record.currency_id)
    repaid = min(owed, amount)
    legs = [Leg(wallet_account(record, AccountKind.AVAILABLE), amount - repaid)]
    if repaid:
        legs.append(Leg(wallet_account(record, AccountKind.RECEIVABLE), repaid))
    return legs
