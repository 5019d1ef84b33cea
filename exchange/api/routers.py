"""DRF's router, for URLs without a trailing slash.

    router = Router()
    router.register("api/members", MemberViewSet, "members")
    router.register("api/tokens", TokenViewSet, "tokens", only={"list"})

The last name is the resource, the prefix of OpenAPI operation ids. A viewset may be mounted several
times: under the organisation and under a member, or some of its actions each at its own URL.
"""

from collections.abc import Container, Mapping
from typing import Any

from django.urls import URLPattern, URLResolver, register_converter
from django.urls.converters import PathConverter
from rest_framework.routers import DynamicRoute, Route, SimpleRouter

from exchange.api.viewsets import ApiViewSet


class _OwnIdConverter(PathConverter):
    """An ID of the client's own in a path: any text, with slashes and line breaks."""

    regex = "(?s:.+)"


register_converter(_OwnIdConverter, "own_id")


class _Mount(SimpleRouter):
    """One viewset at one URL. DELETE of the list is the action `destroy_several`."""

    routes = [
        Route(
            url="{prefix}",
            mapping={"get": "list", "post": "create", "delete": "destroy_several"},
            name="{basename}-list",
            detail=False,
            initkwargs={"suffix": "List"},
        ),
        *SimpleRouter.routes[1:],
    ]

    def __init__(self, only: Container[str] | None) -> None:
        super().__init__(trailing_slash=False, use_regex_path=False)
        self.only = only

    def get_method_map(self, viewset: Any, method_map: Mapping[str, str]) -> dict[str, str]:
        """Map methods to the actions that are mounted here."""
        actions = super().get_method_map(viewset, method_map)
        if self.only is None:
            return actions
        return {method: name for method, name in actions.items() if name in self.only}


class _SingletonMount(_Mount):
    """One viewset whose record has no id in its path."""

    routes = [
        Route(
            url="{prefix}",
            mapping={"get": "retrieve", "post": "create", "put": "update"},
            name="{basename}-detail",
            detail=True,
            initkwargs={},
        ),
        DynamicRoute(
            url="{prefix}/{url_path}", name="{basename}-{url_name}", detail=True, initkwargs={}
        ),
    ]


class Router:
    """The URLs of an app."""

    def __init__(self) -> None:
        self.urls: list[URLPattern | URLResolver] = []

    def register(
        self,
        prefix: str,
        viewset: type[ApiViewSet],
        resource: str,
        *,
        only: Container[str] | None = None,
    ) -> None:
        """Mount the actions of `viewset`, or `only` some of them, at `prefix`."""
        mount = _SingletonMount(only) if viewset.singleton else _Mount(only)
        mount.register(prefix, viewset, basename=resource)
        self.urls += mount.urls
