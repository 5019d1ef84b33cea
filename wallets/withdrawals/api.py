"""Withdrawals: requesting them from either wallet, listing, reading and cancelling them."""

import json
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.fields import validate_decimals
from exchange.api.filters import parse_amount
from exchange.api.idempotency import read_key, respond_once, stored_to_response
from exchange.api.operations import RecordPage, operation
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core.currencies import currencies
from exchange.core.errors import InvalidRequest
from exchange.participants.errors import UserNotFound
from wallets.banks import shapes as banks_shapes
from wallets.banks.api import payout_currency
from wallets.fees.selectors import minimum_withdrawal, withdrawal_fee
from wallets.withdrawals import shapes
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.errors import FeeExceedsAmount, WithdrawalNotFound
from wallets.withdrawals.filters import WithdrawalFilters
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.payloads import WITHDRAWAL_WITH_BANK
from wallets.withdrawals.selectors.withdrawals import (
    organisation_withdrawals,
    read_withdrawal,
    read_withdrawals,
)
from wallets.withdrawals.serializers import WithdrawalInput
from wallets.withdrawals.services.decisions import cancel
from wallets.withdrawals.services.requests import expected_request, request_withdrawal


class WithdrawalViewSet(ApiViewSet):
    """The organisation's withdrawals and its members'."""

    tag = "Withdrawals"
    lookup_url_kwarg = "withdrawal_id"
    filterset_class = WithdrawalFilters
    sort_fields: ClassVar = {
        "createdAt": "created_at",
        "updatedAt": "updated_at",
        "amount": "amount",
    }
    changing_sorts = frozenset({"updatedAt"})
    default_sort = "-createdAt"

    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Handle the request; concurrent withdrawal requests are batched."""
        if "create" not in self.action_map.values():
            return super().dispatch(*args, **kwargs)
        with expected_request():
            return super().dispatch(*args, **kwargs)

    def get_queryset(self) -> QuerySet[Withdrawal]:
        """The caller's withdrawals."""
        return organisation_withdrawals(self.caller.organisation_id)

    @operation(
        "Withdrawals retrieved",
        scope="wallets:read",
        response=RecordPage(WITHDRAWAL_WITH_BANK, "withdrawals"),
    )
    def list(self, _request: Request) -> Response:
        """List withdrawals. Includes those of the organisation and of its members."""
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(found, read_withdrawals)

    @operation("Withdrawal retrieved", scope="wallets:read", response=shapes.WITHDRAWAL_DETAIL)
    def retrieve(self, _request: Request, withdrawal_id: str) -> SuccessResponse:
        """Fetch a withdrawal. `reason` explains a rejection or a failure."""
        found = parse_path_id(withdrawal_id, WithdrawalNotFound)
        return self.respond(withdrawal_detail(self.caller.organisation_id, found))

    @operation(
        "Withdrawal request created",
        scope="wallets:withdraw",
        moves_money=True,
        body=WithdrawalInput,
        response={
            "withdrawals": shapes.CREATED_WITHDRAWAL,
            "member_withdrawals": shapes.CREATED_MEMBER_WITHDRAWAL,
        },
        status=201,
        failures=shapes.WITHDRAWAL_FAILURES,
        examples=[shapes.WITHDRAWAL_EXAMPLE, shapes.SOUTH_AFRICA_EXAMPLE],
    )
    def create(self, request: Request, member_id: str | None = None) -> SuccessResponse:
        """Withdraw from {owner}'s wallet. The amount moves to the wallet's escrow at once; the
        request is Pending until it is approved. Emits `withdrawal.created` to the organisation.
        """
        caller = self.caller
        given = request_withdrawal(
            RequestWithdrawal(
                **self.body(),
                organisation=caller.organisation_id,
                member=None if member_id is None else parse_path_id(member_id, UserNotFound),
                actor=str(caller.actor),
            ),
            claim=read_key(request),
        )
        return stored_to_response(given)

    @operation(
        "Withdrawal cancelled",
        scope="wallets:withdraw",
        moves_money=True,
        response=shapes.CANCELLED_WITHDRAWAL,
        failures={
            "409": {"state_conflict": "Only a Pending withdrawal can be cancelled: it is Approved"}
        },
    )
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, withdrawal_id: str) -> SuccessResponse:
        """Cancel a Pending withdrawal. Its amount moves from escrow back to the wallet."""
        found = parse_path_id(withdrawal_id, WithdrawalNotFound)
        return respond_once(request, lambda: self._cancel(found))

    def _cancel(self, withdrawal_id: UUID) -> SuccessResponse:
        caller = self.caller
        cancel(
            withdrawal_id=withdrawal_id, organisation_id=caller.organisation_id, actor=caller.actor
        )
        return self.respond(withdrawal_detail(caller.organisation_id, withdrawal_id))

    @operation(
        "Withdrawal fee retrieved",
        scope="wallets:read",
        query=[banks_shapes.CURRENCY_PARAMETER, shapes.AMOUNT_PARAMETER],
        response=shapes.FEE,
        failures=shapes.FEE_FAILURES,
    )
    @action(detail=False)
    def fee(self, request: Request) -> SuccessResponse:
        """Look up the fee of a withdrawal. No money moves, and no balance is checked."""
        currency = payout_currency(request)
        amount = parse_amount(request.query_params.get("amount", ""))
        if amount is None:
            raise InvalidRequest("amount must be a number such as 1000 or 90.02")
        try:
            validate_decimals(amount, currencies()[currency].decimals)
        except ValidationError as error:
            raise ValidationError({"amount": error.detail}) from error
        fee = withdrawal_fee(currency)
        if amount <= fee:
            raise FeeExceedsAmount(currency=currency, fee=fee, amount=amount)
        return self.respond(
            {
                "currency": currency,
                "amount": amount,
                "fee": fee,
                "disburse_amount": amount - fee,
                "minimum": minimum_withdrawal(currency),
            }
        )


def withdrawal_detail(organisation_id: UUID, withdrawal_id: UUID) -> RawJSON:
    """Return the withdrawal with its reason. Raises `WithdrawalNotFound`."""
    document, reason = read_withdrawal(organisation_id, withdrawal_id)
    return RawJSON(f'{document[:-1]},"reason":{json.dumps(reason or None)}}}')
