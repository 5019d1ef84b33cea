"""`/v1/api/movements`: the movements of all wallets of an organisation."""

from typing import ClassVar

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from credit.movements.filters import MovementFilters
from credit.movements.payloads import MOVEMENT
from credit.movements.selectors import movements_of, read_movements
from exchange.api.operations import RecordPage, operation
from exchange.api.viewsets import ApiViewSet
from wallets.ledger.models import Entry


class MovementViewSet(ApiViewSet):
    """The movements of the caller's wallets, and of its members'."""

    tag = "Wallets"
    filterset_class = MovementFilters
    # Ids follow creation time.
    sort_fields: ClassVar = {"createdAt": "id"}
    default_sort = "createdAt"

    def get_queryset(self) -> QuerySet[Entry]:
        """Return the entries of the caller's wallets."""
        return movements_of(self.caller.organisation_id)

    @operation(
        "Movements retrieved", scope="wallets:read", response=RecordPage(MOVEMENT, "movements")
    )
    def list(self, _request: Request) -> Response:
        """List the movements of every wallet, your organisation's and its members'. Oldest first,
        each with the record it is about: read a day with `created_from`, `created_to` and a
        cursor.
        """
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(found, read_movements)
