"""What can go wrong about participants."""

from __future__ import annotations

from exchange.core.errors import NotFound


class UserNotFound(NotFound):
    """No such member of the calling organisation."""

    code = "user_not_found"
    message = "User not found"
