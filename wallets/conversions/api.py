"""Conversions between currencies: quoting, converting, listing and reading."""

from typing import ClassVar

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.idempotency import read_key, stored_to_response
from exchange.api.operations import RecordPage, operation
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.participants.errors import UserNotFound
from wallets.conversions import shapes
from wallets.conversions.errors import ConversionNotFound, QuoteNotFound
from wallets.conversions.filters import ConversionFilters
from wallets.conversions.models import Conversion
from wallets.conversions.payloads import CONVERSION, CONVERSION_QUOTE
from wallets.conversions.serializers import ConversionInput, QuoteInput
from wallets.conversions.services import convert_money, quote_conversion


class ConversionViewSet(ApiViewSet):
    """Conversions of the organisation's money and its members'."""

    tag = "Conversions"
    lookup_url_kwarg = "conversion_id"
    filterset_class = ConversionFilters
    sort_fields: ClassVar = {
        "createdAt": "created_at",
        "amount": "amount",
        "converted_amount": "converted_amount",
    }
    default_sort = "-createdAt"

    def get_queryset(self) -> QuerySet[Conversion]:
        """The conversions of the caller's organisation and its members."""
        return Conversion.objects.filter(organisation_id=self.caller.organisation_id)

    @operation(
        "Conversions retrieved",
        scope="wallets:read",
        response=RecordPage(CONVERSION, "conversions"),
    )
    def list(self, _request: Request) -> Response:
        """List conversions. Includes those of the organisation and of its members."""
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(found)

    @operation("Conversion retrieved", scope="wallets:read", response=CONVERSION)
    def retrieve(self, _request: Request, conversion_id: str) -> SuccessResponse:
        """Fetch a conversion."""
        return self.respond_with(conversion_id, ConversionNotFound)

    @operation(
        "Quote created",
        scope="wallets:transfer",
        body=QuoteInput,
        response=CONVERSION_QUOTE,
        failures=shapes.QUOTE_FAILURES,
        examples=[shapes.QUOTE_EXAMPLE],
    )
    @action(detail=False, methods=["post"])
    def quote(self, _request: Request) -> SuccessResponse:
        """Quote a conversion. The quote is good for 60 seconds, and no longer than its rates are
        not replaced. No money moves, and no balance is checked.
        """
        document = quote_conversion(
            **self.body(),
            organisation_id=self.caller.organisation_id,
            actor=self.caller.actor,
        )
        return self.respond(RawJSON(document))

    @operation(
        "Conversion completed",
        scope="wallets:transfer",
        moves_money=True,
        body=ConversionInput,
        response=CONVERSION,
        status=201,
        failures=shapes.CONVERSION_FAILURES,
        examples=[shapes.CONVERSION_EXAMPLE],
    )
    def create(self, request: Request) -> SuccessResponse:
        """Convert money of a wallet by a quote, once. The conversion is complete at once. Emits
        `conversion.completed`.
        """
        body = self.body()
        member = body["user_id"]
        given = convert_money(
            organisation_id=self.caller.organisation_id,
            member_id=None if member is None else parse_path_id(member, UserNotFound),
            quote_id=parse_path_id(body["quote_id"], QuoteNotFound),
            actor=self.caller.actor,
            claim=read_key(request),
        )
        return stored_to_response(given)
