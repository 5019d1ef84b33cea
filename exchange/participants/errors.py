"""Errors of participants."""

from __future__ import annotations

from exchange.core.errors import NotFound


class UserNotFound(NotFound):
    """The calling organisation has no such member."""

    code = "user_not_found"
    message = "User not found"
