"""Withdrawals: requesting them from either wallet, listing, reading and cancelling them."""

from __future__ import annotations

import json
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from exchange.api.answers import Answer, RawJSON
from exchange.api.fields import check_decimals
from exchange.api.idempotency import answer_of, answer_once, read_key
from exchange.api.pagination import EnvelopePagination
from exchange.api.schema import Created, Operation, PageOf
from exchange.api.views import ApiView, path_id
from exchange.errors import InvalidRequest, UserNotFound
from wallets.api import shapes
from wallets.api.serializers import WithdrawalInput
from wallets.errors import FeeExceedsAmount, InvalidCurrency, NoBankList, WithdrawalNotFound
from wallets.filtersets import WithdrawalFilters, read_amount
from wallets.models import Withdrawal
from wallets.payloads import WITHDRAWAL
from wallets.selectors.configuration import minimum_withdrawal, withdrawal_fee
from wallets.selectors.currencies import currencies, payout_currencies
from wallets.selectors.withdrawals import withdrawal_document, withdrawals_of
from wallets.services.decisions import cancel
from wallets.services.requests import (
    Corridor,
    WithdrawalOrder,
    request_withdrawal,
    requests_coming,
)

_ORDER = ("amount", "currency", "bank_name", "account_name", "account_number")


class WithdrawalRequestView(ApiView):
    """What both withdrawal operations share."""

    required_scopes: ClassVar = {"POST": "wallets:withdraw"}
    moves_money = True
    serializer_class = WithdrawalInput
    failures: ClassVar[dict[str, dict[str, str]]] = shapes.WITHDRAWAL_FAILURES
    answers: ClassVar = {"POST": Created(shapes.CREATED_WITHDRAWAL)}

    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Handles the request; others that arrive at the same moment may wait for it."""
        with requests_coming():
            return super().dispatch(*args, **kwargs)

    def withdraw(self, values: dict[str, Any], member_id: UUID | None) -> Answer:
        """Asks for the withdrawal of the checked `values` from one wallet."""
        caller = self.caller
        order = {name: values.pop(name) for name in _ORDER}
        given = request_withdrawal(
            organisation_id=caller.organisation_id,
            member_id=member_id,
            order=WithdrawalOrder(**order, corridor=Corridor(**values)),
            actor=caller.actor,
            claim=read_key(self.request),
        )
        return answer_of(given)


class WalletWithdrawView(WithdrawalRequestView):
    """From the organisation's wallet."""

    operations: ClassVar = {
        "POST": Operation("withdrawals", "create", "Withdrawal request created")
    }

    @extend_schema(examples=[shapes.WITHDRAWAL_EXAMPLE, shapes.SOUTH_AFRICA_EXAMPLE])
    def post(self, _request: Request) -> Answer:
        """Withdraw from the organisation's wallet. The amount goes into escrow at once; the
        request is Pending until it is approved. Emits `withdrawal.created`.
        """
        return self.withdraw(self.body(), None)


class MemberWithdrawView(WithdrawalRequestView):
    """From a member's wallet."""

    operations: ClassVar = {
        "POST": Operation("member_withdrawals", "create", "Withdrawal request created")
    }
    failures: ClassVar[dict[str, dict[str, str]]] = shapes.MEMBER_FAILURES
    answers: ClassVar = {"POST": Created(shapes.CREATED_MEMBER_WITHDRAWAL)}

    @extend_schema(examples=[shapes.WITHDRAWAL_EXAMPLE, shapes.SOUTH_AFRICA_EXAMPLE])
    def post(self, _request: Request, member_id: str) -> Answer:
        """Withdraw from a member's wallet. The amount goes into the member's escrow at once; the
        request is Pending until it is approved. Emits `withdrawal.created` to the organisation.
        """
        values = self.body()
        return self.withdraw(values, path_id(member_id, UserNotFound()))


class WithdrawalsView(ApiView):
    """The organisation's withdrawals and its members'."""

    operations: ClassVar = {"GET": Operation("withdrawals", "list", "Withdrawals retrieved")}
    required_scopes: ClassVar = {"GET": "wallets:read"}
    filterset_class = WithdrawalFilters
    plural = "withdrawals"
    sort_fields: ClassVar = {
        "createdAt": "created_at",
        "updatedAt": "updated_at",
        "amount": "amount",
    }
    default_sort = "-createdAt"
    answers: ClassVar = {"GET": PageOf(WITHDRAWAL, "withdrawals")}

    def get_queryset(self) -> QuerySet[Withdrawal]:
        """The caller's withdrawals."""
        return withdrawals_of(self.caller.organisation_id)

    def get(self, request: Request) -> Answer:
        """List withdrawals. Both the organisation's and its members'."""
        found = self.filter_queryset(self.get_queryset())
        page = EnvelopePagination()
        page.paginate_queryset(found.values_list("document", flat=True), request, self)
        return page.answer(self, "Withdrawals retrieved")


class WithdrawalView(ApiView):
    """One withdrawal."""

    operations: ClassVar = {"GET": Operation("withdrawals", "retrieve", "Withdrawal retrieved")}
    required_scopes: ClassVar = {"GET": "wallets:read"}
    answers: ClassVar = {"GET": shapes.WITHDRAWAL_DETAIL}

    def get(self, _request: Request, withdrawal_id: str) -> Answer:
        """Fetch a withdrawal. `reason` tells why it was rejected or failed."""
        found = path_id(withdrawal_id, WithdrawalNotFound())
        return Answer(_detail(self.caller.organisation_id, found), "Withdrawal retrieved")


class CancelView(ApiView):
    """Taking a request back."""

    operations: ClassVar = {"POST": Operation("withdrawals", "cancel", "Withdrawal cancelled")}
    required_scopes: ClassVar = {"POST": "wallets:withdraw"}
    moves_money = True
    failures: ClassVar[dict[str, dict[str, str]]] = {
        "409": {"state_conflict": "Only a Pending withdrawal can be cancelled: it is Approved"}
    }
    answers: ClassVar = {"POST": shapes.CANCELLED_WITHDRAWAL}

    def post(self, request: Request, withdrawal_id: str) -> Answer:
        """Cancel a Pending withdrawal. Its amount goes from escrow back to the wallet."""
        found = path_id(withdrawal_id, WithdrawalNotFound())
        return answer_once(request, lambda: self._cancel(found))

    def _cancel(self, withdrawal_id: UUID) -> Answer:
        caller = self.caller
        cancel(
            withdrawal_id=withdrawal_id, organisation_id=caller.organisation_id, actor=caller.actor
        )
        return Answer(_detail(caller.organisation_id, withdrawal_id), "Withdrawal cancelled")


class FeeView(ApiView):
    """What a withdrawal would cost."""

    operations: ClassVar = {"GET": Operation("withdrawals", "fee", "Withdrawal fee retrieved")}
    required_scopes: ClassVar = {"GET": "wallets:read"}
    query_parameters: ClassVar = ("currency", "amount")
    failures: ClassVar[dict[str, dict[str, str]]] = shapes.FEE_FAILURES
    answers: ClassVar = {"GET": shapes.FEE}

    @extend_schema(parameters=[shapes.CURRENCY_PARAMETER, shapes.AMOUNT_PARAMETER])
    def get(self, request: Request) -> Answer:
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
        data = {
            "currency": currency,
            "amount": amount,
            "fee": fee,
            "disburse_amount": amount - fee,
            "minimum": minimum_withdrawal(currency),
        }
        return Answer(data, "Withdrawal fee retrieved")


def payout_currency(request: Request) -> str:
    """The query parameter `currency`, in any case. Raises `InvalidCurrency`, `NoBankList`."""
    code = request.query_params.get("currency", "").upper()
    if code not in currencies():
        raise InvalidCurrency(payout_currencies())
    if code not in payout_currencies():
        raise NoBankList(code)
    return code


def _detail(organisation_id: UUID, withdrawal_id: UUID) -> RawJSON:
    document, reason = withdrawal_document(organisation_id, withdrawal_id)
    return RawJSON(f'{document[:-1]},"reason":{json.dumps(reason or None)}}}')
