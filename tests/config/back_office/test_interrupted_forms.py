"""Interrupted forms: entries survive the request for a code, only in the session."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from config.back_office.roles import BACK_OFFICE
from config.demo.loader import enrol_second_factor
from exchange.participants.models import Member, Organisation
from tests.assertions.unchanged import table_fingerprints
from tests.factories.back_office import make_participants, messages_of, text_of
from tests.factories.logins import backdate_session, create_login_user, current_code, sign_in

pytestmark = pytest.mark.django_db

CODE, RESUME = "/admin/login/code/", "/admin/login/continue/"
FORM = "/admin/exchange/member/add/"
REFERER = {"Referer": f"http://testserver{FORM}"}


class Office:
    """A signed-in user whose last code is too old for changes."""

    def __init__(self) -> None:
        organisation, _ = make_participants()
        user = create_login_user(BACK_OFFICE)
        self.secret = enrol_second_factor(user)
        self.client = Client()
        sign_in(self.client, user)
        self.grow_stale()
        self.body = {
            "organisation": str(organisation.pk),
            "name": "Eve <b>Adeyemi</b>",
            "email": "eve@acme.example",
        }

    def grow_stale(self) -> None:
        backdate_session(self.client, second_factor_at=15 * 60 + 1)

    def press(self, **changes: object) -> str:
        """Submit the form; return the URL of the code page."""
        response = self.client.post(FORM, {**self.body, **changes}, headers=REFERER)
        assert response.status_code == 302
        return str(response["Location"])

    def enter(self, address: str, code: str | None = None):
        return self.client.post(address, {"code": code or current_code(self.secret)})


@pytest.fixture
def office() -> Office:
    return Office()


def test_the_form_continues_unchanged_after_a_wrong_and_a_correct_code(office):
    before = table_fingerprints()
    asked = office.press()
    assert "Your entries are saved" in text_of(office.client.get(asked))
    assert office.enter(asked, "000000").status_code == 200
    office.client.get(asked)
    response = office.enter(asked)
    assert response["Location"].startswith(RESUME)
    page = office.client.get(response["Location"])
    text = text_of(page)
    assert "No changes made yet." in text
    assert "Page Member: add Organisation 1 selected Name Eve <b>Adeyemi</b>" in text
    assert "Eve <b>" not in page.content.decode()
    assert f'<form method="post" action="{FORM}">' in page.content.decode()
    tables = {"exchange_accessrecord", "exchange_secondfactor", "exchange_signintries"}
    now = table_fingerprints()
    moved = {name for name in now if now[name] != before.get(name)} - {"exchange_change"}
    assert moved == tables
    kept = page.context["interrupted_form"]
    assert dict(kept.fields) == office.body
    done = office.client.post(kept.path, dict(kept.fields))
    assert done.status_code == 302
    assert Member.objects.filter(name=office.body["name"]).count() == 1
    # It went on once: there is nothing left of it.
    again = office.client.get(RESUME)
    assert (again.status_code, again["Location"]) == (302, "/admin/")


def test_entries_are_in_no_url_or_log_and_encrypted_in_the_session(office, capfd):
    asked = office.press()
    onward = office.enter(asked)["Location"]
    office.client.get(onward)
    stored = Session.objects.get(session_key=office.client.session.session_key)
    printed = "".join(capfd.readouterr())
    for typed in ("Adeyemi", "eve@acme.example"):
        assert typed not in asked + onward + printed
        assert typed not in str(stored.get_decoded())


def test_csrf_tokens_and_files_are_not_stored(office):
    upload = SimpleUploadedFile("passport.txt", b"Ada Obi")
    asked = office.press(csrfmiddlewaretoken="x" * 32, passport=upload)
    page = office.client.get(office.enter(asked)["Location"])
    assert dict(page.context["interrupted_form"].fields) == office.body


@pytest.mark.parametrize("changes", [{"new_password1": "secret"}, {"name": "x" * 70_000}])
def test_forms_with_a_password_or_too_large_are_not_stored(office, changes):
    asked = office.press(**changes)
    assert "Your entries are saved" not in text_of(office.client.get(asked))
    assert "No changes made yet." in text_of(office.client.get(asked))
    response = office.enter(asked)
    assert response["Location"] == FORM
    assert "was not completed" in messages_of(response)[0]
    assert Member.objects.count() == 1


def test_it_is_stored_for_15_minutes_and_only_for_its_user(office, monkeypatch):
    asked = office.press()
    now = __import__("time").time()
    monkeypatch.setattr(
        "config.back_office.signin.interrupted_form.time.time", lambda: now + 15 * 60 + 1
    )
    backdate_session(office.client, signin_seen=-15 * 60)
    response = office.client.get(RESUME)
    assert (response.status_code, response["Location"]) == (302, "/admin/")
    monkeypatch.undo()
    backdate_session(office.client, signin_seen=0)
    assert office.client.get(RESUME).status_code == 200
    office.client.post(reverse("admin:logout"))
    assert asked
    stranger = Client()
    sign_in(stranger, create_login_user(BACK_OFFICE, "other"))
    assert stranger.get(RESUME).status_code == 302
    assert Organisation.objects.count() == 1
    assert Member.objects.count() == 1
