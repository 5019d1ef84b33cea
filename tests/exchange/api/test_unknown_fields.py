"""Unknown fields of a body: what is named, and what counts as a misspelling."""

from typing import Any

import pytest
from rest_framework.serializers import CharField, Serializer

from exchange.api.serializers import LeanSerializer
from exchange.api.unknown_fields import find_unknown_fields, ignored_header


class Payer(LeanSerializer):
    """A nested body."""

    name = CharField()
    note = CharField(required=False, default="")


class Body(LeanSerializer):
    """A body with required, optional and nested fields."""

    amount = CharField()
    client_reference = CharField(required=False, default=None)
    payer = Payer(required=False, default=None)
    others = Payer(many=True, required=False, default=None)


class Changes(Serializer[Any]):
    """A body that is not lean."""

    name = CharField(required=False)


def unknown(data: Any, serializer: Any = Body) -> list[tuple[str, str]]:
    return list(find_unknown_fields(serializer(data=data), data))


@pytest.mark.parametrize(
    "name",
    [
        "client_refernce",  # a letter left out
        "client_referrence",  # one added
        "client_referense",  # one changed
        "client_refreence",  # two changed places
        "clientreferense",
        "ClientReference",
        "client_referen",
        "client_references2",
    ],
)
def test_up_to_two_letters_are_a_misspelling(name: str):
    assert unknown({"amount": "1", name: "INV-1"}) == [(name, "client_reference")]


@pytest.mark.parametrize("name", ["client_refer", "reference", "clnt_refernce", "amonut", ""])
def test_more_letters_and_required_fields_are_none(name: str):
    assert unknown({name: "INV-1"}) == [(name, "")]


def test_a_field_that_is_sent_is_not_misspelt_and_one_that_is_null_may_be():
    assert unknown({"client_reference": "a", "client_refernce": "b"}) == [("client_refernce", "")]
    assert unknown({"client_reference": None, "client_refernce": "b"}) == [
        ("client_refernce", "client_reference")
    ]


def test_fields_of_nested_bodies_are_named_by_their_path():
    data = {
        "payer": {"name": "Ada", "nte": ""},
        "others": [{"noet": 1}, 5, {"note": "", "age": 1}],
        "fee": {"inner": 1},
    }
    assert unknown(data) == [
        ("payer.nte", "note"),
        ("others[0].noet", "note"),
        ("others[2].age", ""),
        ("fee", ""),
    ]
    assert unknown({"payer": "Ada", "others": {"a": 1}}) == []


def test_other_serializers_and_bodies_that_are_no_object():
    assert unknown({"nmae": 1, "status": "x"}, Changes) == [("nmae", "name"), ("status", "")]
    assert unknown([]) == []


def test_the_header_names_ten_fields_in_ascii():
    names = [f"x{number}" for number in range(11)]
    assert ignored_header(names) == "x0, x1, x2, x3, x4, x5, x6, x7, x8, x9"
    assert (
        ignored_header(["payer.ré\r\nX: 1", "o[0].a,b"])
        == "payer.r%C3%A9%0D%0AX%3A%201, o[0].a%2Cb"
    )
    assert ignored_header(["é" * 101]) == "%C3%A9" * 100
