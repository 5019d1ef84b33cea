"""The decisions that end a raise, as a person saw it: for pages that tell what will happen."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.db import transaction

from exchange.core.errors import StateConflict
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from orders.listings.selectors import version_of_raise
from orders.listings.services.endings import cancel_token, complete_raise


def cancel_as_seen(*, token_id: UUID, user: StaffUser, reason: str, seen: str) -> Token:
    """`cancel_token`, unless the raise is no longer as `seen` (`version_of_raise`).

    Raises as `cancel_token`, and `StateConflict` when something was sold or the raise completed
    since.
    """
    return _as_seen(
        token_id, seen, lambda: cancel_token(token_id=token_id, user=user, reason=reason)
    )


def complete_as_seen(*, token_id: UUID, user: StaffUser, seen: str) -> Token:
    """`complete_raise` likewise."""
    return _as_seen(token_id, seen, lambda: complete_raise(token_id=token_id, user=user))


def _as_seen(token_id: UUID, seen: str, decide: Callable[[], Token]) -> Token:
    with transaction.atomic():
        token = Token.objects.select_for_update(no_key=True).filter(id=token_id).first()
        # What is gone or cancelled already is for the decision itself to say.
        if token is not None and not token.cancelled and version_of_raise(token) != seen:
            raise StateConflict(
                "The raise went on since you looked. Nothing was done: look at it again, or close "
                "the token first, so that nothing is sold meanwhile"
            )
        return decide()
