"""An exportable list, and exports in any status."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from config.back_office.exports import SOURCES
from config.back_office.roles import AUDITOR
from exchange.core.errors import InvalidRequest
from exchange.exports import services as exports
from exchange.exports.models import Export
from exchange.exports.sheets import SheetColumn
from exchange.exports.sources import DateRange, Source
from exchange.participants.models import Organisation
from exchange.staff.models import StaffUser
from tests.factories.logins import create_login_user

NAME = "tests.organisation"


def select(_user: StaffUser, query: str, _span: DateRange) -> tuple[Any, str]:
    if query == "bad":
        raise InvalidRequest("There is no such filter")
    return Organisation.objects.order_by("name"), f"Filter: {query}"


SOURCE = Source(
    name=NAME,
    title="All Organisations",
    permission="exchange.view_organisation",
    columns=[SheetColumn("Name", lambda row: row.name)],
    select=select,
    records=lambda rows, _query, _span: iter(rows),
)


@pytest.fixture
def user() -> StaffUser:
    return create_login_user(AUDITOR)


@pytest.fixture(autouse=True)
def source(monkeypatch: Any) -> None:
    monkeypatch.setitem(SOURCES, NAME, SOURCE)


def with_records(monkeypatch: Any, records: Any) -> None:
    monkeypatch.setitem(SOURCES, NAME, replace(SOURCE, records=records))


def organisations(count: int) -> None:
    Organisation.objects.bulk_create(
        Organisation(name=f"Owner {n:06}", email=f"{n}@owner.example") for n in range(count)
    )


def start(user: StaffUser, **values: Any) -> tuple[Export, Any]:
    defaults: dict[str, Any] = {"source": NAME, "query": "", "span": DateRange(), "form": "csv"}
    return exports.start_export(**defaults | values, user=user)


def create_export(user: StaffUser, **values: Any) -> Export:
    """Create an export in any status, later than those before it."""
    defaults: dict[str, Any] = {
        "source": NAME, "title": "All Organisations", "form": "csv", "file_name": "x.csv",
        "requested_by": user, "about_rows": 0, "created_at": timezone.now(),
    }  # fmt: skip
    return Export.objects.create(**defaults | values)


def states() -> list[tuple[str, int, str]]:
    """Return status, attempts and error of every export, oldest first."""
    rows = Export.objects.order_by("created_at", "id")
    return list(rows.values_list("status", "attempts", "error"))


def in_order(*moments: datetime | None) -> bool:
    """Return whether no moment is missing or earlier than the previous one."""
    found = [moment for moment in moments if moment is not None]
    return len(found) == len(moments) and found == sorted(found)
