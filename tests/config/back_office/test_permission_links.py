"""No page of the back office has a link that its reader may not follow, and none shows a secret."""

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.test import Client
from django.urls import resolve, reverse

from exchange.staff.models import StaffUser
from tests.assertions.addresses import addresses
from tests.assertions.permission_matrix import OUTSIDE, PAGES, ROLE_OF, Expected, expectations
from tests.config.back_office.role_answers import (
    browser,
    content,
    every_record,
    in_part,
    outcome,
    person,
    records_of_the_module,
    revealed,
    wanted,
)
from tests.factories.every_record import EveryRecord
from tests.factories.exports import file_bytes, read_xlsx

__all__ = ["every_record", "records_of_the_module"]

pytestmark = pytest.mark.django_db

# Of each list so many records more are opened: their states differ, and so do the links.
ROWS_OF_A_LIST = 3


def refused_links(response: Any, letter: str, table: dict[str, Expected]) -> set[str]:
    """Links of a page to pages of the back office that the role of `letter` may not look at."""
    if response.status_code != 200 or response.streaming:
        return set()
    # Its buttons post, and are no links.
    found = re.findall(r'<a\b[^>]*\bhref="(/admin/[^"#]*)', content(response))
    allowed = OUTSIDE | readable(letter, table)
    return {link for link in found if name_of(urlsplit(unescape(link)).path) not in allowed}


@cache
def name_of(path: str) -> str | None:
    """The name of an address; every page has the same hundred links at its side."""
    return resolve(path).url_name


def readable(letter: str, table: dict[str, Expected]) -> set[str]:
    """Names of the addresses that a role may look at."""
    return {name for name, expected in table.items() if letter in expected.viewers}


def records(client: Client) -> Iterator[tuple[str, Any]]:
    """Pages of the first records of every list, with what leads on from there to the record."""
    for model in admin.site._registry:
        for row in model._default_manager.order_by("-pk")[:ROWS_OF_A_LIST]:
            page = reverse(
                f"admin:{model._meta.app_label}_{model._meta.model_name}_change",
                args=[quote(row.pk)],
            )
            shown = client.get(page)
            yield page, shown
            own = re.escape(page.removesuffix("change/"))
            for link in set(re.findall(rf'<a\b[^>]*\bhref="({own}[^"#]+)', content(shown))) - {
                page
            }:
                yield link, client.get(unescape(link))


@pytest.mark.slow
def test_no_record_has_a_link_that_its_reader_may_not_follow(every_record):
    """Of records in other states than those of the table, with the role that decides most."""
    letter, table = "F", expectations()
    client = browser(person(ROLE_OF[letter]))
    shown = dict(records(client))
    refused = {page: refused_links(response, letter, table) for page, response in shown.items()}
    assert {page: links for page, links in refused.items() if links} == {}
    # Exports of others return 404; no page links to them.
    lost = {
        page
        for page, response in shown.items()
        if response.status_code not in {200, 302} and not page.endswith("/change/")
    }
    assert lost == set()
    assert len(shown) > 60


def wrong_pages(letter: str, every_record: EveryRecord, names: set[str]) -> dict[str, Any]:
    """Return what is wrong with the whole pages of `names` for the role of `letter`."""
    table = expectations()
    client = browser(person(ROLE_OF[letter]))
    wrong: dict[str, Any] = {}
    for address in addresses(every_record):
        if address.name not in names:
            continue
        response = client.get(address.path)
        leaked = revealed(every_record, content(response))
        dead = refused_links(response, letter, table)
        fine = outcome(response) in wanted(address.name, table[address.name], "GET", letter)
        if leaked or dead or not fine:
            wrong[address.name] = (response.status_code, leaked, dead)
    return wrong


@pytest.mark.slow
def test_a_part_of_the_pages_links_only_to_what_its_reader_may_open(every_record):
    """For the role that decides most."""
    names = {name for name in readable("F", expectations()) if in_part("F", name)}
    assert len(names) > 40
    assert wrong_pages("F", every_record, names) == {}


@pytest.mark.slow
@pytest.mark.parametrize("letter", ROLE_OF)
def test_each_page_links_only_to_what_its_reader_may_open_and_shows_no_secret(letter, every_record):
    """Every page that the role may read."""
    assert wrong_pages(letter, every_record, readable(letter, expectations())) == {}


def test_no_file_holds_a_secret(every_record):
    client = browser(StaffUser.objects.get(username="owner"))
    files = [name for name in PAGES if name.endswith("_export")]
    assert len(files) == 16
    for address in addresses(every_record):
        if address.name not in files or address.name == "exchange_change_export":
            continue
        for form in ("csv", "xlsx"):
            query = f"?form={form}" if "reconciliation" in address.name else ""
            response = client.post(f"{address.path}{query}", {"form": form})
            data = file_bytes(response)
            text = data.decode() if form == "csv" else str(read_xlsx(data))
            assert revealed(every_record, text) == [], address.name
    export = reverse("admin:exchange_change_export")
    assert client.get(f"{export}?no_such_column=1").status_code == 400
    audit = content(client.get(export))
    assert audit.count("\n") > 50
    assert "(hidden)" in audit
    assert revealed(every_record, audit) == []
