"""Links lead where the role may go: every page of every role is walked, and every link followed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.test import Client
from django.urls import resolve, reverse

from config.roles import ROLES
from tests.factories.back_office import signed_in
from tests.factories.every_record import make_every_record

pytestmark = pytest.mark.django_db

ROWS_OF_A_LIST = 3


def links(body: str) -> set[str]:
    """Addresses of the back office that a page links to; its buttons post, and are no links."""
    found = {unescape(link) for link in re.findall(r'<a\b[^>]*\bhref="([^"#]+)', body)}
    return {link for link in found if link.startswith("/admin/")}


def text(shown: Any) -> str:
    return str(shown.content.decode())


def kind_of(link: str) -> tuple[str, tuple[str, ...]]:
    """Links of one kind ask for the same permission: the same page, narrowed by the same."""
    parts = urlsplit(link)
    return resolve(parts.path).view_name, tuple(sorted(parse_qs(parts.query)))


def pages(client: Client) -> dict[str, Any]:
    """Every page the role may open: the front, lists, what adds to them, and some of their records
    with whatever leads on from there to a page of the same record.
    """
    found: dict[str, Any] = {}
    for address in addresses(found):
        if address not in found:
            shown = client.get(address)
            found[address] = None if shown.status_code != 200 or shown.streaming else shown
    return {address: shown for address, shown in found.items() if shown}


def addresses(found: dict[str, Any]) -> Iterator[str]:
    """What to look at next, by what was `found` so far."""
    yield reverse("admin:index")
    yield reverse("admin:help")
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        for page in ("changelist", "add"):
            yield reverse(f"{name}_{page}")
        for row in model._default_manager.order_by("-pk")[:ROWS_OF_A_LIST]:
            record = reverse(f"{name}_change", args=[quote(row.pk)])
            yield record
            if shown := found[record]:
                own = record.removesuffix("change/")
                yield from (link for link in links(text(shown)) if link.startswith(own))


@pytest.mark.parametrize("role", list(ROLES))
def test_no_page_has_a_link_that_its_reader_may_not_follow(role):
    make_every_record()
    client = signed_in(role)
    followed: dict[tuple[str, tuple[str, ...]], int] = {}
    refused = []
    walked = pages(client)
    for page, shown in walked.items():
        for link in links(text(shown)):
            kind = kind_of(link)
            if kind not in followed:
                followed[kind] = client.get(link).status_code
            if followed[kind] not in {200, 302}:
                refused.append(f"{link} ({followed[kind]}) on {page}")
    assert not refused, "\n".join(refused)
    assert len(walked) > 60
    assert len(followed) > 60
