"""What a list may be filtered, searched and ordered by: what it declares, and never a secret.

A list tells by its length what a hidden column contains, so every page is held against every column
of its model and of the models next to it.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.http import QueryDict
from django.test import RequestFactory
from django.urls import reverse

from config.back_office.roles import AUDITOR, BACK_OFFICE
from exchange.admin.base import SafeAdmin
from exchange.admin.list_filters import ListFilters
from exchange.core.fields import EncryptedTextField
from exchange.events.services.endpoints import set_endpoint
from exchange.staff.models import AccessEvent, StaffUser
from exchange.staff.services.access_records import record_access_event
from tests.assertions.audited_columns import AUDITED
from tests.assertions.endpoints import api_endpoints
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.back_office import signed_in_client, user_of
from tests.factories.staff import create_staff, create_superuser

pytestmark = pytest.mark.django_db

# The lookups of the lists that use Django's filters; every other list has a `ListFilters`.
DECLARED = {
    "exchange_accessrecord": "event__exact event__isnull user",
    "exchange_change": "who operation__exact operation__isnull table from to",
    "exchange_export": "status__exact status__isnull form__exact form__isnull source"
    " source__isnull created_at__gte created_at__lt",
    "exchange_organisation": "active__exact active__isnull",
    "exchange_staffuser": "is_active__exact is_active__isnull groups__id__exact groups__isnull",
    "exchange_webhookendpoint": "enabled__exact enabled__isnull organisation",
    "orders_order": "status__exact status__isnull type__exact type__isnull owner_model__exact"
    " owner_model__isnull token__currency__code__exact token__currency__isnull created_at__gte"
    " created_at__lt",
    "wallets_alert": "resolved_at__isempty kind kind__isnull",
    "wallets_booksproof": "passed__exact passed__isnull incremental__exact incremental__isnull"
    " ran_at__year ran_at__month ran_at__day",
    "wallets_reconciliation": "status__exact status__isnull day__gte day__lt day__year day__month"
    " day__day",
}
LOOKUPS = ("", "__startswith", "__contains", "__gt", "__in", "__isnull", "__exact", "__regex")
# Columns whose content no one may learn, by name; encrypted and hidden ones are checked below.
SECRET = re.compile(
    r"password|secret|session_epoch|code_hash|body_hash|username_hash|^token$|token_checksum"
    r"|^session_(key|data)$"
)


def pages() -> Iterator[tuple[str, SafeAdmin]]:
    for model, page in admin.site._registry.items():
        assert isinstance(page, SafeAdmin)
        yield f"{model._meta.app_label}_{model._meta.model_name}", page


def lookups_near(model: type[Model]) -> Iterator[str]:
    """Yield lookups of the columns of `model`, and some of every model that a relation leads to."""
    yield from ("pk", "pk__startswith", "no_such_column")
    for field in model._meta.get_fields(include_hidden=True):
        name = field.name if hasattr(field, "column") else getattr(field, "name", "")
        for lookup in LOOKUPS:
            yield f"{name}{lookup}"
            yield f"{getattr(field, 'attname', name)}{lookup}"
        related: Any = field.related_model
        if related is not None:
            for other in related._meta.get_fields():
                yield f"{name}__{other.name}"
                yield f"{name}__{other.name}__startswith"


def taken_by(filters: ListFilters, lookups: set[str]) -> set[str]:
    """Return those of `lookups` that the address of the list may name."""
    taken = set()
    for lookup in lookups:
        filters.query = QueryDict(f"{lookup}=")
        if filters.is_valid():
            taken.add(lookup)
    return taken


def test_a_list_is_filtered_by_what_it_declares_and_by_no_other_column():
    request = RequestFactory().get("/")
    request.user = create_superuser("owner", password="x")
    # Django reads a column alone as `exact`.
    expected = {
        name: {*lookups.split(), *(one.removesuffix("__exact") for one in lookups.split())}
        for name, lookups in DECLARED.items()
    }
    allowed: dict[str, set[str]] = {}
    for name, page in pages():
        tried = set(lookups_near(page.model))
        if not page.list_filter:
            declared = set(page.filters.base_filters)
            filters = page.listed(request.user, QueryDict())
            assert taken_by(filters, tried | declared) == declared, name
            continue
        tried |= expected[name]
        allowed[name] = {one for one in tried if page.lookup_allowed(one, "x", request)}
    assert allowed == expected


def test_an_auditor_learns_no_password_secret_or_factor_from_the_length_of_a_list(auditor):
    set_endpoint(
        organisation_id=make_organisation().pk,
        url="https://hooks.example.com/",
        actor=TESTER,
    )
    users = reverse("admin:exchange_staffuser_changelist")
    endpoints = reverse("admin:exchange_webhookendpoint_changelist")
    assert auditor.get(users, {"is_active__exact": "1"}).context["cl"].result_count == 1
    known = user_of(auditor).password[:12]
    for address, lookup, value in (
        (users, "password__startswith", known),
        (users, "password__startswith", "x"),
        (users, "password", user_of(auditor).password),
        (users, "session_epoch__gte", "0"),
        (users, "second_factor__secret__startswith", "g"),
        (users, "recovery_codes__code_hash__startswith", "0"),
        (users, "is_active__exact__startswith", "T"),
        (users, "groups__permissions__codename", "view_change"),
        (endpoints, "secret__startswith", "g"),
        (endpoints, "previous_secret", ""),
        (endpoints, "organisation__api_keys__client_secret__startswith", "pbkdf2"),
    ):
        for extra in ({}, {"_facets": "True"}, {"q": "a"}, {"_popup": "1"}):
            assert auditor.get(address, {lookup: value, **extra}).status_code == 400, lookup


def test_links_and_filters_of_the_lists_still_narrow_them(auditor):
    other = create_staff("ada", "correct horse battery", BACK_OFFICE)
    for user, address in ((other, "192.0.2.1"), (other, "192.0.2.2"), (user_of(auditor), "::1")):
        record_access_event(event=AccessEvent.SIGNED_OUT, user=user, address=address)

    def count(name: str, **query: Any) -> int:
        page = auditor.get(reverse(f"admin:{name}_changelist"), query)
        return int(page.context["cl"].result_count)

    assert count("exchange_accessrecord", user=other.pk, event__exact="signed_out") == 2
    assert count("exchange_staffuser", groups__id__exact=other.groups.get().pk) == 1
    assert count("exchange_staffuser", is_active__exact=0) == 0


def test_no_list_is_ordered_searched_or_filtered_by_a_secret():
    used: list[str] = []
    request = RequestFactory().get("/")
    request.user = create_superuser("owner", password="x")
    for name, page in pages():
        fields = {field.name for field in page.opts.fields}
        orders = [
            str(one)
            if one in fields
            else getattr(getattr(page, str(one), None), "admin_order_field", None) or ""
            for one in page.list_display
        ]
        filters = [one[0] if isinstance(one, tuple) else one for one in page.list_filter]
        used += [
            f"{name}.{column}"
            for column in (
                *orders, *filters, *page.search_fields, *page.id_fields, *page.text_fields,
                *page.amount_fields, *page.get_fields(request), *(page.ordering or ()),
                *(one.field_name or "" for one in page.filters.base_filters.values()),
            )
            if SECRET.search(str(column).rpartition("__")[2].lstrip("=^-"))
        ]  # fmt: skip
    # When the previous secret stops working, not the secret.
    assert used == ["exchange_webhookendpoint.previous_secret_until"]


def test_no_list_of_the_api_is_sorted_or_filtered_by_a_secret():
    used: dict[str, set[str]] = {}
    for endpoint in api_endpoints():
        if endpoint.plural is None:
            continue
        filters = getattr(endpoint.viewset.filterset_class, "base_filters", {})
        used[endpoint.path] = {
            *endpoint.viewset.sort_fields.values(),
            *(str(one.field_name or name) for name, one in filters.items()),
        }
    assert used["/v1/api/members"] >= {"created_at", "updated_at", "name", "email"}
    assert not {
        f"{path} {column}"
        for path, columns in used.items()
        for column in columns
        if SECRET.search(column.rpartition("__")[2]) and column != "token"
    }


def test_suggestions_need_the_right_to_see_the_records_and_search_no_secret(auditor):
    create_staff("ada", "correct horse battery", AUDITOR)
    secret = StaffUser.objects.get(username="ada").password[:10]
    asked = {"app_label": "exchange", "model_name": "accessrecord", "field_name": "user"}
    address = reverse("admin:autocomplete")
    assert signed_in_client(BACK_OFFICE).get(address, {**asked, "term": "ada"}).status_code == 403
    found = auditor.get(address, {**asked, "term": "ada"}).json()["results"]
    assert [one["text"] for one in found] == ["ada"]
    assert auditor.get(address, {**asked, "term": secret}).json()["results"] == []
    narrowed = {**asked, "term": "", "password__startswith": "x"}
    assert len(auditor.get(address, narrowed).json()["results"]) == 3


def test_the_secret_columns_are_known_by_name():
    encrypted = {
        field.name
        for model in apps.get_models()
        for field in model._meta.fields
        if isinstance(field, EncryptedTextField)
    }
    hidden = {name for table in AUDITED.values() for name in table.hidden.split()}
    assert encrypted == {"secret", "previous_secret"}
    # Personal, not secret: only the log of changes leaves its value out.
    hidden.remove("tax_id")
    assert not {name for name in encrypted | hidden if not SECRET.search(name)}
