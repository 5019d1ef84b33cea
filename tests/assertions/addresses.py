"""Addresses of the back office, each with a record of `tests.factories.every_record`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.urls import URLPattern, URLResolver

from tests.assertions.permission_matrix import MODELS
from tests.factories.every_record import EveryRecord

# What the box of suggestions for a member's organisation asks.
SUGGESTIONS = "?app_label=exchange&model_name=member&field_name=organisation&term=a"
HELP_PAGE = "withdrawal-review"


@dataclass(frozen=True)
class Address:
    """One address: its name in the tables, and where it leads with a record of the world."""

    name: str
    path: str


def patterns(urls: list[Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Name and whole pattern of every address."""
    for url in urls:
        if isinstance(url, URLResolver):
            yield from patterns(url.url_patterns, before + str(url.pattern))
        else:
            assert isinstance(url, URLPattern)
            yield named(url.name or "", before + str(url.pattern)), before + str(url.pattern)


def named(name: str, pattern: str) -> str:
    """What the tables call an address: those without a name by what they are."""
    if name:
        return name
    if pattern.endswith("/<path:object_id>/"):
        return f"{'_'.join(pattern.split('/')[:2])} by its id"
    return "anything else"


def addresses(every_record: EveryRecord) -> list[Address]:
    """Every address, about a record of `demo_records`."""
    return [
        Address(name, f"/admin/{filled(pattern, every_record)}")
        for name, pattern in patterns(admin.site.get_urls())
    ]


def filled(pattern: str, every_record: EveryRecord) -> str:
    """`pattern` with arguments."""
    if pattern.startswith("^"):
        return "wallets/"
    if pattern.startswith("("):
        return "no-such-page"
    if pattern == "autocomplete/":
        return f"{pattern}{SUGGESTIONS}"
    label = ".".join(pattern.split("/")[:2])
    given = {"uidb64": "MQ", "token": "x-y", "content_type_id": "1", "name": HELP_PAGE}
    if "<" in pattern and label.replace(".", "_") in MODELS:
        model = apps.get_model(label)
        given["object_id"] = record_of(model, every_record).pk
        if "proposal_id" in pattern:
            given["object_id"], given["proposal_id"] = every_record.proposals[model]
        if "record_id" in pattern:
            given["object_id"], given["record_id"] = every_record.proposals[model]
            given["kind"] = "deposit"
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(given.get(found[1], 1)), pattern)


def record_of(model: type[Model], every_record: EveryRecord) -> Any:
    """The record whose pages are opened."""
    found = every_record.records.get(model) or model._default_manager.first()
    assert found is not None, f"the world has no {model._meta.label}"
    return found
