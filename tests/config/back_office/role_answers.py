"""What the permission tests ask of addresses of the back office, and how they read the answers."""

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest
from django.db import transaction
from django.test import Client
from pytest_django import DjangoDbBlocker

from exchange.staff.models import StaffUser
from tests.assertions.permission_matrix import LEAD_ON, ONLY_POST, Expected
from tests.environment.module_transaction import module_transaction
from tests.factories.every_record import PASSWORD, EveryRecord, make_every_record
from tests.factories.logins import sign_in
from tests.factories.staff import create_staff

# No one finds these, and only auditors the export of another person.
FOUND_BY_NO_ONE = {"anything else", "view_on_site"}
FOUND_BY_AUDITORS = {
    f"exchange_export_{page}" for page in ("change", "download", "history", "progress")
}
SIGN_IN_REDIRECTS = ("/admin/login/", "/admin/second-factor/enrol/")


@pytest.fixture(scope="module")
def records_of_the_module(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[EveryRecord]:
    with module_transaction(django_db_blocker):
        yield make_every_record()


@pytest.fixture
def every_record(records_of_the_module: EveryRecord, provider_sandbox: Any) -> EveryRecord:
    return records_of_the_module


def person(role: str) -> StaffUser:
    return create_staff(role.lower().replace(" ", "-"), PASSWORD, role)


def browser(user: StaffUser | None, *, second_factor: bool = True, **more: Any) -> Client:
    """A browser in which `user`, if anybody, is signed in."""
    client = Client(**more)
    if user is not None:
        sign_in(client, user, second_factor=second_factor)
    return client


def content(response: Any) -> str:
    """What was answered, files included."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return body.decode(errors="replace")


def kept_out(response: Any) -> bool:
    """Return whether the response is the sign-in page, or redirects to it or to a code."""
    if getattr(response, "template_name", "") == "admin/signin/password.html":
        return True
    return bool(response.status_code == 302 and response["Location"].startswith(SIGN_IN_REDIRECTS))


def outcome(response: Any) -> str:
    """Return the answer in a word."""
    if kept_out(response):
        return "to sign-in"
    words = {200: "page", 302: "redirect", 403: "forbidden", 405: "no such method"}
    return words.get(response.status_code, f"error {response.status_code}")


def undone(client: Client, path: str, data: dict[str, Any]) -> Any:
    """The answer to a POST whose work is undone afterwards."""
    with transaction.atomic():
        response = client.post(path, data)
        transaction.set_rollback(True)
    return response


def revealed(every_record: EveryRecord, text: str) -> list[str]:
    """Which secrets of `demo_records` are in `text`."""
    return [what for what, secret in every_record.secrets.items() if secret and secret in text]


def in_part(letter: str, name: str) -> bool:
    """Return whether an address is of the third that the role asks in `make test`."""
    return crc32(f"{letter} {name}".encode()) % 3 == 0


def wanted(name: str, expected: Expected, method: str, letter: str) -> set[str]:
    """Answers that are right."""
    if method == "GET" and expected.viewers == ONLY_POST:
        return {"no such method"}
    allowed = expected.viewers if method == "GET" else expected.actors
    if letter in allowed:
        if name in FOUND_BY_NO_ONE or (name in FOUND_BY_AUDITORS and letter != "A"):
            return {"error 404"}
        if name.endswith((" by its id", "_next", "_previous")) or name in LEAD_ON:
            return {"redirect"}
        return {"page"} if method == "GET" else {"page", "redirect"}
    # Pages without actions may accept no POST at all.
    return {"forbidden"} if allowed or method == "GET" else {"forbidden", "no such method"}
