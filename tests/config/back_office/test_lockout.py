"""Lock-out on the sign-in pages: whom it locks, for how long, what is stored, and unlocking."""

import re
from hashlib import sha256
from io import StringIO

import pytest
from django.conf import settings
from django.core import signing
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from config.back_office.roles import ADMINISTRATOR, AUDITOR, FINANCE_APPROVER
from config.local.demo.loader import enrol_second_factor
from exchange.staff.models import AccessRecord, SignInAttempts, StaffUser
from exchange.staff.services import lockout
from tests.factories.back_office import messages_of, page, signed_in_client, text_of, user_of
from tests.factories.logins import (
    PASSWORD,
    access_events,
    create_login_user,
    current_code,
    enter_password,
    is_signed_in,
)

pytestmark = pytest.mark.django_db

CODE = "/admin/login/code/"
SHUT = "Too many failed attempts"


@pytest.fixture
def ada() -> StaffUser:
    return create_login_user(AUDITOR)


def pass_minutes(minutes: int) -> None:
    """Backdate the attempts so far."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE exchange_signinattempts SET ends_at = ends_at - make_interval(mins => %s),"
            " locked_until = locked_until - make_interval(mins => %s)",
            [minutes, minutes],
        )


def guess(times: int, name: str = "ada") -> str:
    """Return the pages after each of several wrong passwords."""
    return [text_of(enter_password(Client(), name, "guess")) for _ in range(times)][-1]


def gets_in() -> bool:
    response = enter_password(Client(), "ada", PASSWORD)
    assert response.status_code == 302 or SHUT in text_of(response)
    return bool(response.status_code == 302)


def test_guessing_passwords_locks_the_account_out_whether_it_exists_or_not():
    enrol_second_factor(create_login_user(FINANCE_APPROVER))
    outcomes = []
    for name in ("ada", "nobody"):
        client = Client()
        pages = [text_of(enter_password(client, name, f"guess {n}")) for n in range(6)]
        assert all("Incorrect username or password." in page for page in pages[:5])
        assert "Try again after" in pages[4]
        assert "Incorrect username or password" not in pages[5]
        outcomes.append(
            [re.sub(r"\d\d:\d\d:\d\d|ada|nobody|value=\S*", "", page) for page in pages]
        )
        right = enter_password(client, name, PASSWORD)
        assert right.status_code == 200
        assert SHUT in text_of(right)
    assert outcomes[0] == outcomes[1]
    assert access_events(StaffUser.objects.get()) == [
        "invited", "second_factor_set_up", *["refused"] * 4, "locked_out",
    ]  # fmt: skip
    assert Client().get("/admin/login/").status_code == 200


def test_guessing_codes_locks_out_even_a_correct_code():
    user = create_login_user(FINANCE_APPROVER)
    secret = enrol_second_factor(user)
    client = Client()
    enter_password(client, "ada", PASSWORD)
    for _ in range(5):
        client.post(CODE, {"code": "000000"})
    late = client.post(CODE, {"code": current_code(secret)})
    assert SHUT in text_of(late)
    assert not is_signed_in(client)
    assert access_events(user)[-1] == "locked_out"


def test_an_address_with_many_usernames_is_locked_out_and_others_are_not():
    create_login_user(AUDITOR)
    for n in range(settings.SIGN_IN_ATTEMPTS["address"]):
        enter_password(Client(), f"name{n}", "guess", REMOTE_ADDR="198.51.100.7")
    here = enter_password(Client(), "ada", PASSWORD, REMOTE_ADDR="198.51.100.7")
    assert SHUT in text_of(here)
    there = enter_password(Client(), "ada", PASSWORD, REMOTE_ADDR="198.51.100.8")
    assert there["Location"] == "/admin/"


def test_behind_trusted_proxies_the_forwarded_address_counts(settings):
    settings.TRUSTED_PROXIES = 1
    settings.SIGN_IN_ATTEMPTS = {"account": 99, "address": 2}
    create_login_user(AUDITOR)
    for forged in ("10.0.0.1", "10.0.0.2"):
        enter_password(
            Client(), "x", "guess", headers={"X-Forwarded-For": f"{forged}, 198.51.100.7"}
        )
    for seen, inside in (("198.51.100.7", False), ("198.51.100.8", True)):
        client = Client()
        enter_password(client, "ada", PASSWORD, headers={"X-Forwarded-For": f"10.0.0.3, {seen}"})
        assert is_signed_in(client) is inside


def test_successful_attempts_do_not_count():
    create_login_user(AUDITOR)
    for _ in range(settings.SIGN_IN_ATTEMPTS["account"] + 2):
        client = Client()
        enter_password(client, "ada", "guess")
        enter_password(client, "ada", PASSWORD)
        assert is_signed_in(client)


def test_lock_outs_and_counters_expire(ada):
    assert SHUT in guess(5)
    pass_minutes(14)
    assert not gets_in()
    pass_minutes(1)
    assert SHUT not in guess(4)
    pass_minutes(15)
    assert SHUT not in guess(4)
    assert gets_in()


def test_further_attempts_do_not_extend_a_lock_out(ada):
    guess(5)
    end = SignInAttempts.objects.exclude(locked_until=None).get().locked_until
    assert SHUT in guess(10)
    assert SignInAttempts.objects.exclude(locked_until=None).get().locked_until == end


def test_a_name_is_the_same_however_it_is_written(ada):
    for name in ("ada", "ADA", " Ada ", "\uff41da", "aDa"):
        guess(1, name)
    assert not gets_in()


def test_only_expired_counters_are_deleted(ada):
    guess(5)
    guess(1, "nobody")
    assert SignInAttempts.objects.count() == 3  # two accounts and the address
    assert lockout.purge_expired() == 0
    pass_minutes(10)
    guess(1, "another")
    assert lockout.purge_expired() == 0
    pass_minutes(5)
    assert lockout.purge_expired() == 3
    assert SignInAttempts.objects.count() == 1


def test_names_are_stored_as_keyed_hashes_only():
    typed = "hunter2-typed-into-the-wrong-field"
    guess(1, typed)
    assert AccessRecord.objects.count() == 0
    kept = list(SignInAttempts.objects.values_list("key", flat=True))
    assert len(kept) == 2
    for key in kept:
        assert typed not in key
        assert sha256(typed.encode()).hexdigest() not in key


def test_an_administrator_unlocks_an_account_early(ada):
    client = signed_in_client(ADMINISTRATOR)
    assert "Unlock" not in text_of(client.get(page(ada, "change")))
    assert "is not locked out" in text_of(client.post(page(ada, "unlock")))
    guess(5)
    shown = text_of(client.get(page(ada, "change")))
    assert "Unlock" in shown
    assert "Until 2" in shown
    client.get(page(ada, "unlock"))
    assert not gets_in()
    assert messages_of(client.post(page(ada, "unlock"))) == ["ada unlocked."]
    assert gets_in()
    assert AccessRecord.objects.get(event="unlocked").by == user_of(client)


def test_unlocking_clears_failed_codes_too():
    user = create_login_user(FINANCE_APPROVER)
    secret = enrol_second_factor(user)
    client = Client()
    enter_password(client, "ada", PASSWORD)
    for _ in range(5):
        client.post(CODE, {"code": "000000"})
    assert SHUT in text_of(client.post(CODE, {"code": current_code(secret)}))
    signed_in_client(ADMINISTRATOR).post(page(user, "unlock"))
    assert client.post(CODE, {"code": current_code(secret)}).status_code == 302


def test_the_last_administrator_is_unlocked_from_a_shell(ada):
    guess(5)
    output = StringIO()
    call_command("unlock", "ada", stdout=output)
    assert output.getvalue() == "Unlocked ada.\n"
    assert gets_in()
    record = AccessRecord.objects.get(event="unlocked")
    assert (record.user, record.by) == (ada, None)
    for name, why in (("ada", "is not locked out"), ("nobody", "No staff account is named")):
        with pytest.raises(CommandError, match=why):
            call_command("unlock", name)


def test_a_known_device_is_not_locked_out_by_attempts_elsewhere(ada):
    client = Client()
    enter_password(client, "ada", PASSWORD)
    cookie = client.cookies["known_device"]
    assert (cookie["httponly"], cookie["max-age"], cookie["path"]) == (True, 30 * 86400, "/")
    assert "ada" not in cookie.value
    client.post("/admin/logout/")
    # Others guess from everywhere, from the person's own address too.
    for n in range(settings.SIGN_IN_ATTEMPTS["address"]):
        enter_password(Client(), "ada" if n < 5 else f"name{n}", "guess")
    assert not gets_in()
    assert enter_password(client, "ada", PASSWORD)["Location"] == "/admin/"


def test_a_known_device_has_its_own_counter(ada):
    client = Client()
    enter_password(client, "ada", PASSWORD)
    client.post("/admin/logout/")
    pages = [text_of(enter_password(client, "ada", f"guess {n}")) for n in range(6)]
    assert "Try again after" in pages[4]
    assert SHUT in text_of(enter_password(client, "ada", PASSWORD))
    assert gets_in()  # in another browser
    assert "Unlock" in text_of(signed_in_client(ADMINISTRATOR).get(page(ada, "change")))
    signed_in_client(ADMINISTRATOR, "root").post(page(ada, "unlock"))
    assert enter_password(client, "ada", PASSWORD).status_code == 302


def test_the_cookie_is_valid_only_for_its_user_and_not_when_forged_or_expired(ada, settings):
    create_login_user(AUDITOR, "bo")
    client = Client()
    enter_password(client, "ada", PASSWORD)
    client.post("/admin/logout/")
    kept = client.cookies["known_device"].value
    guess(5, "bo")
    assert SHUT in text_of(enter_password(client, "bo", PASSWORD))
    guess(5)
    for forged in (kept[:-2] + "xx", "", signing.dumps(["x", "y"], salt="config.signin.devices")):
        client.cookies["known_device"] = forged
        assert SHUT in text_of(enter_password(client, "ada", PASSWORD)), forged
    client.cookies["known_device"] = kept
    settings.KNOWN_DEVICE_DAYS = 0
    assert SHUT in text_of(enter_password(client, "ada", PASSWORD))
    settings.KNOWN_DEVICE_DAYS = 30
    assert enter_password(client, "ada", PASSWORD).status_code == 302


def test_codes_on_a_known_device_are_counted_separately_too():
    user = create_login_user(FINANCE_APPROVER)
    secret = enrol_second_factor(user)
    known, other = Client(), Client()
    enter_password(known, "ada", PASSWORD)
    known.post(CODE, {"code": current_code(secret)})
    assert is_signed_in(known)
    known.post("/admin/logout/")
    enter_password(other, "ada", PASSWORD)
    for _ in range(5):
        other.post(CODE, {"code": "000000"})
    assert SHUT in text_of(other.post(CODE, {"code": "000000"}))
    enter_password(known, "ada", PASSWORD)
    assert known.post(CODE, {"code": current_code(secret, ahead=1)}).status_code == 302
    assert is_signed_in(known)
