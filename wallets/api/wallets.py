"""Balances and statements of the organisation's wallet and its members'."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.request import Request

from exchange.api.answers import Answer
from exchange.api.pagination import IdPages
from exchange.api.schema import Operation, PageOf
from exchange.api.views import ApiView, path_id
from exchange.errors import UserNotFound
from exchange.selectors.participants import get_member
from wallets.api import shapes
from wallets.filtersets import TransactionFilters
from wallets.models import Entry
from wallets.payloads import TRANSACTION
from wallets.selectors.wallets import statement, wallet_balances
from wallets.selectors.withdrawals import transaction_documents


class OwnWallet(ApiView):
    """A view of the organisation's own wallet."""

    required_scopes: ClassVar = {"GET": "wallets:read"}

    def owner_id(self) -> UUID:
        """Whose wallet."""
        return self.caller.organisation_id


class MembersWallet(ApiView):
    """A view of the wallet of the member in the path."""

    required_scopes: ClassVar = {"GET": "wallets:read"}

    def owner_id(self) -> UUID:
        """Whose wallet. Raises `UserNotFound`."""
        found = path_id(self.kwargs["member_id"], UserNotFound())
        return get_member(self.caller.organisation_id, found).id


class WalletView(OwnWallet):
    """The organisation's balances."""

    operations: ClassVar = {"GET": Operation("wallets", "retrieve", "Wallet retrieved")}
    answers: ClassVar = {"GET": shapes.BALANCES}

    def get(self, _request: Request) -> Answer:
        """Fetch the organisation's wallet. One record for each currency."""
        return Answer(wallet_balances(self.owner_id()), "Wallet retrieved")


class MemberWalletView(MembersWallet):
    """A member's balances."""

    operations: ClassVar = {"GET": Operation("member_wallets", "retrieve", "Wallet retrieved")}
    answers: ClassVar = {"GET": shapes.BALANCES}

    def get(self, _request: Request, member_id: str) -> Answer:  # noqa: ARG002 - read by owner_id
        """Fetch a member's wallet. One record for each currency."""
        return Answer(wallet_balances(self.owner_id()), "Wallet retrieved")


class StatementPages(IdPages):
    """Pages of entries."""

    def texts(self, ids: list[UUID]) -> list[str]:
        """The documents, made of entry, transfer and account."""
        return transaction_documents(ids)


class Statement(ApiView):
    """What both statements share."""

    filterset_class = TransactionFilters
    plural = "transactions"
    # Ids are made in the order of time.
    sort_fields: ClassVar = {"createdAt": "id", "amount": "amount"}
    default_sort = "-createdAt"
    answers: ClassVar = {"GET": PageOf(TRANSACTION, "transactions")}

    def owner_id(self) -> UUID:
        """Whose wallet; the views below say."""
        return self.caller.organisation_id

    def get_queryset(self) -> QuerySet[Entry]:
        """The entries of the wallet."""
        return statement(self.owner_id())

    def page(self, request: Request) -> Answer:
        """One page of the statement."""
        found = self.filter_queryset(self.get_queryset())
        pages = StatementPages()
        pages.paginate_queryset(found.values_list("id"), request, self)
        return pages.answer(self, "Transactions retrieved")


class WalletTransactionsView(OwnWallet, Statement):
    """The organisation's statement."""

    operations: ClassVar = {"GET": Operation("transactions", "list", "Transactions retrieved")}

    def get(self, request: Request) -> Answer:
        """List the movements of the organisation's wallet. Newest first."""
        return self.page(request)


class MemberTransactionsView(MembersWallet, Statement):
    """A member's statement."""

    operations: ClassVar = {
        "GET": Operation("member_transactions", "list", "Transactions retrieved")
    }

    def get_queryset(self) -> QuerySet[Entry]:
        """The entries of the wallet; none while the schema is made."""
        fake = getattr(self, "swagger_fake_view", False)
        return Entry.objects.none() if fake else super().get_queryset()

    def get(self, request: Request, member_id: str) -> Answer:  # noqa: ARG002 - read by owner_id
        """List the movements of a member's wallet. Newest first."""
        return self.page(request)
