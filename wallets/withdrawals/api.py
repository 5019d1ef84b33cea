"""Withdrawals: requesting them from either wallet, listing, reading and cancelling them."""

from __future__ import annotations

import json
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.answers import Answer, RawJSON
from exchange.api.fields import check_decimals
from exchange.api.filters import read_amount
from exchange.api.idempotency import answer_of, answer_once, read_key
from exchange.api.operations import PageOf, operation
from exchange.api.viewsets import ApiViewSet, path_id
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
from wallets.withdrawals.payloads import WITHDRAWAL
from wallets.withdrawals.selectors.withdrawals import organisation_withdrawals, withdrawal_document
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
    default_sort = "-createdAt"

    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Handle the request; a withdrawal may wait for others that arrive at the same moment."""
        if "create" not in self.action_map.values():
            return super().dispatch(*args, **kwargs)
        with expected_request():
            return super().dispatch(*args, **kwargs)

    def get_queryset(self) -> QuerySet[Withdrawal]:
        """The caller's withdrawals."""
        return organisation_withdrawals(self.caller.organisation_id)

    @operation(
        "Withdrawals retrieved", scope="wallets:read", answer=PageOf(WITHDRAWAL, "withdrawals")
    )
    def list(self, _request: Request) -> Response:
        """List withdrawals. Both the organisation's and its members'."""
        found = self.filter_queryset(self.get_queryset())
        return self.paginated(found.values_list("document", flat=True))

    @operation("Withdrawal retrieved", scope="wallets:read", answer=shapes.WITHDRAWAL_DETAIL)
    def retrieve(self, _request: Request, withdrawal_id: str) -> Answer:
        """Fetch a withdrawal. `reason` tells why it was rejected or failed."""
        found = path_id(withdrawal_id, WithdrawalNotFound())
        return self.answer(_detail(self.caller.organisation_id, found))

    @operation(
        "Withdrawal request created",
        scope="wallets:withdraw",
        moves_money=True,
        body=WithdrawalInput,
        answer={
            "withdrawals": shapes.CREATED_WITHDRAWAL,
            "member_withdrawals": shapes.CREATED_MEMBER_WITHDRAWAL,
        },
        status=201,
        refusals=shapes.WITHDRAWAL_FAILURES,
        examples=[shapes.WITHDRAWAL_EXAMPLE, shapes.SOUTH_AFRICA_EXAMPLE],
    )
    def create(self, request: Request, member_id: str | None = None) -> Answer:
        """Withdraw from {owner}'s wallet. The amount goes into the wallet's escrow at once; the
        request is Pending until it is approved. Emits `withdrawal.created` to the organisation.
        """
        caller = self.caller
        given = request_withdrawal(
            RequestWithdrawal(
                **self.body(),
                organisation=caller.organisation_id,
                member=None if member_id is None else path_id(member_id, UserNotFound()),
                actor=str(caller.actor),
            ),
            claim=read_key(request),
        )
        return answer_of(given)

    @operation(
        "Withdrawal cancelled",
        scope="wallets:withdraw",
        moves_money=True,
        answer=shapes.CANCELLED_WITHDRAWAL,
        refusals={
            "409": {"state_conflict": "Only a Pending withdrawal can be cancelled: it is Approved"}
        },
    )
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, withdrawal_id: str) -> Answer:
        """Cancel a Pending withdrawal. Its amount goes from escrow back to the wallet."""
        found = path_id(withdrawal_id, WithdrawalNotFound())
        return answer_once(request, lambda: self._cancel(found))

    def _cancel(self, withdrawal_id: UUID) -> Answer:
        caller = self.caller
        cancel(
            withdrawal_id=withdrawal_id, organisation_id=caller.organisation_id, actor=caller.actor
        )
        return self.answer(_detail(caller.organisation_id, withdrawal_id))

    @operation(
        "Withdrawal fee retrieved",
        scope="wallets:read",
        query=[banks_shapes.CURRENCY_PARAMETER, shapes.AMOUNT_PARAMETER],
        answer=shapes.FEE,
        refusals=shapes.FEE_FAILURES,
    )
    @action(detail=False)
    def fee(self, request: Request) -> Answer:
        """Look up the fee of a withdrawal. Nothing moves, and no balance is looked at."""
        currency = payout_currency(request)
        amount = read_amount(request.query_params.get("amount", ""))
        if amount is None:
            raise InvalidRequest("amount must be a number such as 1000 or 90.02")
        try:
            check_decimals(amount, currencies()[currency].decimals)
        except ValidationError as error:
            raise ValidationError({"amount": error.detail}) from error
        fee = withdrawal_fee(currency)
        if amount <= fee:
            raise FeeExceedsAmount(currency=currency, fee=fee, amount=amount)
        return self.answer(
            {
                "currency": currency,
                "amount": amount,
                "fee": fee,
                "disburse_amount": amount - fee,
                "minimum": minimum_withdrawal(currency),
            }
        )


def _detail(organisation_id: UUID, withdrawal_id: UUID) -> RawJSON:
    document, reason = withdrawal_document(organisation_id, withdrawal_id)
    return RawJSON(f'{document[:-1]},"reason":{json.dumps(reason or None)}}}')
