"""Permissions: the token must have the scope that the action declares."""

from typing import Any

import structlog
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from exchange.api.authentication import Caller
from exchange.api.operations import get_operation

logger = structlog.get_logger(__name__)


class InsufficientScope(PermissionDenied):
    """403 with RFC 6750's challenge, which names the missing scope."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"This needs the scope {scope}", code="insufficient_scope")
        self.challenge = f'Bearer realm="api", error="insufficient_scope", scope="{scope}"'


class HasScope(BasePermission):
    """Requires that key and token have the scope of the view's operation.

    An action without a declaration is rejected. Unsupported methods pass, to get a 405.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return True, or raise an error that names what is missing."""
        caller = request.auth
        if not isinstance(caller, Caller):
            raise NotAuthenticated("An access token is required (Authorization: Bearer …)")
        if request.method == "OPTIONS" or getattr(view, "action", "") is None:
            return True
        operation = get_operation(view)
        if operation is None:
            logger.error("api.scope_undeclared", view=type(view).__name__, method=request.method)
            return False
        if operation.scope not in caller.scopes:
            raise InsufficientScope(operation.scope)
        return True
