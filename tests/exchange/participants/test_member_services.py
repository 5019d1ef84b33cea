"""Create and correct members: email and external id are unique within an organisation."""

import json
from typing import Any

import pytest

from exchange.core.errors import Conflict, InvalidRequest
from exchange.core.ids import uuid7
from exchange.participants.errors import UserNotFound
from exchange.participants.models import Member
from exchange.participants.payloads import MEMBER
from exchange.participants.selectors import get_member
from exchange.participants.services.members import change_member
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import TESTER, make_member, make_organisation
from wallets.owners.selectors import member_record

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ({"email": "ada@example.com"}, {"email": "ADA@example.com"}, "email_taken"),
        ({"external_id": "7"}, {"external_id": "7"}, "external_id_taken"),
    ],
)
def test_a_taken_email_or_external_id_is_a_conflict_within_the_organisation_only(
    first, second, code
):
    mine, theirs = make_organisation(), make_organisation()
    make_member(mine, **first)
    with pytest.raises(Conflict) as refusal:
        make_member(mine, **second)
    assert refusal.value.code == code
    assert Member.objects.count() == 1
    make_member(theirs, **second)
    assert Member.objects.count() == 2


def change(member: Member, **values: Any) -> Member:
    given: dict[str, Any] = {"name": "Ada", "email": "ada@example.com", "member_id": member.pk}
    return change_member(**given | values, actor=TESTER)


def test_only_the_given_member_is_corrected():
    organisation = make_organisation()
    ada = make_member(organisation, "Ada", external_id="7")
    bob = make_member(organisation, "Bob", email="bob@example.com", external_id="8")
    was = ada.updated_at
    assert change(ada, name=" Eve ", email=" eve@example.com ", external_id=" 9 ") == ada
    for member in (ada, bob):
        member.refresh_from_db()
    assert (ada.name, ada.email, ada.external_id) == ("Eve", "eve@example.com", "9")
    assert (bob.name, bob.email, bob.external_id) == ("Bob", "bob@example.com", "8")
    assert ada.updated_at > was
    with assert_no_table_changes():
        email, taken = "Enter a valid email address.", "A member with this {} exists already"
        for values, error, code, fields in (
            ({"email": "nowhere"}, InvalidRequest, "invalid_request", {"email": email}),
            (
                {"email": "BOB@example.com"},
                Conflict,
                "email_taken",
                {"email": taken.format("email")},
            ),
            (
                {"external_id": "8"},
                Conflict,
                "external_id_taken",
                {"external_id": taken.format("external_id")},
            ),
        ):
            with pytest.raises(error) as refused:
                change(ada, **values)
            assert (refused.value.code, refused.value.fields) == (code, fields)
            assert refused.value.message == " ".join(fields.values())
        with pytest.raises(UserNotFound):
            change(ada, member_id=uuid7())
    change(ada, external_id="")
    ada.refresh_from_db()
    assert (ada.name, ada.email, ada.external_id) == ("Ada", "ada@example.com", "")


def test_members_without_an_external_id_do_not_collide():
    organisation = make_organisation()
    make_member(organisation)
    make_member(organisation)
    assert Member.objects.count() == 2


def test_another_organisations_member_does_not_exist():
    mine, theirs = make_organisation(), make_organisation()
    member = make_member(theirs)
    for read in (get_member, member_record):
        with pytest.raises(UserNotFound):
            read(mine.id, member.id)
        with pytest.raises(UserNotFound):
            read(theirs.id, uuid7())
    assert get_member(theirs.id, member.id) == member


def test_every_change_updates_the_document():
    member = make_member(make_organisation(), "Ada")
    Member.objects.filter(id=member.id).update(name="Bola", external_id="b")
    document = json.loads(member_record(member.organisation_id, member.id))
    assert (document["name"], document["external_id"]) == ("Bola", "b")
    assert MEMBER.find_mismatches() == []
