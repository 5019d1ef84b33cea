"""Names, references and IDs of a client: visible on one line, and the same with spaces around."""

from urllib.parse import quote

import pytest

from exchange.participants.models import Member
from tests.assertions.unchanged import table_fingerprints
from tests.environment.owner import without_guards
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.market import ApiTrader, Market

pytestmark = pytest.mark.django_db

MEMBERS = "/v1/api/members"
HIDDEN = "must not contain invisible or direction-changing characters"
ODD = "Adaora \u202e000,09"


def test_hidden_characters_are_refused_wherever_a_client_names_something():
    caller = make_caller()
    member = make_member(caller.organisation)
    ada = {"name": "Ada", "email": "ada@example.com"}
    own = {"client_reference": ODD, "metadata": {"a": ODD, ODD: "b"}}
    cases = [
        ("POST", MEMBERS, {**ada, "name": ODD}, f"name {HIDDEN}"),
        ("POST", MEMBERS, {**ada, "external_id": "\u3164"}, f"external_id {HIDDEN}"),
        ("PATCH", f"{MEMBERS}/{member.id}", {"name": "\u200b"}, f"name {HIDDEN}"),
        ("PATCH", f"{MEMBERS}/{member.id}", {"external_id": ODD}, f"external_id {HIDDEN}"),
        ("POST", "/v1/orders", {"client_order_id": ODD}, f"client_order_id {HIDDEN}"),
        ("POST", "/v1/orders", own, f"client_reference {HIDDEN}"),
        ("POST", "/v1/api/wallet/withdraw", own, f"metadata keys {HIDDEN}"),
        ("POST", "/v1/api/transfers", {"metadata": {"a": ODD}}, f"metadata.a {HIDDEN}"),
    ]
    before = table_fingerprints()
    for method, path, body, message in cases:
        response = caller.patch(path, body) if method == "PATCH" else caller.post(path, body)
        assert response.status_code == 400, response.content
        assert message in response.json()["message"]
    assert table_fingerprints() == before


def test_an_external_id_is_the_same_with_spaces_around_it():
    caller = make_caller()

    def found(text: str) -> list[str]:
        listed = caller.get(MEMBERS, {"external_id": text}).json()["data"]["members"]
        return [each["_id"] for each in listed]

    body = {"name": " Ada ", "email": "ada@example.com", "external_id": " A1 "}
    made = caller.post(MEMBERS, body).json()["data"]
    assert (made["name"], made["external_id"]) == ("Ada", "A1")
    assert found("A1") == found(" A1") == found("A1\u00a0") == [made["_id"]]
    again = {**body, "email": "bola@example.com", "external_id": "A1"}
    assert_error(caller.post(MEMBERS, again), 409, "external_id_taken")
    changed = caller.patch(f"{MEMBERS}/{made['_id']}", {"external_id": "B2 "}).json()["data"]
    assert changed["external_id"] == "B2"
    # As earlier versions stored it.
    Member.objects.update(external_id=" C3")
    assert (found(" C3"), found("B2")) == ([made["_id"]], [])


def test_a_client_order_id_is_the_same_with_spaces_around_it():
    market = Market(currency="KES")
    caller = make_caller()
    buyer = ApiTrader(caller).fund(10_000, "KES")
    made = buyer.place(market.token, tokens=1, price=99, client_order_id=" x ")
    assert made["client_order_id"] == "x"

    def found(text: str) -> list[str]:
        listed = caller.get("/v1/orders", {"client_order_id": text}).json()["data"]["orders"]
        by_path = caller.get(f"/v1/orders/by-client-id/{quote(text)}")
        assert [each["_id"] for each in listed] == [by_path.json()["data"]["_id"]]
        return [each["_id"] for each in listed]

    assert found("x") == found(" x") == found("x ") == [made["_id"]]
    with without_guards() as cursor:
        cursor.execute("UPDATE orders_order SET client_order_id = ' x'")
    assert found(" x") == [made["_id"]]
    # Of two, the path is that of the one which is spelt like it.
    other = buyer.place(market.token, tokens=1, price=99, client_order_id="x")
    for text, order in ((" x", made), ("x", other)):
        one = caller.get(f"/v1/orders/by-client-id/{quote(text)}").json()
        assert one["data"]["_id"] == order["_id"]


@pytest.mark.parametrize("email", ["kofi@example.com", "KOFI@example.com", "\u212aofi@example.com"])
def test_an_email_address_is_found_in_the_case_in_which_it_is_unique(email):
    caller = make_caller()
    member = make_member(caller.organisation, email="kofi@example.com")
    Member.objects.update(email="\u212aofi@example.com")
    listed = caller.get(MEMBERS, {"email": email}).json()["data"]["members"]
    assert [each["_id"] for each in listed] == [str(member.id)]
