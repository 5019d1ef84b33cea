"""Interrupted forms: entries survive the request for a code, only in the session."""

import re
from html import unescape

import pytest
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from config.back_office.roles import AUDITOR, BACK_OFFICE, SUPPORT
from config.local.demo.loader import enrol_second_factor
from exchange.core.crypto import encrypt
from exchange.participants.models import Member, Organisation
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.factories.back_office import make_participants, messages_of, text_of
from tests.factories.logins import (
    PASSWORD,
    backdate_session,
    create_login_user,
    current_code,
    sign_in,
)

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
    tables = {"exchange_accessrecord", "exchange_secondfactor", "exchange_signinattempts"}
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


# --- after the end of the session ---


def kept_of(page) -> str:
    found = re.search(r'name="kept" value="([^"]+)"', page.content.decode())
    assert found is not None
    return found[1]


def end_session(office: Office, how: str) -> None:
    if how == "idle":
        backdate_session(office.client, signin_seen=31 * 60)
    else:
        office.client.logout()


@pytest.mark.parametrize(
    ("how", "reason"),
    [("idle", "Session expired. Sessions end after 30 minutes"), ("gone", "You are signed out.")],
)
def test_entries_survive_the_end_of_the_session_and_the_page_says_why(office, how, reason):
    end_session(office, how)
    with assert_no_table_changes():
        page = office.client.post(FORM, office.body, headers=REFERER)
        assert page.status_code == 200
        text = text_of(page)
    assert reason in text
    assert "No changes made yet. Your entries are saved for 15 minutes" in text
    assert "no-store" in page["Cache-Control"]
    assert "Adeyemi" not in page.content.decode()
    # Nothing is stored for a person who has not signed in.
    assert not Session.objects.exists()
    [action] = re.findall(r'<form method="post" action="([^"]+)" novalidate', page.content.decode())
    kept = kept_of(page)
    wrong = {"username": "ada", "password": "guess", "kept": kept}
    assert kept_of(office.client.post(unescape(action), wrong)) == kept
    code = office.client.post(unescape(action), {**wrong, "password": PASSWORD})
    assert code.status_code == 302
    assert "Your entries are saved: enter a code" in text_of(office.client.get(code["Location"]))
    response = office.enter(code["Location"])
    assert response["Location"].startswith(RESUME)
    shown = office.client.get(response["Location"]).context["interrupted_form"]
    assert (shown.path, dict(shown.fields)) == (FORM, office.body)
    assert not Member.objects.filter(email="eve@acme.example").exists()
    assert office.client.post(shown.path, dict(shown.fields)).status_code == 302
    assert Member.objects.filter(email="eve@acme.example").count() == 1


def test_entries_of_one_person_are_not_shown_to_another(office):
    create_login_user(AUDITOR, "bo")
    end_session(office, "idle")
    kept = kept_of(office.client.post(FORM, office.body, headers=REFERER))
    client = Client()
    entered = {"username": "bo", "password": PASSWORD, "kept": kept}
    assert client.post("/admin/login/", entered)["Location"] == "/admin/"
    for forged in (kept[:-3], "x", encrypt("[]"), encrypt("5"), encrypt("no JSON")):
        other = Client()
        assert other.post("/admin/login/", {**entered, "kept": forged})["Location"] == "/admin/"


def test_entries_of_a_person_without_a_code_continue_after_the_password():
    organisation, _ = make_participants()
    create_login_user(SUPPORT, "sam")
    client = Client()
    address = reverse("admin:exchange_organisation_comment", args=[organisation.pk])
    page = client.post(address, {"text": "Called back"})
    entered = {"username": "sam", "password": PASSWORD, "kept": kept_of(page)}
    response = client.post("/admin/login/", entered)
    assert response["Location"].startswith(RESUME)
    shown = client.get(response["Location"]).context["interrupted_form"]
    assert (shown.path, dict(shown.fields)) == (address, {"text": "Called back"})


def test_a_password_is_never_kept(office):
    end_session(office, "idle")
    address = reverse("admin:password_change")
    page = office.client.post(address, {"old_password": "secret", "new_password1": "other"})
    assert page.status_code == 200
    assert 'name="kept"' not in page.content.decode()
    assert "No changes made yet. Sign in, then submit again." in text_of(page)
