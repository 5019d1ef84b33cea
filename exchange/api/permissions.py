"""What a caller may do: every view declares the scope that each of its methods needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from exchange.api.authentication import Caller

logger = structlog.get_logger(__name__)


class InsufficientScope(PermissionDenied):
    """403 with RFC 6750's challenge, naming the scope that is missing."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"This needs the scope {scope}", code="insufficient_scope")
        self.challenge = f'Bearer realm="api", error="insufficient_scope", scope="{scope}"'


class HasScope(BasePermission):
    """Lets a caller through whose key and token have `view.required_scopes[method]`.

    A view without a declaration for a method it has is refused: forgetting is not permission.
    Methods a view does not have pass, to be answered with 405.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        """True, or an exception that says what is missing."""
        caller = request.auth
        if not isinstance(caller, Caller):
            raise NotAuthenticated("An access token is needed (Authorization: Bearer …)")
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method == "OPTIONS" or not hasattr(view, method.lower()):
            return True
        declared: Mapping[str, str] = getattr(view, "required_scopes", {})
        scope = declared.get(method)
        if scope is None:
            logger.error("api.scope_undeclared", view=type(view).__name__, method=method)
            return False
        if scope not in caller.scopes:
            raise InsufficientScope(scope)
        return True
