"""Transfers between wallets: moving money, listing and reading transfers."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.idempotency import read_key, stored_to_response
from exchange.api.operations import RecordPage, operation
from exchange.api.references import pop_references
from exchange.api.responses import SuccessResponse
from exchange.api.viewsets import ApiViewSet
from wallets.transfers import shapes
from wallets.transfers.commands import TransferMoney
from wallets.transfers.errors import TransferNotFound
from wallets.transfers.filters import TransferFilters
from wallets.transfers.models import WalletTransfer
from wallets.transfers.payloads import WALLET_TRANSFER
from wallets.transfers.serializers import TransferInput
from wallets.transfers.services import expected_transfer, transfer_money


class TransferViewSet(ApiViewSet):
    """Transfers between the wallets of the organisation and its members."""

    tag = "Transfers"
    lookup_url_kwarg = "transfer_id"
    filterset_class = TransferFilters
    sort_fields: ClassVar = {"createdAt": "created_at", "amount": "amount"}
    default_sort = "-createdAt"

    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Handle the request; concurrent transfers are batched."""
        if args[0].method != "POST":
            return super().dispatch(*args, **kwargs)
        with expected_transfer():
            return super().dispatch(*args, **kwargs)

    def get_queryset(self) -> QuerySet[WalletTransfer]:
        """The transfers of the caller's organisation and its members."""
        return WalletTransfer.objects.filter(organisation_id=self.caller.organisation_id)

    @operation(
        "Transfers retrieved",
        scope="wallets:read",
        response=RecordPage(WALLET_TRANSFER, "transfers"),
    )
    def list(self, _request: Request) -> Response:
        """List transfers. Includes those of the organisation and of its members."""
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(found)

    @operation("Transfer retrieved", scope="wallets:read", response=WALLET_TRANSFER)
    def retrieve(self, _request: Request, transfer_id: str) -> SuccessResponse:
        """Fetch a transfer."""
        return self.respond_with(transfer_id, TransferNotFound)

    @operation(
        "Transfer completed",
        scope="wallets:transfer",
        moves_money=True,
        body=TransferInput,
        response=WALLET_TRANSFER,
        status=201,
        failures=shapes.TRANSFER_FAILURES,
        examples=[shapes.TO_MEMBER_EXAMPLE, shapes.BETWEEN_MEMBERS_EXAMPLE],
    )
    def create(self, request: Request) -> SuccessResponse:
        """Move money between two wallets of your organisation and its members. The transfer is
        complete at once. Emits `transfer.completed`.
        """
        caller = self.caller
        body = self.body()
        references = pop_references(body)
        given = transfer_money(
            TransferMoney(
                organisation=caller.organisation_id,
                member=body["from"],
                payee=body["to"],
                amount=body["amount"],
                currency=body["currency"],
                client_reference=references.client_reference,
                metadata=references.metadata,
                actor=str(caller.actor),
            ),
            claim=read_key(request),
        )
        return stored_to_response(given)
