"""What can go wrong about participants."""

from __future__ import annotations

from exchange.core.errors import NotFound


class UserNotFound(NotFound):
    """No such member of the calling organisation."""

    code = "user_not_found"

    def __init__(self) -> None:
        super().__init__("User not found")
