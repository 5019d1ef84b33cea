"""What holds an owner's money reaches its open orders: a freeze, and the reversal of a deposit.

Every edge calls these functions, which call the ones of `wallets`.
"""

from decimal import Decimal
from uuid import UUID

from django.db import transaction

from exchange.core.actors import Actor
from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from orders.book.services import cancel_buys_of, cancel_orders_of
from wallets.deposits.models import Deposit
from wallets.deposits.services import reversals
from wallets.freezes.models import Freeze
from wallets.freezes.services import authorize_freeze, record_freeze

# Sent to the organisation with `order.cancelled`; the reason of the freeze is not.
CANCELLED = "The account is frozen"
CANCELLED_BY_REVERSAL = "A deposit was taken back"


def freeze_owner(
    *, owner: Member | Organisation, currency: str | None, reason: str, user: StaffUser
) -> Freeze:
    """Freeze a member, or an organisation's own wallet, at once, and cancel its open orders.

    `currency` limits both to one currency of the wallet. Money stops leaving with this transaction:
    requests that are running are waited for, later ones see the freeze. Raises as `record_freeze`.
    """
    actor = authorize_freeze(user)
    with transaction.atomic():
        freeze = record_freeze(owner=owner, currency=currency, reason=reason, user=user)
        cancel_orders_of(
            organisation_id=freeze.organisation_id,
            member_id=freeze.member_id,
            currency=currency,
            reason=CANCELLED,
            actor=actor,
        )
    return freeze


def confirm_reversal(*, reversal_id: UUID, user: StaffUser) -> Deposit:
    """Take a deposit back, as the second person, and cancel open buys where the wallet falls short.

    Only as many of the owner's buys of the currency as are needed, the newest first. Raises as
    `reversals.confirm_reversal`.
    """
    return reversals.confirm_reversal(
        reversal_id=reversal_id, user=user, release_reserved=_cancel_buys
    )


def _cancel_buys(deposit: Deposit, needed: Decimal, actor: Actor) -> None:
    cancel_buys_of(
        organisation_id=deposit.organisation_id,
        member_id=deposit.member_id,
        currency=deposit.currency_id,
        needed=needed,
        reason=CANCELLED_BY_REVERSAL,
        actor=actor,
    )
