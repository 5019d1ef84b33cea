"""Query parameters of movements."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from exchange.api.filters import IdFilter
from exchange.core.ids import first_id_at
from wallets.ledger.filters import TransactionFilters

# An id is made within an hour of its transaction (docs/ledger.md, Time order of ids).
_MARGIN = timedelta(hours=1)
_EPOCH = datetime.fromtimestamp(0, UTC)


class MovementFilters(TransactionFilters):
    """Filters by owner, currency, transfer kind, account kind and time."""

    owner = IdFilter(
        field_name="account__owner_id", help_text="ID of the organisation or of a member"
    )

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the matches; for a period, within the ids of about its time."""
        found: QuerySet[Any] = super().filter_queryset(queryset)
        begins, ends = (self.form.cleaned_data[f"created_{name}"] for name in ("from", "to"))
        if begins and begins > _EPOCH + _MARGIN:
            found = found.filter(id__gte=first_id_at(begins - _MARGIN))
        if ends and ends < timezone.now():
            found = found.filter(id__lt=first_id_at(ends + _MARGIN))
        return found
