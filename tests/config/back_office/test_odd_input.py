"""Addresses and forms of the back office with values that no page sends: never a fault.

A filter with such a value shows no rows, since people act on what a list shows.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django import forms
from django.contrib import admin
from django.db import transaction
from django.template.response import TemplateResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from config.books import WALLET_CHECKS
from exchange.admin.base import SafeAdmin
from exchange.core.models import Change
from exchange.staff.models import StaffUser
from tests.assertions.addresses import addresses
from tests.assertions.unchanged import assert_no_table_changes
from tests.config.back_office.role_answers import browser, undone
from tests.environment.view_caller import ViewCaller
from tests.factories.every_record import make_every_record
from tests.factories.staff import create_superuser
from tests.factories.tokens import make_token
from wallets.fees.models import Configuration
from wallets.ledger.proof import prove_and_store

pytestmark = pytest.mark.django_db

# Ends of the calendar, of the ids' time and of the accepted years, and what is no day.
DAYS = [
    *("0001-01-01", "1969-12-31", "1970-01-01", "1970-12-31", "1971-01-01", "9998-12-31"),
    *(
        "9999-01-01",
        "9999-12-31",
        "10000-01-01",
        "2026-02-29",
        "0000-00-00",
        "-1",
        "garbage",
        "\x00",
    ),
]
# One of them for forms whose fields others have.
TYPICAL = ["9999-12-31"]
# Pages without a form of their own, by the end of their name.
WITHOUT_FORM = ("changelist", "history", "delete", " by its id")
DATED = (forms.DateField, forms.DateTimeField, forms.SplitDateTimeField)
YEARS = ["0", "1", "1969", "9998", "9999", "10000", "-1", "9" * 20, "x", "\x00"]


@pytest.fixture
def client() -> Client:
    return browser(create_superuser("somebody"), raise_request_exception=False)


def pages() -> list[SafeAdmin]:
    found = [page for page in admin.site._registry.values() if isinstance(page, SafeAdmin)]
    assert len(found) > 30
    return found


def dated_filters(page: SafeAdmin) -> Iterator[tuple[str, list[str]]]:
    """Yield the parameters of a list that take days or years, with the values to try."""
    if not page.list_filter:
        for name, declared in page.filters.base_filters.items():
            if issubclass(getattr(declared, "field_class", forms.Field), forms.DateField):
                yield name, DAYS
        return
    request = RequestFactory().get("/")
    request.user = StaffUser.objects.get()
    for name in filter(None, page._filter_parameters(request)):
        if name.rpartition("__")[2] in {"year", "month", "day"}:
            yield name, YEARS
        elif name in {"from", "to"} or name.endswith(("__gte", "__lt")):
            yield name, DAYS


@pytest.mark.slow
# A day is one of UTC, and not one whose zone the database has to guess.
@pytest.mark.filterwarnings("error:.*received a naive datetime:RuntimeWarning")
def test_every_day_filter_of_every_list_takes_every_day(client):
    """The rows of each list, and its page for one value; of each kind of filter, for every one."""
    user, tried, kinds = StaffUser.objects.get(), 0, set()
    for page in pages():
        address = page.address("changelist")
        for name, values in dated_filters(page):
            for value in values:
                tried += 1
                request = RequestFactory().get(address, {name: value})
                request.user = user
                with transaction.atomic():
                    list(page.get_changelist_instance(request).result_list)
            kind = (bool(page.list_filter), values is DAYS)
            for value in TYPICAL if kind in kinds else values:
                assert client.get(address, {name: value}).status_code == 200, (address, value)
            kinds.add(kind)
    assert tried > 20 * len(DAYS)


def test_a_day_or_year_that_is_none_shows_and_exports_no_rows(client):
    prove_and_store(WALLET_CHECKS)
    make_token()
    changes, proofs, tokens = (
        reverse(f"admin:{name}_changelist")
        for name in ("exchange_change", "wallets_booksproof", "exchange_token")
    )
    days = ("2026-02-29", "garbage", "1969-12-31", "9999-12-31", "\x00")
    cases = [
        *((changes, name, day) for name in ("from", "to") for day in days),
        *((proofs, "ran_at__year", year) for year in ("9999", "10000", "x", "9" * 20)),
        *((tokens, name, day) for name in ("created_from", "created_to") for day in days),
    ]
    for address in (changes, proofs, tokens):
        assert client.get(address).context["cl"].result_count > 0
    for address, name, value in cases:
        shown = client.get(address, {name: value})
        assert shown.context["cl"].result_count == 0, (address, name, value)
    for day in days:
        file = client.get(reverse("admin:exchange_change_export"), {"from": day})
        assert len(b"".join(file.streaming_content).splitlines()) == 1
    all_days = {"from": "1971-01-01", "to": "9998-12-31"}
    assert client.get(changes, all_days).context["cl"].result_count == Change.objects.count()


def fields_of(page: str) -> dict[str, str]:
    """Return the fields of the forms of a page, with values that are accepted where possible."""
    found: dict[str, str] = {}
    for tag in re.findall(r"<input\b[^>]*>", page):
        attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        if attributes.get("type") not in {"radio", "checkbox"} or "checked" in tag:
            found[attributes.get("name", "")] = attributes.get("value", "")
    for name, body in re.findall(r'<select name="([^"]+)".*?>(.*?)</select>', page, re.DOTALL):
        found[name] = [*re.findall(r'<option value="([^"]+)"', body), ""][0]
    found |= dict.fromkeys(re.findall(r'<textarea name="([^"]+)"', page), "Because it is right")
    found.pop("", None)
    return found


def dated_forms(response: Any) -> tuple[type[forms.BaseForm], ...]:
    """Return the kinds of form with a day on a page that is not rendered yet."""
    context = (response.context_data or {}) if isinstance(response, TemplateResponse) else {}
    found = (getattr(each, "form", each) for each in context.values())
    return tuple(
        type(form)
        for form in found
        if isinstance(form, forms.BaseForm)
        and any(isinstance(field, DATED) for field in form.fields.values())
    )


@pytest.mark.slow
def test_every_form_with_a_day_takes_every_day(client, provider_sandbox):
    """Of forms of the same kind one takes every day, and the others take one."""
    every_record = make_every_record()
    views = ViewCaller(client)
    dates = re.compile(r'<input type="date" name="([^"]+)"')
    tried: set[str] = set()
    kinds: set[Any] = set()
    faults = []
    for address in addresses(every_record):
        if address.name.endswith(WITHOUT_FORM):
            continue
        shown = views.call("GET", address.path)
        kind = dated_forms(shown)
        page = shown.render().content.decode(errors="replace") if kind else ""
        names = dates.findall(page)
        if not names:
            continue
        tried.add(address.name)
        by_get = re.search(r'<form method="get"((?!</form>).)*<input type="date"', page, re.S)
        for day in TYPICAL if kind in kinds else DAYS:
            filled = fields_of(page) | dict.fromkeys(names, day)
            filled |= {name.replace("_0", "_1"): "23:59:59" for name in names if name[-2:] == "_0"}
            statuses = set()
            if by_get or day in TYPICAL:
                statuses.add(client.get(f"{address.path}?{urlencode(filled)}").status_code)
            if not by_get or day in TYPICAL:
                statuses.add(undone(client, address.path, filled).status_code)
            if max(statuses) >= 500:
                faults.append((address.path, day, statuses))
        kinds.add(kind)
    assert faults == []
    assert len(tried) > 24, tried
    assert len(kinds) > 8, kinds


def test_a_key_with_nul_is_no_record(client):
    views = ViewCaller(client)
    first, *_ = pages()
    for page in pages():
        base = page.address("changelist")
        for key in ("%00", "_00", "a%00b", "9" * 40, "-", "%FF"):
            # One method finds the record of all of them.
            others = ("", "history/", "propose/", "delete/")
            for end in ("change/", *(others if key == "%00" or page is first else ())):
                response = views.call("GET", f"{base}{key}/{end}")
                assert response.status_code < 500, (base, key, end)
    key = Configuration.objects.values_list("pk", flat=True)[0]
    for odd in ("%00", "_00", f"{key}%00"):
        shown = client.get(f"{reverse('admin:wallets_configuration_changelist')}{odd}/change/")
        assert shown.status_code == 302  # to the dashboard: Django's answer to an unknown record


def test_a_record_by_a_field_that_is_not_named_is_that_of_its_key(client):
    key = Configuration.objects.values_list("pk", flat=True)[0]
    address = reverse("admin:wallets_configuration_change", args=[key])
    assert client.get(address, {"_to_field": ""}).status_code == 200
    assert client.get(address, {"_to_field": "value"}).status_code == 400


def test_a_selection_that_is_no_key_is_refused(client):
    address = reverse("admin:wallets_withdrawal_changelist")
    with assert_no_table_changes():
        for selected in ("x", "", "\x00", "9" * 40, "[]"):
            action = "approve_selected"
            response = client.post(
                address, {"action": action, "index": "0", "_selected_action": selected}
            )
            assert response.status_code == 400


def test_facts_that_the_page_did_not_send_confirm_nothing(client):
    key = Configuration.objects.values_list("pk", flat=True)[0]
    address = reverse("admin:wallets_configuration_propose", args=[key])
    filled = fields_of(client.get(address).content.decode()) | {"value": "7"}
    deep = ("[" * 3000, '{"a":' * 3000)
    with assert_no_table_changes():
        for seen in ('{"a": "\\ud800"}', *deep, "{}x", '{"a": 1}', "null", "\x00", "[]"):
            response = client.post(address, filled | {"seen": seen})
            assert (response.status_code, "seen" in response.context) == (200, True), seen
