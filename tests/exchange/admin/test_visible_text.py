"""Pages of the back office hide nothing that a stored name hides or reverses."""

import pytest
from django.urls import reverse

from config.back_office.roles import ADMINISTRATOR
from exchange.core.errors import InvalidRequest
from exchange.participants.models import Member
from exchange.participants.services.members import create_member
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.back_office import signed_in_client, text_of

pytestmark = pytest.mark.django_db

# As earlier versions stored it; the last letters are spelt with a joiner.
STORED = "Adaora \u202e000,09 \u200b\u3164\U000e0041ශ්\u200dරී"


def test_a_stored_name_with_hidden_characters_reverses_no_page():
    member = make_member(make_organisation())
    Member.objects.update(name=STORED)
    client = signed_in_client(ADMINISTRATOR)
    for page in ("changelist", "change"):
        shown = client.get(
            reverse(f"admin:exchange_member_{page}", args=[member.pk] if page == "change" else [])
        )
        assert "Adaora \ufffd000,09 \ufffd\ufffd\ufffdශ්\u200dරී" in text_of(shown)
        assert {"\u202e", "\u200b", "\u3164"}.isdisjoint(shown.content.decode())
        assert shown["Content-Length"] == str(len(shown.content))


def test_names_from_right_to_left_are_isolated_in_sentences_and_kept_in_fields():
    member = make_member(make_organisation("עדה ושותפות"), "علي بن-حسن")
    client = signed_in_client(ADMINISTRATOR)
    address = reverse("admin:exchange_member_change", args=[member.pk])
    shown = client.get(address).content.decode()
    assert "<bdi>علي بن-حسن</bdi>" in shown
    assert "<bdi>עדה ושותפות</bdi>" in shown
    searched = client.get(reverse("admin:exchange_member_changelist"), {"search": "علي"})
    assert 'value="علي"' in searched.content.decode()
    assert searched["Content-Length"] == str(len(searched.content))
    title = shown.partition("<title>")[2].partition("</title>")[0]
    assert ("علي" in title, "bdi" in title) == (True, False)


def test_the_back_office_takes_no_such_name_either():
    organisation = make_organisation()
    with pytest.raises(InvalidRequest, match="name must not contain invisible"):
        create_member(
            organisation_id=organisation.pk, name=STORED, email="a@example.com", actor=TESTER
        )
    assert not Member.objects.exists()


def test_a_list_marks_a_name_with_letters_that_pass_for_latin_ones():
    make_member(make_organisation(), "\u0410da Obi")
    client = signed_in_client(ADMINISTRATOR)
    shown = text_of(client.get(reverse("admin:exchange_member_changelist")))
    assert "Active Look-alike letters" in shown
