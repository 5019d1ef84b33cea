"""Deposits, checkouts and virtual accounts of an organisation and its members."""

from typing import ClassVar
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.idempotency import read_key, stored_to_response
from exchange.api.operations import RecordList, RecordPage, operation
from exchange.api.responses import RawJSON, SuccessResponse, join_documents
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.participants.errors import UserNotFound
from wallets.deposits import shapes
from wallets.deposits.errors import DepositNotFound
from wallets.deposits.filters import DepositFilters, VirtualAccountFilters
from wallets.deposits.models import Deposit, VirtualAccount
from wallets.deposits.payloads import DEPOSIT, VIRTUAL_ACCOUNT
from wallets.deposits.selectors import (
    deposit_document,
    organisation_deposits,
    organisation_virtual_accounts,
    virtual_account_document,
    virtual_account_documents,
)
from wallets.deposits.serializers import CheckoutInput, VirtualAccountInput
from wallets.deposits.services import opening
from wallets.ledger.api import OwnerViewSet


class DepositViewSet(ApiViewSet):
    """The organisation's deposits and its members'."""

    tag = "Deposits"
    lookup_url_kwarg = "deposit_id"
    filterset_class = DepositFilters
    sort_fields: ClassVar = {
        "createdAt": "created_at",
        "updatedAt": "updated_at",
        "amount": "amount",
    }
    changing_sorts = frozenset({"updatedAt", "amount"})
    default_sort = "-createdAt"

    def get_queryset(self) -> QuerySet[Deposit]:
        """Return the caller's deposits."""
        return organisation_deposits(self.caller.organisation_id)

    @operation("Deposits retrieved", scope="wallets:read", response=RecordPage(DEPOSIT, "deposits"))
    def list(self, _request: Request) -> Response:
        """List deposits. Includes those of the organisation and of its members."""
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(found)

    @operation("Deposit retrieved", scope="wallets:read", response=DEPOSIT)
    def retrieve(self, _request: Request, deposit_id: str) -> SuccessResponse:
        """Fetch a deposit."""
        found = parse_path_id(deposit_id, DepositNotFound)
        return self.respond(RawJSON(deposit_document(self.caller.organisation_id, found)))


class CheckoutViewSet(ApiViewSet):
    """Checkouts of a wallet."""

    tag = "Deposits"

    @operation(
        "Checkout created",
        scope="deposits:write",
        moves_money=True,
        body=CheckoutInput,
        response=shapes.CHECKOUT,
        status=201,
        failures=shapes.CHECKOUT_FAILURES,
        examples=[shapes.CHECKOUT_EXAMPLE],
    )
    def create(self, request: Request, member_id: str | None = None) -> SuccessResponse:
        """Let a person pay into {owner}'s wallet by card, bank or mobile money. Send the person to
        `url`. The deposit is Pending until the payment provider confirms the payment; what is
        credited is what was paid. Emits `deposit.completed` or `deposit.failed`.
        """
        claim = read_key(request)
        checkout = opening.Checkout(
            **self.body(),
            organisation_id=self.caller.organisation_id,
            member_id=_member(member_id),
        )
        return stored_to_response(opening.open_checkout(checkout, claim=claim))


class VirtualAccountViewSet(OwnerViewSet):
    """Virtual accounts of a wallet."""

    tag = "Deposits"

    @operation(
        "Virtual accounts retrieved",
        scope="wallets:read",
        response=RecordList(VIRTUAL_ACCOUNT),
    )
    def list(self, _request: Request, **_path: str) -> SuccessResponse:
        """List the virtual accounts of {owner}'s wallet, at most one for each currency."""
        return self.respond(join_documents(virtual_account_documents(self.owner_id())))

    @operation(
        "Virtual account ready",
        scope="deposits:write",
        body=VirtualAccountInput,
        response=VIRTUAL_ACCOUNT,
        status=201,
        failures=shapes.VIRTUAL_ACCOUNT_FAILURES,
        examples=[shapes.VIRTUAL_ACCOUNT_EXAMPLE],
    )
    def create(self, _request: Request, member_id: str | None = None) -> SuccessResponse:
        """Open a permanent bank account number whose payments go to {owner}'s wallet. The same
        owner and currency again returns the same account. Emits `deposit.completed` for each
        payment.
        """
        account_id = opening.open_virtual_account(
            organisation_id=self.caller.organisation_id, member_id=_member(member_id), **self.body()
        )
        return self.respond(RawJSON(virtual_account_document(account_id)))


class AllVirtualAccountViewSet(ApiViewSet):
    """Virtual accounts of all wallets of the caller."""

    tag = "Deposits"
    filterset_class = VirtualAccountFilters
    sort_fields: ClassVar = {"createdAt": "created_at"}
    default_sort = "-createdAt"

    def get_queryset(self) -> QuerySet[VirtualAccount]:
        """Return the caller's virtual accounts."""
        return organisation_virtual_accounts(self.caller.organisation_id)

    @operation(
        "Virtual accounts retrieved",
        scope="wallets:read",
        response=RecordPage(VIRTUAL_ACCOUNT, "virtual_accounts"),
    )
    def list(self, _request: Request) -> Response:
        """List the virtual accounts of every wallet, your organisation's and its members'."""
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(found)


def _member(member_id: str | None) -> UUID | None:
    return None if member_id is None else parse_path_id(member_id, UserNotFound)
