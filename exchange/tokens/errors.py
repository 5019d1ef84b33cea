"""What can go wrong about tokens."""

from __future__ import annotations

from exchange.core.errors import NotFound


class TokenNotFound(NotFound):
    """No such token, or the organisation may not see it."""

    code = "token_not_found"
    message = "Token not found"
