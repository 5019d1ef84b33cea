"""Units of tokens that the organisation and its members have."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.operations import PageOf, operation
from exchange.models import Token
from wallets.api.wallets import OwnerViewSet
from wallets.payloads import HOLDING
from wallets.selectors.holdings import held_tokens, holding_documents


class HoldingViewSet(OwnerViewSet):
    """Holdings."""

    sort_fields: ClassVar = {"name": "name", "symbol": "symbol"}
    default_sort = "name"
    queryset = Token.objects.none()

    @operation("Holdings retrieved", scope="portfolio:read", answer=PageOf(HOLDING, "tokens"))
    def list(self, _request: Request, **_path: str) -> Response:
        """List {owner}'s holdings. By name; a token of which nothing is left is not shown."""
        owner_id = self.owner_id()
        found = self.filter_queryset(held_tokens(owner_id))
        return self.paginated(
            found.values_list("id", flat=True), partial(holding_documents, owner_id)
        )
