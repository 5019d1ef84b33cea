"""Errors of tokens."""

from exchange.core.errors import NotFound


class TokenNotFound(NotFound):
    """No such token, or one the organisation cannot see."""

    code = "token_not_found"
    message = "Token not found"
