"""Lists of tokens from stock classes. They check less than ours: no private deals."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework import serializers, viewsets

from tests.benchmarks.peers.stock_drf.models import FIELDS, Token


class TokenSerializer(serializers.ModelSerializer[Token]):
    class Meta:
        model = Token
        fields = FIELDS


class ActiveTokens(viewsets.ReadOnlyModelViewSet[Token]):
    """Active tokens, newest first."""

    serializer_class = TokenSerializer
    filterset_fields: ClassVar = ["currency_id", "investment_type", "type"]

    def get_queryset(self) -> QuerySet[Token]:
        found: QuerySet[Token] = Token.objects.filter(
            deal_access="Public", cancelled=False, closed=False, exited=False
        )
        return found.order_by("-created_at", "-id")


class AllTokens(viewsets.ReadOnlyModelViewSet[Token]):
    """All tokens, newest first, with a search by name."""

    serializer_class = TokenSerializer
    search_fields: ClassVar[list[str]] = ["name"]
    filterset_fields: ClassVar[list[Any]] = []

    def get_queryset(self) -> QuerySet[Token]:
        found: QuerySet[Token] = Token.objects.filter(deal_access="Public")
        return found.order_by("-created_at", "-id")
