"""Units of tokens that the organisation and its members have."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.request import Request

from exchange.api.answers import Answer
from exchange.api.pagination import IdPages
from exchange.api.schema import Operation, PageOf
from exchange.api.views import ApiView
from exchange.models import Token
from wallets.api.wallets import MembersWallet, OwnWallet
from wallets.payloads import HOLDING
from wallets.selectors.holdings import held_tokens, holding_documents


class HoldingPages(IdPages):
    """Pages of token ids, whose holdings are added up for the page only."""

    def __init__(self, owner_id: UUID) -> None:
        self.owner_id = owner_id

    def texts(self, ids: list[UUID]) -> list[str]:
        """The owner's holdings of these tokens."""
        return holding_documents(self.owner_id, ids)


class Holdings(ApiView):
    """What both lists share."""

    required_scopes: ClassVar = {"GET": "portfolio:read"}
    plural = "tokens"
    sort_fields: ClassVar = {"name": "name", "symbol": "symbol"}
    default_sort = "name"
    queryset: QuerySet[Token] = Token.objects.none()
    answers: ClassVar = {"GET": PageOf(HOLDING, "tokens")}

    def page(self, request: Request, owner_id: UUID) -> Answer:
        """One page of the holdings of an owner."""
        found = self.filter_queryset(held_tokens(owner_id))
        pages = HoldingPages(owner_id)
        pages.paginate_queryset(found.values_list("id"), request, self)
        return pages.answer(self, "Holdings retrieved")


class HoldingsView(Holdings, OwnWallet):
    """The organisation's holdings."""

    operations: ClassVar = {"GET": Operation("holdings", "list", "Holdings retrieved")}

    def get(self, request: Request) -> Answer:
        """List the organisation's holdings. By name; a token of which nothing is left is not
        shown.
        """
        return self.page(request, self.owner_id())


class MemberHoldingsView(Holdings, MembersWallet):
    """A member's holdings."""

    operations: ClassVar = {"GET": Operation("member_holdings", "list", "Holdings retrieved")}

    def get(self, request: Request, member_id: str) -> Answer:  # noqa: ARG002 - read by owner_id
        """List a member's holdings. By name; a token of which nothing is left is not shown."""
        return self.page(request, self.owner_id())
