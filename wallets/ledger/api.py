"""Statements and holdings of the organisation and of its members; holders of a token."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar
from uuid import UUID

from django.db.models import Model
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.operations import RecordPage, operation
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.participants.errors import UserNotFound
from exchange.participants.selectors import get_member
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Token
from wallets.ledger.filters import TransactionFilters
from wallets.ledger.models import Account, Entry
from wallets.ledger.payloads import HOLDER, HOLDING, TRANSACTION
from wallets.ledger.selectors.holdings import held_tokens, holding_documents
from wallets.ledger.selectors.owners import holders_of, read_holders
from wallets.ledger.selectors.transactions import transaction_documents
from wallets.ledger.selectors.wallets import statement


class OwnerViewSet(ApiViewSet):
    """Resources of one owner: the organisation, or the member in the path."""

    def owner_id(self) -> UUID:
        """Return the id of the wallet's owner. Raises `UserNotFound`."""
        organisation_id = self.caller.organisation_id
        member_id = self.kwargs.get("member_id")
        if member_id is None:
            return organisation_id
        return get_member(organisation_id, parse_path_id(member_id, UserNotFound)).id


class TransactionViewSet(OwnerViewSet):
    """Statements."""

    tag = "Wallets"
    filterset_class = TransactionFilters
    # Ids follow creation time.
    sort_fields: ClassVar = {"createdAt": "id", "amount": "amount"}
    default_sort = "-createdAt"
    queryset = Entry.objects.none()
    # Models whose references identify movements; `wallets.urls` lists them.
    subjects: ClassVar[Sequence[type[Model]]] = ()

    @operation(
        "Transactions retrieved",
        scope="wallets:read",
        response=RecordPage(TRANSACTION, "transactions"),
    )
    def list(self, _request: Request, **_path: str) -> Response:
        """List the movements of {owner}'s wallet. Newest first."""
        found = statement(self.owner_id(), self.filter_queryset(Entry.objects.all()))
        return self.paginated_response(found, partial(transaction_documents, self.subjects))


class HoldingViewSet(OwnerViewSet):
    """Holdings."""

    tag = "Investments"
    sort_fields: ClassVar = {"name": "name", "symbol": "symbol"}
    changing_sorts = frozenset(sort_fields)
    default_sort = "name"
    queryset = Token.objects.none()

    @operation(
        "Holdings retrieved",
        scope="portfolio:read",
        response=RecordPage(HOLDING, "tokens", by_cursor=False),
    )
    def list(self, _request: Request, **_path: str) -> Response:
        """List {owner}'s holdings. Sorted by name; empty holdings are left out."""
        owner_id = self.owner_id()
        found = self.filter_queryset(held_tokens(owner_id))
        return self.paginated_response(found, partial(holding_documents, owner_id))


class HolderViewSet(ApiViewSet):
    """The holders of a token of the caller."""

    tag = "Tokens"
    sort_fields: ClassVar = {"_id": "id"}
    default_sort = "_id"
    queryset = Account.objects.none()

    @operation("Holders retrieved", scope="tokens:read", response=RecordPage(HOLDER, "holders"))
    def list(self, _request: Request, token_id: str) -> Response:
        """List the holders of a token that you issued. One record for each owner with units;
        `owner` names your own organisation and members, and no others.
        """
        organisation = self.caller.organisation_id
        token = parse_path_id(token_id, TokenNotFound)
        found = self.filter_queryset(holders_of(organisation, token))
        return self.paginated_response(found, partial(read_holders, organisation))
