"""The page on which a person chooses the e-mail they receive, and sees their address."""

import pytest
from django.test import Client

from config import staff_mail
from config.back_office.roles import ADMINISTRATOR, AUDITOR, FINANCE_APPROVER, ROLES
from exchange.staff.models import AccessRecord, MailKind, StaffUser
from exchange.staff.services.mail import choose_mail
from tests.factories.back_office import messages_of, signed_in_client, text_of, user_of

pytestmark = pytest.mark.django_db

ADDRESS = "/admin/email/"


def shown(client: Client) -> dict[str, bool]:
    """Return the kinds on the page, each with whether it is chosen."""
    field = client.get(ADDRESS).context["form"]["wanted"]
    return {widget.data["label"]: widget.data["selected"] for widget in field.subwidgets}


def test_all_kinds_that_the_role_decides_about_are_chosen_at_first():
    assert shown(signed_in_client(FINANCE_APPROVER)) == {
        "Second approvals": True,
        "Alerts": True,
        "Payouts on hold": True,
        "Ledger integrity": True,
        "Disputes": True,
    }
    assert shown(signed_in_client(ADMINISTRATOR)) == {"Alerts": True, "Ledger integrity": True}


def test_every_kind_has_a_role_that_receives_it():
    assert set(staff_mail.PERMISSIONS) == set(MailKind)
    granted = set().union(*ROLES.values())
    assert set(staff_mail.PERMISSIONS.values()) <= granted


def test_a_role_that_decides_nothing_of_this_has_nothing_to_choose():
    client = signed_in_client(AUDITOR)
    page = client.get(ADDRESS)
    assert "Your role receives no e-mail." in text_of(page)
    assert b'type="submit" class="button default"' not in page.content


def test_a_choice_is_kept_and_recorded_and_other_people_keep_theirs():
    client, other = signed_in_client(FINANCE_APPROVER), signed_in_client(ADMINISTRATOR)
    saved = client.post(ADDRESS, {"wanted": ["alert", "dispute"]})
    assert (saved.status_code, messages_of(saved)) == (302, ["E-mail settings saved."])
    assert [label for label, chosen in shown(client).items() if chosen] == ["Alerts", "Disputes"]
    assert set(shown(other).values()) == {True}
    record = AccessRecord.objects.get(event="details_changed")
    assert record.user == user_of(client)
    assert record.details == (
        "E-mail not wanted: Second approvals, Payouts on hold, Ledger integrity"
    )
    client.post(ADDRESS, {"wanted": ["dispute", "alert"]})
    assert AccessRecord.objects.filter(event="details_changed").count() == 1
    client.post(ADDRESS, {"wanted": [kind.value for kind in MailKind]})
    assert user_of(client).unwanted_mail == []
    assert AccessRecord.objects.filter(details="E-mail not wanted: none").count() == 1


def test_kinds_that_the_role_does_not_have_stay_as_they_are():
    client = signed_in_client(ADMINISTRATOR)
    StaffUser.objects.filter(pk=user_of(client).pk).update(unwanted_mail=["dispute"])
    refused = client.post(ADDRESS, {"wanted": ["alert", "second_approval"]})
    assert refused.status_code == 200
    assert user_of(client).unwanted_mail == ["dispute"]
    client.post(ADDRESS, {"wanted": ["alert"]})
    assert user_of(client).unwanted_mail == ["ledger", "dispute"]
    client.post(ADDRESS, {})
    assert user_of(client).unwanted_mail == ["alert", "ledger", "dispute"]
    choose_mail(user=user_of(client), wanted=["alert"], among=[MailKind.ALERT])
    assert user_of(client).unwanted_mail == ["ledger", "dispute"]


def test_the_page_shows_the_address_or_that_there_is_none(settings):
    client = signed_in_client(FINANCE_APPROVER)
    assert "You have no e-mail address." in text_of(client.get(ADDRESS))
    StaffUser.objects.filter(pk=user_of(client).pk).update(email="finance@example.com")
    text = text_of(client.get(ADDRESS))
    assert "Your address: finance@example.com." in text
    assert "sends no e-mail" not in text
    settings.EMAIL_BACKEND = staff_mail.NO_MAIL
    assert "This installation sends no e-mail." in text_of(client.get(ADDRESS))
    assert '<a href="/admin/email/">E-mail</a>' in client.get(ADDRESS).content.decode()
