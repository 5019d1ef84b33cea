"""Every filter of a list matches the same rows on its page and in its export."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from inspect import getsource
from typing import Any

import pytest
from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import QueryDict
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from config.back_office.exports import SOURCES
from exchange.admin.fields import AmountInput
from exchange.core.errors import InvalidRequest
from exchange.exports import admin as export_pages
from exchange.exports import lists, services, sources
from exchange.exports.admin import Exportable
from exchange.exports.sources import DateRange
from exchange.staff.models import StaffUser
from tests.config.back_office.test_lists import address_of, seed
from tests.environment.module_transaction import module_transaction
from tests.environment.view_caller import ViewCaller
from tests.factories.logins import sign_in
from tests.factories.staff import create_superuser

pytestmark = pytest.mark.django_db

PAGES: dict[type[Model], Any] = admin.site._registry
EXPORTED = {
    model._meta.label_lower: model for model, page in PAGES.items() if isinstance(page, Exportable)
}
# The file is a statement, whatever the list is in the order of.
OLDEST_FIRST = {"wallets.entry"}
QUICK = {"wallets.deposit", "wallets.entry", "wallets.withdrawal"}


def each(names: Iterable[str]) -> Any:
    """Parametrise by `names`; `make test` takes the lists of money that are read most."""
    return pytest.mark.parametrize(
        "name",
        [
            pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow])
            for name in sorted(names)
        ],
    )


@pytest.fixture(autouse=True)
def long_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show every row of a list on one page, as the file has it."""
    for model in EXPORTED.values():
        monkeypatch.setattr(PAGES[model], "list_per_page", 200)


@pytest.fixture(scope="module")
def user(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[StaffUser]:
    with module_transaction(django_db_blocker):
        seed()
        yield create_superuser("owner", password="x")


@pytest.fixture
def client(user: StaffUser) -> Client:
    client = Client()
    sign_in(client, user)
    return client


def choices_of(field: Any) -> list[str]:
    return [value for value, _ in field.choices if value]


def values_of(name: str, rows: list[Any], one: Any) -> Iterator[str]:
    """Yield values for a filter, with and without matches."""
    field = one.field
    if isinstance(field, forms.ChoiceField):
        yield from choices_of(field)
    elif isinstance(field, forms.DateField | forms.DateTimeField):
        for days in (-1, 0, 1):
            yield f"{timezone.now().date() + timedelta(days=days)}"
    elif isinstance(field, AmountInput):
        yield from ("0.01", "1000", "999999")
    elif name == "view":
        yield from (
            "awaiting_my_approval",
            "second_approval",
            "missing_details",
            "stuck",
            "nothing",
        )
    elif one.condition is None:
        of_rows = type(rows[0])._default_manager.filter(pk__in=[row.pk for row in rows]).order_by()
        held = of_rows.exclude(**{one.field_name: None}).values_list(one.field_name, flat=True)
        yield from map(str, held.distinct()[:3])
    else:
        yield from ("acme", "nobody", "a")


def listed(user: StaffUser, model: type[Model], query: str) -> list[Any]:
    """Return what the page lists, without its text."""
    request = RequestFactory().get(f"{address_of(model)}?{query}")
    request.user = user
    return [row.pk for row in PAGES[model].get_changelist_instance(request).result_list]


def exported(user: StaffUser, name: str, query: str) -> list[Any]:
    rows, _ = SOURCES[name].select(user, query, DateRange())
    return [row.pk for row in SOURCES[name].records(rows, query, DateRange())]


def test_lists_of_money_are_exported():
    assert sorted(EXPORTED) == [
        "credit.loan", "orders.trade", "wallets.account", "wallets.adjustingentry",
        "wallets.conversion", "wallets.deposit", "wallets.entry", "wallets.freeze",
        "wallets.payout", "wallets.receivable",
        "wallets.transfer", "wallets.treasurymovement", "wallets.wallettransfer",
        "wallets.withdrawal",
    ]  # fmt: skip


@each(EXPORTED)
@pytest.mark.one_in(3)
def test_each_filter_matches_the_same_rows_on_the_page_and_in_the_export(name, user):
    model = EXPORTED[name]
    page = PAGES[model]
    # Without a status only Pending withdrawals are listed.
    every = "status=all&" if name == "wallets.withdrawal" else ""
    rows = list(page.listed(user, QueryDict(every)).qs)
    assert rows
    queries = ["", every, "q=acme", f"q={rows[0].pk}", "q=%20", "q=1000", "o=0.-1", "o=99.x.-"]
    found = {}
    for key, one in page.listed(user, QueryDict("")).filters.items():
        values = list(values_of(key, rows, one)) if key != "q" else []
        assert values or key == "q", key
        asked = [f"{'' if key == 'status' else every}{key}={value}" for value in values]
        queries += asked
        found[key] = {len(exported(user, name, query)) for query in asked}
    for query in queries:
        on_page, in_file = listed(user, model, query), exported(user, name, query)
        if name in OLDEST_FIRST:
            on_page, in_file = sorted(on_page), sorted(in_file)
        assert on_page == in_file, query
    # Nearly every filter has a value with matches.
    assert {key for key, counts in found.items() if not any(counts)} <= {
        "age", "approvals", "closure", "decision", "due", "provider_status", "q",
    }  # fmt: skip


@each(EXPORTED)
def test_an_invalid_filter_matches_nothing_and_is_rejected_by_the_export(name, user, client):
    key, choice = next(
        (key, choices_of(one.field)[-1])
        for key, one in PAGES[EXPORTED[name]].listed(user, QueryDict("")).filters.items()
        if isinstance(one.field, forms.ChoiceField)
    )
    twice = f"{key}={choice}&{key}={choice}"
    days = ("day_from=0001-01-01", "day_to=9999-12-31", "day_from=yesterday")
    views = ViewCaller(client)
    shown = client.get(f"{address_of(EXPORTED[name])}?{twice}")
    assert "A filter is not valid, so no records are shown" in shown.content.decode()
    for query in ("secret__x=1", "pk__gte=0", "q=a%00", f"{key}=none_such", twice, *days):
        assert views.rows(EXPORTED[name], QueryDict(query)) == [], query
        with pytest.raises(InvalidRequest, match="The filter of the list is not valid"):
            exported(user, name, query)


@each(EXPORTED.keys() - OLDEST_FIRST)
def test_the_export_has_the_order_of_the_list(name, user):
    model = EXPORTED[name]
    every = "status=all&" if name == "wallets.withdrawal" else ""
    for column in range(len(PAGES[model].list_display)):
        for order in (f"o={column}", f"o=-{column}"):
            query = every + order
            assert listed(user, model, query) == exported(user, name, query), order


def test_an_oversized_query_is_rejected(user):
    for query in ("q=" + "a" * 4000, "&" * 101):
        with pytest.raises(InvalidRequest, match="The filter is too long"):
            exported(user, "wallets.deposit", query)


def test_no_request_is_created():
    for module in (lists, services, sources, export_pages):
        assert "HttpRequest(" not in getsource(module)
