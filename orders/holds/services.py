"""Freeze an owner: the one function that every edge calls."""

from __future__ import annotations

from django.db import transaction

from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from orders.book.services import cancel_orders_of
from wallets.holds.models import Freeze
from wallets.holds.services import authorize_freeze, record_freeze

# Sent to the organisation with `order.cancelled`; the reason of the freeze is not.
CANCELLED = "The account is frozen"


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
