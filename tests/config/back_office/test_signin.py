"""Sign-in: password, code and session state. Guessing: `test_lockout`."""

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    FINANCE_APPROVER,
    ROLES,
    SUPPORT,
)
from config.local.demo.loader import enrol_second_factor
from exchange.participants.models import Member
from exchange.staff.models import AccessRecord, SecondFactor, StaffUser
from exchange.staff.services import second_factor
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    make_participants,
    messages_of,
    text_of,
)
from tests.factories.logins import (
    PASSWORD,
    access_events,
    backdate_session,
    create_login_user,
    current_code,
    enter_password,
    is_signed_in,
    sign_in,
)
from tests.factories.staff import confirm_latest

pytestmark = pytest.mark.django_db

INDEX, LOGIN, CODE, ENROL = (
    "/admin/", "/admin/login/", "/admin/login/code/", "/admin/second-factor/enrol/",
)  # fmt: skip
RESUME = "/admin/login/continue/"
KEYS = "/admin/exchange/apikey/"


def secret_shown(page) -> str:
    found = re.search(r'class="signin-secret"[^>]*>([^<]+)<', page.content.decode())
    assert found is not None
    return found[1].replace(" ", "")


# --- the two steps ---


def test_cookies_of_production_are_what_their_prefix_requires(settings):
    settings.SESSION_COOKIE_NAME = "__Host-sessionid"
    settings.CSRF_COOKIE_NAME = "__Host-csrftoken"
    settings.KNOWN_DEVICE_COOKIE_NAME = "__Host-known_device"
    settings.MESSAGE_STORAGE = "config.back_office.messages.HostMessages"
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    create_login_user(AUDITOR)
    client = Client()
    client.get(LOGIN, secure=True)
    entered = {"username": "ada", "password": PASSWORD}
    assert client.post(LOGIN, entered, secure=True).status_code == 302
    client.session.flush()
    seen = {name: (c["secure"], c["path"], c["domain"]) for name, c in client.cookies.items()}
    expected = (True, "/", "")
    assert seen.keys() >= {"__Host-sessionid", "__Host-csrftoken", "__Host-known_device"}
    assert set(seen.values()) == {expected}
    assert {name for name in seen if not name.startswith("__Host-")} == set()


def test_privileged_users_sign_in_with_password_and_code():
    user = create_login_user(FINANCE_APPROVER)
    secret = enrol_second_factor(user)
    client = Client()
    response = enter_password(client, "ada", PASSWORD)
    assert response["Location"].startswith(CODE)
    assert not is_signed_in(client)
    assert "_auth_user_id" not in client.session
    before = client.session.session_key
    response = client.post(CODE, {"code": current_code(secret)})
    assert response["Location"] == INDEX
    assert is_signed_in(client)
    assert client.session.session_key != before
    assert access_events(user) == ["invited", "second_factor_set_up", "signed_in"]


def test_sign_in_redirects_to_the_requested_page_and_never_elsewhere():
    user = create_login_user(AUDITOR)
    for wanted, reached in (
        (KEYS, KEYS),
        ("https://elsewhere.example/admin/", INDEX),
        ("//elsewhere.example/admin/", INDEX),
        ("/v1/docs", INDEX),
    ):
        client = Client()
        response = client.post(
            f"{LOGIN}?next={wanted}", {"username": user.username, "password": PASSWORD}
        )
        assert response["Location"] == reached


def test_without_a_second_factor_every_page_redirects_to_setup():
    user = create_login_user(BACK_OFFICE)
    client = Client()
    assert enter_password(client, "ada", PASSWORD)["Location"].startswith(ENROL)
    organisation, _ = make_participants()
    with assert_no_table_changes():
        for address in (INDEX, KEYS, reverse("admin:password_change"), reverse("admin:jsi18n")):
            assert client.get(address)["Location"].startswith(CODE)
        response = client.post(
            reverse("admin:exchange_member_add"),
            {"organisation": str(organisation.pk), "name": "Eve", "email": "eve@acme.example"},
        )
        assert response["Location"].startswith(CODE)
        assert client.get(CODE)["Location"].startswith(ENROL)
    assert Member.objects.count() == 1

    page = client.get(ENROL)
    assert b"<svg" in page.content
    secret = secret_shown(page)
    wrong = client.post(ENROL, {"code": "000000"})
    assert "Incorrect or expired code" in text_of(wrong)
    assert not SecondFactor.objects.exists()
    shown = client.post(ENROL, {"code": current_code(secret)})
    assert shown.status_code == 200
    assert "no-store" in shown["Cache-Control"]
    codes = re.findall(r"<code>([a-z2-7-]{19})</code>", shown.content.decode())
    assert len(codes) == 10
    assert is_signed_in(client)
    again = client.post(ENROL, {"code": current_code(secret, 1)})
    assert codes[0] not in again.content.decode()
    assert again["Location"] == "/admin/second-factor/"
    assert SecondFactor.objects.get(user=user).secret == secret
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret_encrypted FROM exchange_secondfactor")
        assert secret not in cursor.fetchone()[0]
        cursor.execute("SELECT string_agg(t::text, '') FROM exchange_recoverycode t")
        (kept,) = cursor.fetchone()
    assert codes[0] not in kept


@pytest.mark.parametrize("role", list(ROLES))
def test_only_auditors_may_skip_the_second_factor(role):
    create_login_user(role)
    client = Client()
    target = enter_password(client, "ada", PASSWORD)["Location"]
    assert target == INDEX if role in {AUDITOR, SUPPORT} else target.startswith(ENROL)


def test_an_auditor_who_set_one_up_needs_it():
    enrol_second_factor(create_login_user(AUDITOR))
    client = Client()
    assert enter_password(client, "ada", PASSWORD)["Location"].startswith(CODE)
    assert not is_signed_in(client)


def test_a_code_is_accepted_once():
    user = create_login_user(FINANCE_APPROVER)
    code = current_code(enrol_second_factor(user))
    first, second = Client(), Client()
    for client in (first, second):
        enter_password(client, "ada", PASSWORD)
    first.post(CODE, {"code": code})
    refused = second.post(CODE, {"code": code})
    assert is_signed_in(first)
    assert not is_signed_in(second)
    assert "already used" in text_of(refused)


def test_a_recovery_code_works_once():
    user = create_login_user(FINANCE_APPROVER)
    secret = second_factor.new_secret()
    codes = second_factor.set_up(user=user, secret=secret, code=current_code(secret))
    for expected in (True, False):
        client = Client()
        enter_password(client, "ada", PASSWORD)
        client.post(f"{CODE}?recovery=1", {"code": codes[3].upper().replace("-", " ")})
        assert is_signed_in(client) is expected
    assert second_factor.recovery_codes_left(user) == 9
    assert access_events(user)[-3:] == ["recovery_code_used", "signed_in", "refused"]


def test_the_step_between_password_and_code_does_not_outlive_ten_minutes_or_the_password():
    user = create_login_user(FINANCE_APPROVER)
    secret = enrol_second_factor(user)
    late, changed = Client(), Client()
    for client in (late, changed):
        enter_password(client, "ada", PASSWORD)
    session = late.session
    session["signin_pending"] = {**session["signin_pending"], "at": 0}
    session.save()
    user.set_password("another horse battery")
    user.save()
    for client in (late, changed):
        response = client.post(CODE, {"code": current_code(secret)})
        assert response["Location"].startswith(LOGIN)
        assert not is_signed_in(client)


def test_deactivated_users_and_non_staff_cannot_sign_in():
    user = create_login_user(AUDITOR)
    StaffUser.objects.create_user("outsider", password=PASSWORD)
    StaffUser.objects.filter(pk=user.pk).update(is_active=False)
    for name in ("ada", "outsider"):
        client = Client()
        assert "Incorrect username or password" in text_of(enter_password(client, name, PASSWORD))
        assert not is_signed_in(client)


# --- sessions ---


def test_sessions_expire_at_their_limit_and_when_idle():
    user = create_login_user(FINANCE_APPROVER)
    for age in ({"signin_started": 12 * 3600 + 1}, {"signin_seen": 30 * 60 + 1}):
        client = Client()
        sign_in(client, user)
        assert is_signed_in(client)
        backdate_session(client, **age)
        response = client.get(KEYS)
        assert response["Location"] == f"{LOGIN}?next={KEYS}"
        assert messages_of(response)[0].startswith("Session expired")
        assert "_auth_user_id" not in client.session


def test_activity_keeps_a_session_alive():
    client = Client()
    sign_in(client, create_login_user(FINANCE_APPROVER))
    backdate_session(client, signin_seen=29 * 60)
    assert is_signed_in(client)
    assert client.session["signin_seen"] > client.session["signin_started"]


def test_sessions_end_when_password_role_second_factor_or_access_change():
    administrator = create_login_user(ADMINISTRATOR, "root")
    sessions = Client()
    for url, body in (
        ("role", {"role": "", "expected_role": FINANCE_APPROVER}),
        ("deactivate", {}),
        ("reset", {}),
    ):
        user = create_login_user(FINANCE_APPROVER, f"ada-{url}")
        enrol_second_factor(user)
        sign_in(sessions, user)
        assert is_signed_in(sessions)
        manager = Client()
        sign_in(manager, administrator)
        response = manager.post(reverse(f"admin:exchange_staffuser_{url}", args=[user.pk]), body)
        assert response.status_code == 302
        if url != "deactivate":
            assert is_signed_in(sessions), "it is only proposed"
            confirm_latest()
        assert not is_signed_in(sessions), url
    user = create_login_user(FINANCE_APPROVER)
    sign_in(sessions, user)
    user.set_password("another horse battery")
    user.save()
    assert not is_signed_in(sessions)


def test_signing_out_takes_a_post():
    user = create_login_user(AUDITOR)
    client = Client()
    enter_password(client, "ada", PASSWORD)
    assert client.get("/admin/logout/").status_code == 405
    assert is_signed_in(client)
    client.post("/admin/logout/")
    assert not is_signed_in(client)
    assert access_events(user) == ["invited", "signed_in", "signed_out"]


# --- a recent code before a decision ---


def test_an_action_with_an_old_code_is_interrupted_and_resumed_after_a_new_one():
    organisation, _ = make_participants()
    user = create_login_user(BACK_OFFICE)
    secret = enrol_second_factor(user)
    client = Client()
    sign_in(client, user)
    backdate_session(client, second_factor_at=15 * 60 + 1)
    form = reverse("admin:exchange_member_add")
    body = {"organisation": str(organisation.pk), "name": "Eve", "email": "eve@acme.example"}
    with assert_no_table_changes():
        assert client.get(form).status_code == 200
        response = client.post(form, body, headers={"Referer": f"http://testserver{form}?x=1"})
    assert response["Location"] == f"{CODE}?next=%2Fadmin%2Fexchange%2Fmember%2Fadd%2F%3Fx%3D1"
    page = client.get(response["Location"])
    assert "No changes made yet." in text_of(page)
    key = client.session.session_key
    response = client.post(response["Location"], {"code": current_code(secret)})
    assert response["Location"] == RESUME + "?next=%2Fadmin%2Fexchange%2Fmember%2Fadd%2F%3Fx%3D1"
    assert client.session.session_key != key
    assert Member.objects.count() == 1
    waiting = client.get(response["Location"]).context["interrupted_form"]
    client.post(waiting.path, dict(waiting.fields))
    assert Member.objects.filter(name="Eve").count() == 1


def test_redirects_never_leave_the_site():
    user = create_login_user(FINANCE_APPROVER)
    enrol_second_factor(user)
    client = Client()
    sign_in(client, user, age=16 * 60)
    form = reverse("admin:exchange_member_add")
    response = client.post(form, {}, headers={"Referer": "https://elsewhere.example/admin/"})
    assert response["Location"] == f"{CODE}?next=%2Fadmin%2F"


def test_replacing_the_app_needs_a_recent_code_and_ends_the_old_one():
    user = create_login_user(FINANCE_APPROVER)
    old = enrol_second_factor(user)
    client, other = Client(), Client()
    sign_in(client, user, age=16 * 60)
    assert client.get(ENROL)["Location"].startswith(CODE)
    assert client.post(ENROL, {"code": "123456"})["Location"].startswith(CODE)
    client.post(CODE, {"code": current_code(old)})
    sign_in(other, user)
    new = secret_shown(client.get(ENROL))
    client.post(ENROL, {"code": current_code(new)})
    assert is_signed_in(client)
    assert not is_signed_in(other)
    assert second_factor.matches_secret(user=user, secret=new)


def test_new_recovery_codes_take_the_place_of_the_old_ones():
    user = create_login_user(FINANCE_APPROVER)
    secret = second_factor.new_secret()
    old = second_factor.set_up(user=user, secret=secret, code=current_code(secret))
    client = Client()
    sign_in(client, user)
    shown = client.post("/admin/second-factor/recovery-codes/")
    new = re.findall(r"<code>([a-z2-7-]{19})</code>", shown.content.decode())
    assert len(new) == 10
    assert not set(new) & set(old)
    assert new[0] not in client.get("/admin/second-factor/").content.decode()
    assert second_factor.recovery_codes_left(user) == 10


# --- what the pages are made of ---


def test_the_forms_help_password_managers_and_screen_readers():
    enrol_second_factor(create_login_user(FINANCE_APPROVER))
    client = Client()
    page = unescape(client.get(LOGIN).content.decode())
    assert re.search(r'name="username"[^>]*autocomplete="username"', page)
    assert re.search(r'name="password"[^>]*autocomplete="current-password"', page)
    wrong = enter_password(client, "ada", "guess").content.decode()
    field = re.search(r'<input[^>]*name="password"[^>]*>', wrong)
    assert field is not None
    assert 'aria-invalid="true"' in field[0]
    described = re.search(r'aria-describedby="([^"]*)"', field[0])
    assert described is not None
    assert all(f'id="{name}"' in wrong for name in described[1].split())
    enter_password(client, "ada", PASSWORD)
    code = client.get(CODE).content.decode()
    assert re.search(r'name="code"[^>]*autocomplete="one-time-code"', code)
    assert re.search(r'name="code"[^>]*inputmode="numeric"', code)
    for text in (page, wrong, code):
        assert not re.search(r"<script(?![^>]*\bsrc=)", text)
        assert not re.search(r"\son\w+=", text)


def test_unknown_usernames_are_stored_nowhere():
    enter_password(Client(), "hunter2-typed-into-the-wrong-field", "x")
    assert AccessRecord.objects.count() == 0


def test_a_session_continues_under_a_new_secret_key(settings, auditor):
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key that is only used inside of this one test of sign-in"
    assert is_signed_in(auditor)
    settings.SECRET_KEY_FALLBACKS = []
    assert is_signed_in(auditor)
    settings.SECRET_KEY = "a key that never signed anything and has no fallback of any kind"
    assert not is_signed_in(auditor)
