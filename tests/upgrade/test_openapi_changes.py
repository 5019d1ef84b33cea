"""The API keeps what clients of the last release rely on; `make api-changes` prints changes."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.assertions.openapi import document_with_events
from tests.upgrade.openapi_changes import ACCEPTED, changes, refused, release_document

ORDERS = "/v1/orders"


def test_no_change_breaks_clients_of_the_last_release() -> None:
    found = changes(release_document(), document_with_events())
    print(*found, sep="\n")
    assert not refused(found), "\n".join(["", *map(str, refused(found))])


def test_every_accepted_change_is_one() -> None:
    breaking = [
        change for change in changes(release_document(), document_with_events()) if change.breaks
    ]
    assert len(refused(breaking)) == 0
    for pattern in ACCEPTED:
        kept = {each: why for each, why in ACCEPTED.items() if each != pattern}
        assert refused(breaking, kept), f"nothing is accepted by {pattern}"


def _order(found: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = found["components"]["schemas"]["Order"]
    return schema


def _body(found: dict[str, Any]) -> dict[str, Any]:
    reference = found["paths"][ORDERS]["post"]["requestBody"]["content"]["application/json"]
    schema: dict[str, Any] = found["components"]["schemas"][
        reference["schema"]["$ref"].rpartition("/")[2]
    ]
    return schema


def _parameter(found: dict[str, Any]) -> dict[str, Any]:
    return next(
        each for each in found["paths"][ORDERS]["get"]["parameters"] if each["name"] == "status"
    )


# What alters a copy of the document, what is said of it, and whether that breaks a client.
PLANTED: dict[str, tuple[Callable[[dict[str, Any]], object], str, bool]] = {
    "an operation goes": (
        lambda d: d["paths"][ORDERS].pop("post"),
        "POST /v1/orders: removed",
        True,
    ),
    "an operation comes": (
        lambda d: d["paths"].update({"/v1/new": {"get": {"responses": {}}}}),
        "GET /v1/new: added",
        False,
    ),
    "a parameter goes": (
        lambda d: d["paths"][ORDERS]["get"]["parameters"].remove(_parameter(d)),
        "GET /v1/orders query status: removed",
        True,
    ),
    "a parameter becomes required": (
        lambda d: _parameter(d).update(required=True),
        "GET /v1/orders query status: required",
        True,
    ),
    "a field of a record goes": (
        lambda d: _order(d)["properties"].pop("price"),
        "GET /v1/orders/{} 200 .data .price: removed",
        True,
    ),
    "a field of a record comes": (
        lambda d: _order(d)["properties"].update(news={"type": "string"}),
        "GET /v1/orders/{} 200 .data .news: added",
        False,
    ),
    "a field of a record is no longer sure": (
        lambda d: _order(d)["required"].remove("price"),
        "GET /v1/orders/{} 200 .data .price: optional",
        True,
    ),
    "a field of a record may be null": (
        lambda d: _order(d)["properties"].update(price={"type": ["number", "null"]}),
        "GET /v1/orders/{} 200 .data .price: null added",
        True,
    ),
    "a field of a body comes": (
        lambda d: _body(d)["properties"].update(news={"type": "string"}),
        "POST /v1/orders body .news: added",
        False,
    ),
    "a field of a body becomes required": (
        lambda d: (
            _body(d)["properties"].update(news={"type": "string"}),
            _body(d)["required"].append("news"),
        ),
        "POST /v1/orders body .news: added as required",
        True,
    ),
    "an amount has a lower limit": (
        lambda d: _body(d)["properties"].update(price={"type": "number", "maximum": 1}),
        "POST /v1/orders body .price: maximum",
        True,
    ),
    "an event goes": (lambda d: d["webhooks"].pop("order.created"), "event order.created", True),
    "a status goes": (
        lambda d: d["paths"][ORDERS]["post"]["responses"].pop("409"),
        "POST /v1/orders 409: removed",
        True,
    ),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_change_is_named(planted: str) -> None:
    alter, said, breaks = PLANTED[planted]
    altered = copy.deepcopy(document_with_events())
    alter(altered)
    found = changes(document_with_events(), altered)
    assert [change.breaks for change in found if said in str(change)] == [breaks], "\n".join(
        map(str, found)
    )
