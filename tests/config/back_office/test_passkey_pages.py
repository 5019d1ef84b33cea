"""The pages of passkeys: sign-in, confirmation before a change, adding and removing."""

import html
import json
import re
from typing import Any

import pytest
from django.test import Client

from config.back_office.roles import AUDITOR, FINANCE_APPROVER
from config.local.demo.loader import enrol_second_factor
from exchange.staff.models import AccessRecord, Passkey, SecondFactor, StaffUser
from exchange.staff.services import passkeys
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.authenticator import Authenticator
from tests.factories.logins import (
    PASSWORD,
    access_events,
    backdate_session,
    create_login_user,
    enter_password,
    is_signed_in,
    sign_in,
)
from tests.factories.passkeys import add_passkey

pytestmark = pytest.mark.django_db

CODE, INDEX = "/admin/login/code/", "/admin/"
OWN, ADD, REMOVE = (
    "/admin/second-factor/", "/admin/second-factor/passkeys/add/",
    "/admin/second-factor/passkeys/remove/",
)  # fmt: skip
EXPIRED = "The request has expired or was already used. Try again"
ATTEMPTS = ("exchange_accessrecord", "exchange_signinattempts")


def make_user(name: str = "ada", role: str = FINANCE_APPROVER) -> StaffUser:
    user = create_login_user(role, name)
    enrol_second_factor(user)
    return user


def with_key(name: str = "ada") -> tuple[StaffUser, Authenticator]:
    user = make_user(name)
    return user, add_passkey(user)


def options_of(response: Any) -> str:
    """Return what the page gives the browser."""
    [found] = re.findall(r'data-options="([^"]*)"', response.content.decode())
    return html.unescape(found)


def text_of(response: Any) -> str:
    return html.unescape(response.content.decode())


def after_password(name: str = "ada") -> Client:
    client = Client()
    assert enter_password(client, name, PASSWORD)["Location"].startswith(CODE)
    return client


def confirm(client: Client, key: Authenticator, path: str = CODE, **wrong: Any) -> Any:
    """Open the second step and send what the key signs."""
    response = key.get(options_of(client.get(path)), **wrong)
    return client.post(path, {"credential": response})


def signed_in(user: StaffUser, **session: Any) -> Client:
    client = Client()
    sign_in(client, user, **session)
    return client


# --- sign-in ---


def test_staff_sign_in_by_password_and_passkey():
    user, key = with_key()
    client = after_password()
    page = client.get(CODE)
    options = json.loads(options_of(page))
    assert options["userVerification"] == "required"
    assert options["rpId"] == "localhost"
    assert len(options["allowCredentials"]) == 1
    assert options["timeout"] == 300_000
    assert "no-store" in page["Cache-Control"]
    before = client.session.session_key
    assert confirm(client, key)["Location"] == INDEX
    assert is_signed_in(client)
    assert client.session.session_key != before
    record = AccessRecord.objects.latest("id")
    assert (record.event, record.user, record.details) == ("signed_in", user, "Passkey: Laptop")


def test_only_after_the_password_a_page_tells_of_passkeys():
    with_key()
    client = Client()
    for name, password in (("ada", "wrong"), ("nobody", "wrong")):
        page = enter_password(client, name, password)
        assert "passkey" not in text_of(page).lower()
        assert client.get(CODE)["Location"].startswith("/admin/login/")
    assert client.post(CODE, {"credential": "{}"})["Location"].startswith("/admin/login/")


def test_each_page_has_a_new_challenge_and_only_the_last_counts():
    _, key = with_key()
    client = after_password()
    first, second = options_of(client.get(CODE)), options_of(client.get(CODE))
    assert json.loads(first)["challenge"] != json.loads(second)["challenge"]
    refused = client.post(CODE, {"credential": key.get(first)})
    assert "The passkey was not accepted" in text_of(refused)
    assert not is_signed_in(client)
    # The refusal used the second one up, too.
    refused = client.post(CODE, {"credential": key.get(second)})
    assert "The passkey was not accepted" in text_of(refused)
    assert confirm(client, key)["Location"] == INDEX


def test_a_response_is_not_accepted_a_second_time_nor_in_another_session():
    user, key = with_key()
    second = add_passkey(user, "Second")
    client, other = after_password(), after_password()
    options_of(other.get(CODE))
    options = options_of(client.get(CODE))
    credential, of_second = key.get(options), second.get(options)
    refused = other.post(CODE, {"credential": credential})
    assert "The passkey was not accepted" in text_of(refused)
    assert not is_signed_in(other)
    assert client.post(CODE, {"credential": credential})["Location"] == INDEX
    # The session handed its challenge out, so the other key's response to it is late.
    assert EXPIRED in text_of(client.post(CODE, {"credential": of_second}))
    again = client.post(CODE, {"credential": credential})
    assert "The passkey was not accepted" in text_of(again)
    assert access_events(user)[-4:] == ["refused", "signed_in", "refused", "refused"]


def test_a_stored_challenge_ends_after_five_minutes():
    _, key = with_key()
    client = after_password()
    credential = key.get(options_of(client.get(CODE)))
    session = client.session
    stored = session["passkey_challenge"]
    session["passkey_challenge"] = {**stored, "at": stored["at"] - passkeys.CHALLENGE_SECONDS - 1}
    session.save()
    assert EXPIRED in text_of(client.post(CODE, {"credential": credential}))
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    "wrong",
    [{"verified": False}, {"origin": "http://127.0.0.1:8000"}, {"rp_id": "evil.example"}],
    ids=str,
)
def test_a_wrong_response_signs_no_one_in(wrong: dict[str, Any]):
    user, key = with_key()
    client = after_password()
    with assert_no_table_changes(*ATTEMPTS):
        refused = confirm(client, key, **wrong)
        assert "The passkey was not accepted" in text_of(refused)
        assert not is_signed_in(client)
    record = AccessRecord.objects.latest("id")
    assert (record.event, record.user, record.details) == ("refused", user, "Passkey")


def test_the_passkey_of_a_colleague_signs_no_one_else_in():
    with_key()
    _, of_bob = with_key("bob")
    client = after_password()
    assert "The passkey was not accepted" in text_of(confirm(client, of_bob))
    assert not is_signed_in(client)


def test_refused_passkeys_count_like_wrong_codes():
    user, key = with_key()
    client = after_password()
    for _ in range(5):
        refused = confirm(client, key, verified=False)
    assert "Too many failed attempts" in text_of(refused)
    assert "Too many failed attempts" in text_of(confirm(client, key))
    assert not is_signed_in(client)
    assert access_events(user)[-2:] == ["refused", "locked_out"]
    assert "Too many failed attempts" in text_of(client.post(CODE, {"code": "000000"}))


def test_a_page_says_that_passkeys_need_scripts():
    with_key()
    refused = after_password().post(CODE, {"credential": ""})
    assert "Passkeys need JavaScript" in text_of(refused)


# --- before a change ---


def test_a_passkey_confirms_before_a_change_and_the_form_goes_on():
    user, key = with_key()
    client = signed_in(user)
    backdate_session(client, second_factor_at=15 * 60 + 1)
    response = client.post("/admin/email/", {"wanted": []})
    assert response["Location"].startswith(CODE)
    assert "/login/continue/" in confirm(client, key)["Location"]
    record = AccessRecord.objects.latest("id")
    assert (record.event, record.details) == ("confirmed", "Passkey: Laptop")
    assert client.post("/admin/email/", {"wanted": []}).status_code in {200, 302}


# --- adding ---


def test_a_passkey_is_added_on_its_page_and_listed():
    user = make_user()
    client, key = signed_in(user), Authenticator()
    page = client.get(ADD)
    options = json.loads(options_of(page))
    assert options["authenticatorSelection"]["userVerification"] == "required"
    assert options["attestation"] == "none"
    assert options["rp"] == {"name": "Tokenized Investment Exchange", "id": "localhost"}
    credential = key.create(options_of(page))
    added = client.post(ADD, {"name": "Key in the safe", "credential": credential}, follow=True)
    assert "Passkey “Key in the safe” added." in text_of(added)
    assert re.search(r"Key in the safe\s*</td>\s*<td>\d{4}-\d\d-\d\d \d\d:\d\d</td><td>Never</td>",
                     added.content.decode())  # fmt: skip
    assert Passkey.objects.get().user == user
    # The second time its challenge is gone.
    again = client.post(ADD, {"name": "Copy", "credential": credential})
    assert EXPIRED in text_of(again)
    assert Passkey.objects.count() == 1


def test_a_passkey_is_added_after_a_recent_second_factor_only():
    user = make_user()
    client, key = signed_in(user), Authenticator()
    credential = key.create(options_of(client.get(ADD)))
    backdate_session(client, second_factor_at=15 * 60 + 1)
    assert client.get(ADD)["Location"].startswith(CODE)
    entered = client.post(ADD, {"name": "Laptop", "credential": credential})
    assert entered["Location"].startswith(CODE)
    # An auditor may sign in without one, and sets an app up first.
    auditor = create_login_user(AUDITOR, "carl")
    client = signed_in(auditor, second_factor=False)
    for response in (client.get(ADD), client.post(ADD, {"name": "x", "credential": credential})):
        assert response["Location"].startswith(CODE)
    assert client.get(CODE)["Location"].startswith("/admin/second-factor/enrol/")
    assert not Passkey.objects.exists()


def test_a_passkey_without_user_verification_or_name_is_not_added():
    client, key = signed_in(make_user()), Authenticator()
    refused = client.post(
        ADD,
        {"name": "Laptop", "credential": key.create(options_of(client.get(ADD)), verified=False)},
    )
    assert "The passkey could not be added" in text_of(refused)
    unnamed = client.post(ADD, {"name": "", "credential": key.create(options_of(client.get(ADD)))})
    assert "This field is required" in text_of(unnamed)
    assert not Passkey.objects.exists()


def test_where_passkeys_are_off_pages_offer_none(settings):
    user, _ = with_key()
    settings.PASSKEY_ORIGIN = ""
    client = signed_in(user)
    assert "Passkeys are not set up in this installation" in text_of(client.get(OWN))
    assert client.get(ADD)["Location"] == OWN
    assert "data-passkey" not in text_of(after_password().get(CODE))


# --- removing ---


def test_the_app_goes_after_two_passkeys_and_the_sign_in_has_no_code():
    user, key = with_key()
    client = signed_in(user)
    assert "Remove the authenticator app" not in text_of(client.get(OWN))
    refused = client.post(REMOVE, {"key": "app"}, follow=True)
    assert "Add two passkeys first" in text_of(refused)
    assert SecondFactor.objects.exists()
    add_passkey(user, "Second")
    elsewhere = signed_in(user)
    assert "Remove the authenticator app" in text_of(client.get(OWN))
    removed = client.post(REMOVE, {"key": "app"}, follow=True)
    assert "Authenticator app removed" in text_of(removed)
    assert not SecondFactor.objects.exists()
    assert is_signed_in(client)
    assert not is_signed_in(elsewhere)
    page = after_password().get(CODE)
    assert 'name="code"' not in text_of(page)
    assert "<title>Use a passkey" in text_of(page)
    other = after_password()
    assert confirm(other, key)["Location"] == INDEX
    # Two are left, in either place.
    first = Passkey.objects.order_by("id")[0]
    kept = client.post(REMOVE, {"key": str(first.pk)}, follow=True)
    assert "Without an authenticator app you keep two passkeys" in text_of(kept)
    assert Passkey.objects.count() == 2


def test_a_lost_key_is_removed_and_signs_no_one_in():
    user, lost = with_key()
    found = add_passkey(user, "Second")
    client, thief = signed_in(user), signed_in(user)
    row = Passkey.objects.get(name="Laptop")
    removed = client.post(REMOVE, {"key": str(row.pk)}, follow=True)
    assert "Passkey “Laptop” removed." in text_of(removed)
    assert is_signed_in(client)
    assert not is_signed_in(thief)
    assert "The passkey was not accepted" in text_of(confirm(after_password(), lost))
    assert confirm(after_password(), found)["Location"] == INDEX


def test_no_one_removes_the_passkey_of_another_person_or_without_a_recent_second_factor():
    _, _ = with_key("bob")
    user, _ = with_key()
    client = signed_in(user)
    of_bob = Passkey.objects.get(user__username="bob")
    for key in (str(of_bob.pk), "x", ""):
        refused = client.post(REMOVE, {"key": key}, follow=True)
        assert "Passkey not found" in text_of(refused)
    backdate_session(client, second_factor_at=15 * 60 + 1)
    own = Passkey.objects.get(user=user)
    for key in (str(own.pk), "app"):
        assert client.post(REMOVE, {"key": key})["Location"].startswith(CODE)
    assert Passkey.objects.count() == 2
    assert client.get(REMOVE).status_code == 405
