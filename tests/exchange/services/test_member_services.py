"""Creating members: unique email and external id within an organisation."""

from __future__ import annotations

import json

import pytest

from exchange.errors import Conflict, UserNotFound
from exchange.ids import uuid7
from exchange.models import Member
from exchange.payloads import MEMBER
from exchange.selectors.participants import get_member, member_document
from tests.factories.api_clients import make_member, make_organisation

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


def test_members_without_an_external_id_do_not_collide():
    organisation = make_organisation()
    make_member(organisation)
    make_member(organisation)
    assert Member.objects.count() == 2


def test_another_organisations_member_does_not_exist():
    mine, theirs = make_organisation(), make_organisation()
    member = make_member(theirs)
    for read in (get_member, member_document):
        with pytest.raises(UserNotFound):
            read(mine.id, member.id)
        with pytest.raises(UserNotFound):
            read(theirs.id, uuid7())
    assert get_member(theirs.id, member.id) == member


def test_the_document_follows_every_change_whatever_makes_it():
    member = make_member(make_organisation(), "Ada")
    Member.objects.filter(id=member.id).update(name="Bola", external_id="b")
    document = json.loads(member_document(member.organisation_id, member.id))
    assert (document["name"], document["external_id"]) == ("Bola", "b")
    assert MEMBER.faults() == []
