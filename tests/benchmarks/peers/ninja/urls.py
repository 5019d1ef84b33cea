"""The peer's two lists."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import path
from ninja import ModelSchema, NinjaAPI
from ninja.pagination import PageNumberPagination, paginate
from ninja.security import APIKeyHeader
from rest_framework.authtoken.models import Token as Key

from tests.benchmarks.peers.stock_drf.models import FIELDS, Token


class TokenAuth(APIKeyHeader):
    """Authentication by the token in DRF's header, as DRF does it."""

    param_name = "Authorization"

    def authenticate(self, _request: HttpRequest, key: str | None) -> Any:
        text = (key or "").removeprefix("Token ")
        found = Key.objects.select_related("user").filter(key=text).first()
        return found.user if found and found.user.is_active else None


class TokenSchema(ModelSchema):
    class Meta:
        model = Token
        fields = FIELDS


api = NinjaAPI(auth=TokenAuth(), docs_url=None)


@api.get("/tokens", response=list[TokenSchema])
@paginate(PageNumberPagination, page_size=20)
def active_tokens(
    request: HttpRequest,
    currency_id: str | None = None,
    investment_type: str | None = None,
    type: str | None = None,  # noqa: A002 - the parameter's name
) -> QuerySet[Token]:
    """Return active tokens, newest first."""
    given = {"currency_id": currency_id, "investment_type": investment_type, "type": type}
    found: QuerySet[Token] = Token.objects.filter(
        deal_access="Public",
        cancelled=False,
        closed=False,
        exited=False,
        **{name: value for name, value in given.items() if value},
    )
    return found.order_by("-created_at", "-id")


@api.get("/search", response=list[TokenSchema])
@paginate(PageNumberPagination, page_size=20)
def all_tokens(request: HttpRequest, search: str = "") -> QuerySet[Token]:
    """Return all tokens, newest first, with a search by name."""
    found: QuerySet[Token] = Token.objects.filter(deal_access="Public")
    for word in search.split():
        found = found.filter(name__icontains=word)
    return found.order_by("-created_at", "-id")


urlpatterns = [path("", api.urls)]
