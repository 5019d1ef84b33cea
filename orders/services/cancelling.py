"""Cancelling a token as a person saw it, for pages that tell beforehand what will happen."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from exchange.models import StaffUser, Token
from orders.selectors.endings import version_of_raise
from orders.services.endings import cancel_token
from wallets.errors import StateConflict


def cancel_as_seen(*, token_id: UUID, user: StaffUser, reason: str, seen: str) -> Token:
    """`cancel_token`, unless the raise is no longer as `seen` (`version_of_raise`).

    Raises as `cancel_token`, and `StateConflict` when something was sold or the raise completed
    since.
    """
    with transaction.atomic():
        token = Token.objects.select_for_update(no_key=True).filter(id=token_id).first()
        # What is gone or cancelled already is for `cancel_token` to say.
        if token is not None and not token.cancelled and version_of_raise(token) != seen:
            raise StateConflict(
                "The raise went on since you looked. Nothing was done: look at it again, or close "
                "the token first, so that nothing is sold meanwhile"
            )
        return cancel_token(token_id=token_id, user=user, reason=reason)
