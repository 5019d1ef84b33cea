"""Members: changed by what is sent, found by status and verification."""

import json
import re

import pytest

from exchange.core.ids import uuid7
from exchange.participants.models import Member
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller, make_member

pytestmark = pytest.mark.django_db(transaction=True)

MEMBERS = "/v1/api/members"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def test_a_change_is_answered_with_exactly_this_text():
    caller = make_caller()
    ada = make_member(caller.organisation, "Ada Obi", email="ada@example.com", external_id="A-1")
    response = caller.patch(
        f"{MEMBERS}/{ada.id}", {"email": "Ada.Obi@example.com", "verification": "Verified"}
    )
    assert response.status_code == 200, response.content
    expected = (
        r'\{"status":"success","message":"Member updated","data":'
        rf'\{{"_id":"{ada.id}","name":"Ada Obi","email":"Ada.Obi@example.com",'
        r'"external_id":"A-1","status":"active","verification":"verified",'
        r'"holder_kind":"person","tax_residence":null,"tax_id":null,'
        rf'"createdAt":"{TIME}","updatedAt":"{TIME}","freezes":\[\],"debts":\[\]\}}\}}'
    )
    assert re.fullmatch(expected, response.content.decode()), response.content.decode()
    record = response.json()["data"]
    assert record["updatedAt"] > record["createdAt"]
    assert caller.get(f"{MEMBERS}/{ada.id}").json()["data"] == record


@pytest.mark.parametrize(
    ("sent", "changed"),
    [
        ({"name": "Ada Eze"}, {"name": "Ada Eze"}),
        ({"email": "new@example.com"}, {"email": "new@example.com"}),
        ({"external_id": "B-2"}, {"external_id": "B-2"}),
        ({"external_id": ""}, {"external_id": None}),
        ({"verification": "verified"}, {"verification": "verified"}),
        ({"holder_kind": "Company"}, {"holder_kind": "company"}),
        ({"tax_residence": "ke", "tax_id": "A1"}, {"tax_residence": "KE", "tax_id": "A1"}),
        ({"tax_residence": "", "tax_id": ""}, {"tax_residence": None, "tax_id": None}),
        # Fields of the exchange and unknown ones have no effect.
        ({"name": "Ada Eze", "status": "closed", "_id": "1", "other": 1}, {"name": "Ada Eze"}),
    ],
)
def test_only_what_is_sent_changes(sent, changed):
    caller = make_caller()
    ada = make_member(caller.organisation, external_id="A-1")
    before = caller.get(f"{MEMBERS}/{ada.id}").json()["data"]
    after = caller.patch(f"{MEMBERS}/{ada.id}", sent).json()["data"]
    assert after == before | changed | {"updatedAt": after["updatedAt"]}


NOTHING = (
    "The body must have at least one of name, email, external_id, verification, holder_kind,"
    " tax_residence, tax_id"
)

NO_COUNTRY = "tax_residence must be the ISO code of a country, such as NG"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, NOTHING),
        ({"status": "closed", "nickname": "Ada"}, NOTHING),
        (
            {"name": " ", "email": "nobody", "external_id": None, "verification": "yes"},
            "name must not be blank; email must be an email address; external_id must not be null; "
            "verification must be one of [unverified, verified]",
        ),
        ({"name": 7, "verification": None}, "name must be a string; verification must not be null"),
        ({"name": "a" * 201}, "name must have at most 200 characters"),
        ({"holder_kind": "firm"}, "holder_kind must be one of [person, company]"),
        ({"tax_residence": "UK"}, NO_COUNTRY),
        ({"tax_residence": 7}, NO_COUNTRY),
        ([], "The body must be a JSON object"),
    ],
)
def test_a_body_that_changes_nothing_or_is_wrong_is_refused(body, message):
    caller = make_caller()
    ada = make_member(caller.organisation)
    with assert_nothing_changes():
        response = caller.patch(f"{MEMBERS}/{ada.id}", json.dumps(body))
        assert_error(response, 400, "invalid_request", message)


def test_an_email_or_external_id_of_another_member_is_a_conflict():
    caller = make_caller()
    ada = make_member(caller.organisation, external_id="A-1")
    make_member(caller.organisation, "Bola", email="bola@example.com", external_id="B-1")
    with assert_nothing_changes():
        for sent, field in (
            ({"email": "BOLA@example.com"}, "email"),
            ({"external_id": "B-1", "name": "Eve"}, "external_id"),
        ):
            assert_error(
                caller.patch(f"{MEMBERS}/{ada.id}", sent),
                409,
                f"{field}_taken",
                f"A member with this {field} exists already",
            )


def test_a_member_of_another_organisation_does_not_exist():
    caller = make_caller()
    stranger = make_member(make_caller().organisation)
    with assert_nothing_changes():
        for member in (stranger.id, uuid7(), "1"):
            response = caller.patch(f"{MEMBERS}/{member}", {"name": "Eve"})
            assert_error(response, 404, "user_not_found", "User not found")
    reader = make_caller(["members:read"], caller.organisation)
    own = make_member(caller.organisation)
    with assert_nothing_changes():
        response = reader.patch(f"{MEMBERS}/{own.id}", {"name": "Eve"})
        assert_error(response, 403, "insufficient_scope", "This needs the scope members:write")


def test_a_repeated_change_takes_effect_once():
    caller = make_caller()
    ada = make_member(caller.organisation)
    first = caller.patch(f"{MEMBERS}/{ada.id}", {"name": "Ada Eze"}, Idempotency_Key="k")
    Member.objects.filter(id=ada.id).update(name="Ada Musa")
    again = caller.patch(f"{MEMBERS}/{ada.id}", {"name": "Ada Eze"}, Idempotency_Key="k")
    assert again["Idempotent-Replayed"] == "true"
    assert again.json() == first.json()
    ada.refresh_from_db()
    assert ada.name == "Ada Musa"
    other = caller.patch(f"{MEMBERS}/{ada.id}", {"name": "Eve"}, Idempotency_Key="k")
    assert_error(other, 422, "idempotency_key_reused")


def test_a_member_is_made_with_what_tax_follows_from():
    caller = make_caller()
    body = {"name": "Acme", "email": "acme@example.com"}
    facts = {"holder_kind": "company", "tax_residence": "GH", "tax_id": "C-0017"}
    made = caller.post(MEMBERS, {**body, **facts}).json()["data"]
    assert {name: made[name] for name in facts} == facts
    with assert_nothing_changes():
        response = caller.post(MEMBERS, {**body, "email": "b@example.com", "tax_residence": "XX"})
        assert_error(response, 400, "invalid_request", NO_COUNTRY)


def test_members_are_found_by_status_and_verification():
    caller = make_caller()
    ada = make_member(caller.organisation)
    bola = make_member(caller.organisation)
    caller.patch(f"{MEMBERS}/{bola.id}", {"verification": "verified"})

    def found(**query: str) -> list[str]:
        return [each["_id"] for each in caller.get(MEMBERS, query).json()["data"]["members"]]

    assert found(status="Active") == [str(bola.id), str(ada.id)]
    assert found(status="closed") == []
    assert found(verification="verified") == [str(bola.id)]
    assert found(verification="unverified", status="active") == [str(ada.id)]
    response = caller.get(MEMBERS, {"status": "open"})
    assert_error(response, 400, "invalid_request", "status must be one of [active, closed]")
