"""Filters and search of the withdrawals' list: one form above it, and the saved views.

The form is plain GET, so that every state of the list has an address; a filter that cannot be read
shows nothing rather than everything, because people act on what a list shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from exchange.admin.base import staff_of
from exchange.core.currencies import payout_currencies
from exchange.core.ids import parse_id
from exchange.exports.lists import filter_in_words
from exchange.participants.models import Member, Organisation
from wallets.withdrawals.admin.show import RETURNED
from wallets.withdrawals.admin.worklists import (
    Worklist,
    incomplete,
    returned,
    second_approval,
    waiting,
    worklists_for,
)
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.finding import found_by

EVERY = "all"
_ANY = ("", "Any")
_AGES = {
    "1h": timedelta(hours=1),
    "4h": timedelta(hours=4),
    "24h": timedelta(hours=24),
    "3d": timedelta(days=3),
}
# What the links of a member or an organisation narrow the list by.
_OWNER = "owner_id"
_FIRST = ("status", "currency__code__exact", "age")


def _amount(label: str) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        required=False,
        min_value=0,
        max_digits=24,
        decimal_places=8,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "size": 12}),
    )


def _day(label: str) -> forms.DateField:
    return forms.DateField(
        label=label, required=False, widget=forms.DateInput(attrs={"type": "date"})
    )


class NarrowingForm(forms.Form):
    """What the list can be narrowed by."""

    view = forms.CharField(required=False, widget=forms.HiddenInput)
    status = forms.ChoiceField(
        required=False,
        choices=[(EVERY, "All"), *WithdrawalStatus.choices, ("Returned", RETURNED)],
    )
    currency__code__exact = forms.ChoiceField(label="Currency", required=False)
    owner_model = forms.ChoiceField(
        label="Wallet of",
        required=False,
        choices=[_ANY, ("organisation", "Organisation"), ("user", "Member")],
    )
    owner = forms.CharField(label="Owner's name", required=False, max_length=200)
    organisation = forms.CharField(label="Organisation's name", required=False, max_length=200)
    amount_from = _amount("Amount from")
    amount_to = _amount("Amount to")
    created_from = _day("Asked for from")
    created_to = _day("Asked for until")
    age = forms.ChoiceField(
        label="Older than",
        required=False,
        choices=[_ANY, ("1h", "1 hour"), ("4h", "4 hours"), ("24h", "24 hours"), ("3d", "3 days")],
    )
    approvals = forms.ChoiceField(
        required=False,
        choices=[_ANY, ("first", "Waits for the first"), ("second", "Waits for the second"),
                 ("two", "Needs two")],
    )  # fmt: skip
    details = forms.ChoiceField(
        label="Payout details",
        required=False,
        choices=[_ANY, ("missing", "Something missing"), ("complete", "Complete")],
    )

    def __init__(self, default: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["status"].choices = [  # type: ignore[attr-defined]
            ("", default),
            *self.fields["status"].choices,  # type: ignore[attr-defined]
        ]
        self.fields["currency__code__exact"].choices = [  # type: ignore[attr-defined]
            _ANY,
            *((code, code) for code in payout_currencies()),
        ]

    def conditions(self) -> Iterator[Q]:
        """What the filled-in fields ask for, apart from view and status."""
        for name, condition in _CONDITIONS.items():
            chosen = self.cleaned_data[name]
            if chosen not in ("", None):
                yield condition(chosen)


_APPROVALS = {
    "first": Q(status=WithdrawalStatus.PENDING, first_approver=None),
    "second": second_approval(),
    "two": Q(approvals_needed=2),
}


def _of_organisation(name: str) -> Q:
    named = Organisation.objects.filter(name__icontains=name)
    return Q(organisation__in=named.values("pk"))


def owned_by(name: str) -> Q:
    """Withdrawals from wallets of members or organisations whose name contains `name`."""
    members = Member.objects.filter(name__icontains=name).values("pk")
    firms = Organisation.objects.filter(name__icontains=name).values("pk")
    return Q(member__in=members) | Q(member__isnull=True, organisation__in=firms)


_CONDITIONS: dict[str, Callable[[Any], Q]] = {
    "currency__code__exact": lambda code: Q(currency=code),
    "owner_model": lambda model: Q(member__isnull=model == "organisation"),
    "owner": owned_by,
    "organisation": _of_organisation,
    "amount_from": lambda amount: Q(amount__gte=amount),
    "amount_to": lambda amount: Q(amount__lte=amount),
    "created_from": lambda day: Q(created_at__gte=datetime.combine(day, time.min, UTC)),
    "created_to": lambda day: Q(created_at__lte=datetime.combine(day, time.max, UTC)),
    "age": lambda age: Q(created_at__lt=timezone.now() - _AGES[age]),
    "approvals": lambda which: _APPROVALS[which],
    "details": lambda which: incomplete() if which == "missing" else ~incomplete(),
}


class Narrowing(admin.ListFilter):
    """All filters of the list together; the list's template draws them."""

    title = "filters"

    def __init__(
        self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any
    ) -> None:
        super().__init__(request, params, model, model_admin)
        self._user = staff_of(request)
        given = {name: params.pop(name)[-1] for name in NarrowingForm.base_fields if name in params}
        self.used_parameters = given
        self.others = {name: values[-1] for name, values in params.items()}
        self.searching = request.GET.get("q", "")
        self.view = next((v for v in worklists_for(self._user) if v.key == given.get("view")), None)
        default = "Any in this view" if self.view else "Any" if self.searching else "Pending"
        self.form = NarrowingForm(default, given)
        self.valid = self.form.is_valid()

    def has_output(self) -> bool:
        """Always in force: without a choice the Pending ones are shown."""
        return True

    def expected_parameters(self) -> list[str | None]:
        """The names of the form's fields."""
        return list(NarrowingForm.base_fields)

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        """None to click on: the form stands above the list."""
        return iter(())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows that the form, the view and the search leave."""
        if not self.valid:
            return queryset.none()
        status = self.form.cleaned_data["status"]
        if not status and self.view is None and not self.searching:
            status = WithdrawalStatus.PENDING
        if status == "Returned":
            queryset = queryset.filter(returned())
        elif status and status != EVERY:
            queryset = queryset.filter(status=status)
        if self.view is not None:
            queryset = queryset.filter(self.view.rows(self._user))
        for condition in self.form.conditions():
            queryset = queryset.filter(condition)
        return queryset

    @cached_property
    def views(self) -> list[tuple[Worklist, int, bool]]:
        """The saved views: each with how many wait there, and whether it is the one shown."""
        counts = waiting(self._user)
        return [(one, counts[one.key], one is self.view) for one in worklists_for(self._user)]

    @property
    def first_fields(self) -> list[forms.BoundField]:
        """The filters that always show."""
        return [self.form[name] for name in _FIRST]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """The others, folded away while none of them is used."""
        return [field for field in self.form.visible_fields() if field.name not in _FIRST]

    @property
    def more_used(self) -> bool:
        """Whether one of the others narrows the list."""
        return any(self.used_parameters.get(field.name) for field in self.more_fields)

    @property
    def others_in_words(self) -> str:
        """What else narrows the list: whose wallet, by the name."""
        return ", ".join(
            f"{'wallet of' if name == _OWNER else name} {_owner_called(value)}"
            for name, value in self.others.items()
        )

    @property
    def plain(self) -> bool:
        """Whether the list is as it opens."""
        return not (any(self.used_parameters.values()) or self.searching or self.others)


def _owner_called(value: str) -> str:
    """The member or organisation of that id by name; any other value as it is."""
    wanted = parse_id(value)
    if wanted is None:
        return value
    found = (model.objects.filter(pk=wanted).first() for model in (Member, Organisation))
    return next((str(owner) for owner in found if owner), value)


def oldest_first(request: HttpRequest) -> bool:
    """Whether the list is one to work through, so that what waits longest stands first."""
    chosen = request.GET.get("status") or ("" if request.GET.get("q") else "Pending")
    return bool(request.GET.get("view")) or chosen in {WithdrawalStatus.PENDING, "Returned"}


def narrowing_in_words(listed: Any) -> str:
    """The filter in force; without a choice the list, and so its file, is of the Pending ones."""
    words = filter_in_words(listed)
    if listed.params.get("status") or listed.params.get("view") or listed.query:
        return words
    return "; ".join(filter(None, ("status: Pending", words)))


def search(rows: QuerySet[Withdrawal], term: str) -> QuerySet[Withdrawal]:
    """`rows` that `term` finds; all of them for an empty one."""
    return rows.filter(found_by(term.strip())) if term.strip() else rows
