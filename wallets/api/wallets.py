"""Balances and statements of the organisation's wallet and its members'."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.answers import Answer
from exchange.api.operations import PageOf, operation
from exchange.api.viewsets import ApiViewSet, path_id
from exchange.core.errors import UserNotFound
from exchange.selectors.participants import get_member
from wallets.api import shapes
from wallets.filtersets import TransactionFilters
from wallets.models import Entry
from wallets.payloads import TRANSACTION
from wallets.selectors.wallets import statement, wallet_balances
from wallets.selectors.withdrawals import transaction_documents


class OwnerViewSet(ApiViewSet):
    """What the organisation has, or the member in the path: mounted once for each."""

    def owner_id(self) -> UUID:
        """Return whose wallet it is. Raises `UserNotFound`."""
        organisation_id = self.caller.organisation_id
        member_id = self.kwargs.get("member_id")
        if member_id is None:
            return organisation_id
        return get_member(organisation_id, path_id(member_id, UserNotFound())).id


class WalletViewSet(OwnerViewSet):
    """Balances."""

    singleton = True

    @operation("Wallet retrieved", scope="wallets:read", answer=shapes.BALANCES)
    def retrieve(self, _request: Request, **_path: str) -> Answer:
        """Fetch {owner}'s wallet. One record for each currency."""
        return self.answer(wallet_balances(self.owner_id()))


class TransactionViewSet(OwnerViewSet):
    """Statements."""

    filterset_class = TransactionFilters
    # Ids are made in the order of time.
    sort_fields: ClassVar = {"createdAt": "id", "amount": "amount"}
    default_sort = "-createdAt"
    queryset = Entry.objects.none()

    @operation(
        "Transactions retrieved",
        scope="wallets:read",
        answer=PageOf(TRANSACTION, "transactions"),
    )
    def list(self, _request: Request, **_path: str) -> Response:
        """List the movements of {owner}'s wallet. Newest first."""
        found = self.filter_queryset(statement(self.owner_id()))
        return self.paginated(found.values_list("id", flat=True), transaction_documents)
