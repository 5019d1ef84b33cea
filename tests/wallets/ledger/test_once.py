"""What happens once, and amounts that add up: attacked as owner and by the services' own calls."""

from collections.abc import Callable
from decimal import Decimal
from uuid import UUID

import pytest
from psycopg import errors

from tests.assertions.ledger import (
    account_id_of,
    assert_rejected,
    copy_withdrawal,
    ledger_snapshot,
    system_account_id,
)
from tests.environment.database import session
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import (
    SYSTEM,
    Wallet,
)
from wallets.ledger.models import TransferKind
from wallets.ledger.posting import InsufficientFunds, Leg, TransferAlreadyPosted, post_transfer
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)


def close(
    kind: TransferKind,
    reference: str,
    subject: UUID,
    wallet: Wallet,
    post: Callable[..., UUID] = post_transfer,
) -> None:
    post(
        kind=kind,
        reference=reference,
        subject_id=subject,
        actor=SYSTEM,
        legs=[
            Leg(account_id_of(wallet, "escrow"), Decimal(-1)),
            Leg(account_id_of(wallet), Decimal(1)),
        ],
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (TransferKind.WITHDRAWAL_SETTLE, TransferKind.WITHDRAWAL_RELEASE),
        (TransferKind.WITHDRAWAL_RELEASE, TransferKind.WITHDRAWAL_SETTLE),
        (TransferKind.WITHDRAWAL_RELEASE, TransferKind.WITHDRAWAL_RELEASE),
        (TransferKind.WITHDRAWAL_SETTLE, TransferKind.WITHDRAWAL_SETTLE),
        (TransferKind.WITHDRAWAL_REVERSE, TransferKind.WITHDRAWAL_REVERSE),
        (TransferKind.PROVIDER_CHARGE, TransferKind.PROVIDER_CHARGE),
    ],
)
@pytest.mark.parametrize("same_reference", [True, False])
def test_a_withdrawal_is_closed_once_and_reversed_once(wallet, first, second, same_reference):
    withdrawal = wallet.request(500)
    close(first, "attack:1", withdrawal.id, wallet, post_unjustified)
    before = ledger_snapshot()
    reference = "attack:1" if same_reference else "attack:2"
    with pytest.raises(TransferAlreadyPosted):
        close(second, reference, withdrawal.id, wallet)
    assert ledger_snapshot() == before


def test_a_refused_posting_leaves_the_callers_transaction_usable(wallet):
    with pytest.raises(InsufficientFunds):
        post_transfer(
            kind=TransferKind.DEPOSIT,
            reference="attack:1",
            subject_id=None,
            actor=SYSTEM,
            legs=[
                Leg(account_id_of(wallet), Decimal(-1001)),
                Leg(system_account_id(), Decimal(1001)),
            ],
        )
    assert wallet.balance() == 1000


def test_a_reference_towards_the_provider_is_used_once(wallet):
    first, second = wallet.request(300), wallet.request(300)
    with assert_rejected(errors.UniqueViolation), session("owner") as connection:
        copy_withdrawal(connection, first.id, reference=second.reference)


@pytest.mark.parametrize(
    ("amount", "fee", "disburse"),
    [(500, 30, 471), (500, -30, 530), (500, 500, 0), (30, 60, -30), (-500, 30, -530)],
)
def test_amount_is_fee_and_disbursed_amount(wallet, amount, fee, disburse):
    source = wallet.request(500)
    with assert_rejected(errors.CheckViolation), session("owner") as connection:
        copy_withdrawal(connection, source.id, amount=amount, fee=fee, disburse_amount=disburse)


def test_a_copy_with_right_amounts_is_taken(wallet):
    """The tool of the tests above does what they think it does."""
    source = wallet.request(500)
    with session("owner") as connection:
        copy_withdrawal(connection, source.id, amount=500, fee=20, disburse_amount=480)
    assert Withdrawal.objects.filter(disburse_amount=480).count() == 1
