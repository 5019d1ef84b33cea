"""Transfers without a business record, as test data or to corrupt the books.

The database rejects them from every role, so the guards are disabled for the call, which only a
superuser can do.
"""

from collections.abc import Sequence
from decimal import Decimal
from uuid import UUID

from exchange.core.actors import Actor
from exchange.core.ids import uuid7
from tests.environment.owner import without_guards
from tests.factories.wallets import SYSTEM, Wallet
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account


def post_unjustified(
    *,
    kind: str,
    reference: str,
    subject_id: UUID | None,
    actor: Actor,
    legs: Sequence[Leg],
) -> UUID:
    """Post a transfer as `wallets.ledger.post_transfer` does, without a business record."""
    made = uuid7()
    with without_guards() as cursor:
        cursor.execute(
            "SELECT post_transfers(%s::uuid[], %s, %s, %s::uuid[], %s, ARRAY[''], %s::uuid[],"
            " %s::uuid[], %s::numeric[])",
            [
                [made],
                [str(kind)],
                [reference],
                [subject_id],
                [str(actor)],
                [made for _ in legs],
                [leg.account_id for leg in legs],
                [leg.amount for leg in legs],
            ],
        )
    return made


def take_units(wallet: Wallet, asset: str, units: int) -> None:
    """Move available units of the wallet to an account that is not available."""
    free, elsewhere = (
        open_account(
            asset, kind, organisation_id=wallet.organisation.id, member_id=wallet.member_id
        )
        for kind in (AccountKind.AVAILABLE, AccountKind.UNSOLD)
    )
    post_unjustified(
        kind=TransferKind.ORDER_RESERVE,
        reference=f"away:{wallet.owner_id}",
        subject_id=None,
        actor=SYSTEM,
        legs=[Leg(free, Decimal(-units)), Leg(elsewhere, Decimal(units))],
    )
