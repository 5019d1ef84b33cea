"""Filter form and saved views of the withdrawals list.

The form uses GET, so every state of the list has a URL. An invalid filter returns no rows rather
than all, because people act on what the list shows.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.utils import timezone

from exchange.admin.list_filters import ListFilter, ListFilters, amount_field, day_range, id_filter
from exchange.core.currencies import payout_currencies
from exchange.core.ids import parse_id
from exchange.participants.admin.name_filters import (
    MAX_NAME_LENGTH,
    OrganisationNameFilter,
    owner_name_contains,
)
from exchange.participants.models import Member, Organisation
from wallets.withdrawals.admin.saved_views import (
    awaiting_second_approval,
    missing_details,
    returned_by_bank,
    saved_views_for,
)
from wallets.withdrawals.admin.show import RETURNED
from wallets.withdrawals.models import WithdrawalStatus

ALL = "all"
_ANY = ("", "Any")
_AGES = {
    "1h": timedelta(hours=1),
    "4h": timedelta(hours=4),
    "24h": timedelta(hours=24),
    "3d": timedelta(days=3),
}
_FORM = "filters"
_PRIMARY = ("status", "currency__code__exact", "age")


_APPROVALS = {
    "first": Q(status=WithdrawalStatus.PENDING, first_approver=None),
    "second": awaiting_second_approval(),
    "two": Q(approvals_needed=2),
}


def _status_condition(status: str) -> Q:
    if status == ALL:
        return Q()
    return returned_by_bank() if status == "Returned" else Q(status=status)


def _choice_filter(choices: Any, **kwargs: Any) -> ListFilter:
    return ListFilter(title=_FORM, field=forms.ChoiceField, choices=choices, **kwargs)


class WithdrawalListFilters(ListFilters):
    """Filters in one form, drawn by the template of the list.

    Without a status, view or search the list shows Pending withdrawals.
    """

    view = ListFilter(title=_FORM, condition=lambda _: Q(), widget=forms.HiddenInput)
    status = _choice_filter(
        [(ALL, "All"), *WithdrawalStatus.choices, ("Returned", RETURNED)],
        label="Status",
        condition=_status_condition,
    )
    currency__code__exact = _choice_filter(
        lambda: [_ANY, *((code, code) for code in payout_currencies())],
        label="Currency",
        condition=lambda code: Q(currency=code),
    )
    owner_model = _choice_filter(
        [_ANY, ("organisation", "Organisation"), ("user", "Member")],
        label="Owner type",
        condition=lambda model: Q(member__isnull=model == "organisation"),
    )
    owner = ListFilter(
        title=_FORM, label="Owner name", max_length=MAX_NAME_LENGTH, condition=owner_name_contains
    )
    organisation = OrganisationNameFilter(title=_FORM, label="Organisation name")
    amount_from = ListFilter("amount", "gte", title=_FORM, **amount_field("Amount from"))
    amount_to = ListFilter("amount", "lte", title=_FORM, **amount_field("Amount to"))
    created_from, created_to = day_range(
        id_column="", title=_FORM, labels=("Requested from", "Requested until")
    )
    age = _choice_filter(
        [_ANY, ("1h", "1 hour"), ("4h", "4 hours"), ("24h", "24 hours"), ("3d", "3 days")],
        label="Older than",
        condition=lambda age: Q(created_at__lt=timezone.now() - _AGES[age]),
    )
    approvals = _choice_filter(
        [_ANY, ("first", "Awaiting first"), ("second", "Awaiting second"),
         ("two", "Two required")],
        label="Approvals",
        condition=lambda which: _APPROVALS[which],
    )  # fmt: skip
    details = _choice_filter(
        [_ANY, ("missing", "Incomplete"), ("complete", "Complete")],
        label="Payout details",
        condition=lambda which: missing_details() if which == "missing" else ~missing_details(),
    )
    owner_id = id_filter("owner_id")
    organisation__id__exact = id_filter("organisation")
    currency = ListFilter("currency")
    updated_at__gte = ListFilter("updated_at", "gte", field=forms.DateTimeField)
    updated_at__lt = ListFilter("updated_at", "lt", field=forms.DateTimeField)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = self.used_values.get("view")
        self.saved_view = next((v for v in saved_views_for(self.user) if v.key == chosen), None)
        self.pending_only = not (self.saved_view or {"status", "q"} & self.used_values.keys())
        any_state = "Any" if "q" in self.used_values else "Pending"
        self.form.label_suffix = ""
        status: Any = self.form.fields["status"]
        status.choices = [
            ("", "Any in this view" if self.saved_view else any_state),
            *status.choices,
        ]

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        found = super().filter_queryset(queryset)
        if self.saved_view is not None:
            return found.filter(self.saved_view.rows(self.user))
        return found.filter(status=WithdrawalStatus.PENDING) if self.pending_only else found

    def describe(self) -> str:
        words = super().describe()
        return "; ".join(filter(None, ("status: Pending" if self.pending_only else "", words)))

    @property
    def first_fields(self) -> list[forms.BoundField]:
        """The fields that are always visible."""
        return [self.form[name] for name in _PRIMARY]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """The fields under "More filters"."""
        (group,) = self.groups
        return [self.form[name] for name in group.names if name not in ("view", *_PRIMARY)]

    @property
    def more_used(self) -> bool:
        """Whether one of the fields under "More filters" is used."""
        return any(field.name in self.used_values for field in self.more_fields)

    @property
    def link_filters(self) -> dict[str, str]:
        """Filters set by links, which have no field."""
        (group,) = self.groups
        offered = {"q", *group.names}
        return {name: value for name, value in self.used_values.items() if name not in offered}

    @property
    def describe_link_filters(self) -> str:
        """The filters set by links as text, with the names of owners."""
        return ", ".join(
            f"{'owner' if name == 'owner_id' else name} {_resolve_name(value)}"
            for name, value in self.link_filters.items()
        )


def _resolve_name(value: str) -> str:
    """Return the name of the member or organisation with that id, else the value."""
    wanted = parse_id(value)
    if wanted is None:
        return value
    found = (model.objects.filter(pk=wanted).first() for model in (Member, Organisation))
    return next((str(owner) for owner in found if owner), value)


def is_oldest_first(query: Mapping[str, str]) -> bool:
    """Return whether the list is a queue, sorted oldest first."""
    chosen = query.get("status") or ("" if query.get("q") else "Pending")
    return bool(query.get("view")) or chosen in {WithdrawalStatus.PENDING, "Returned"}
