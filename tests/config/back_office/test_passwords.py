"""Passwords of staff: 12 to 128 characters when chosen; those that exist still sign in."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from config.back_office.roles import AUDITOR
from exchange.staff.models import StaffUser
from exchange.staff.services.accounts import invitation_tokens
from tests.factories.back_office import text_of
from tests.factories.staff import create_staff

pytestmark = pytest.mark.django_db

SENTENCE = "lemon quartz harbour "


def choose(user: StaffUser, password: str) -> str:
    """Choose a password by an invitation link; return what the page says, empty when it is set."""
    client = Client()
    link = [urlsafe_base64_encode(force_bytes(user.pk)), invitation_tokens.make_token(user)]
    form = client.get(reverse("admin:welcome", args=link), follow=True)
    fields = {"new_password1": password, "new_password2": password}
    response = client.post(form.request["PATH_INFO"], fields)
    return "" if response.status_code == 302 else text_of(response)


def test_a_new_password_has_12_to_128_characters():
    ada = create_staff("ada", "Zq9!mall", AUDITOR)
    old = ada.password
    for length, complaint in (
        (11, "It must contain at least 12 characters"),
        (129, "It must contain at most 128 characters"),
    ):
        assert complaint in choose(ada, (SENTENCE * 7)[:length])
        ada.refresh_from_db()
        assert ada.password == old
    for length in (12, 128):
        password = (SENTENCE * 7)[:length].replace(" ", "7")
        assert choose(ada, password) == ""
        ada.refresh_from_db()
        assert ada.check_password(password)


def test_a_shorter_password_that_exists_still_signs_in():
    create_staff("ada", "Zq9!mall", AUDITOR)
    client = Client()
    entered = {"username": "ada", "password": "Zq9!mall"}
    response = client.post(reverse("admin:login"), entered)
    assert (response.status_code, response["Location"]) == (302, "/admin/")


def test_the_command_line_asks_for_as_long_a_password(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("Zq9!mall\n"))
    with pytest.raises(CommandError, match="at least 12 characters"):
        call_command("create_staff", "bo", role=AUDITOR)
    assert not StaffUser.objects.exists()
