"""All endpoints under /v1, read from the URL configuration."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from exchange.api.operations import Operation
from exchange.api.parameters import known_parameters
from exchange.api.viewsets import ApiViewSet


@dataclass(frozen=True)
class Endpoint:
    """A path, a method, and the view's action."""

    path: str
    method: str
    viewset: type[ApiViewSet]
    action: str

    @property
    def operation(self) -> Operation | None:
        found: Operation | None = getattr(getattr(self.viewset, self.action), "operation", None)
        return found

    @property
    def known_parameters(self) -> tuple[str, ...]:
        return known_parameters(self.viewset, self.action)

    @property
    def plural(self) -> str | None:
        """The name of a list's records; None for other endpoints."""
        page = self.operation and self.operation.page
        return page.plural if page else None


def api_endpoints(urlconf: str = "config.urls") -> list[Endpoint]:
    """Return every action of the viewsets."""
    return [
        Endpoint(path, method.upper(), callback.cls, action)
        for path, callback in routes(urlconf)
        if isinstance(getattr(callback, "cls", None), type) and issubclass(callback.cls, ApiViewSet)
        for method, action in callback.actions.items()
        if method != "head"
    ]


def routes(urlconf: str = "config.urls") -> list[tuple[str, Any]]:
    """Return every path with its view."""
    return list(_walk(get_resolver(urlconf).url_patterns, "/"))


def _walk(patterns: Any, before: str) -> Iterator[tuple[str, Any]]:
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern):
            yield path, pattern.callback
