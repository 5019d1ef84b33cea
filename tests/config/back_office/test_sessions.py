"""One's own sessions: listed with device and address, ended one by one or all others."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import AUDITOR
from config.back_office.signin.sessions import describe_device
from exchange.staff.models import AccessRecord
from tests.factories.back_office import messages_of, text_of
from tests.factories.logins import (
    PASSWORD,
    backdate_session,
    create_login_user,
    enter_password,
    is_signed_in,
)

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like"
    " Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0"
)


def signed_in(name: str, device: str, address: str) -> Client:
    client = Client(headers={"User-Agent": device}, REMOTE_ADDR=address)
    assert enter_password(client, name, PASSWORD).status_code == 302
    return client


def session_ids(client: Client) -> list[str]:
    page = client.get(reverse("admin:sessions")).content.decode()
    return re.findall(r'name="session" value="([0-9a-f]{32})"', page)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (PHONE, "Safari on iPhone"),
        (EDGE, "Edge on Windows"),
        ("curl/8", "Unknown browser"),
        ("", "Unknown browser"),
        ("<script>", "Unknown browser"),
    ],
)
def test_a_device_is_named_by_browser_and_system(header, words):
    assert describe_device(header) == words


def test_a_person_sees_only_sessions_of_their_own_that_are_open():
    ada = create_login_user(AUDITOR)
    create_login_user(AUDITOR, "bo")
    here = signed_in("ada", FIREFOX, "192.0.2.1")
    phone = signed_in("ada", PHONE, "192.0.2.2")
    idle = signed_in("ada", EDGE, "192.0.2.3")
    backdate_session(idle, signin_seen=31 * 60)
    signed_in("bo", EDGE, "192.0.2.4")
    page = here.get(reverse("admin:sessions"))
    text = text_of(page)
    assert "Firefox on Linux 192.0.2.1" in text
    assert "This session" in text
    assert "Safari on iPhone 192.0.2.2" in text
    for absent in ("192.0.2.3", "192.0.2.4"):
        assert absent not in text
    for client in (here, phone):
        assert str(client.session.session_key) not in page.content.decode()
    ada.refresh_from_db()
    ada.session_epoch += 1
    ada.save()
    again = signed_in("ada", FIREFOX, "192.0.2.5")
    assert "192.0.2.2" not in text_of(again.get(reverse("admin:sessions")))


def test_a_session_elsewhere_ends_at_once_and_this_one_goes_on():
    create_login_user(AUDITOR)
    create_login_user(AUDITOR, "bo")
    here = signed_in("ada", FIREFOX, "192.0.2.1")
    phone = signed_in("ada", PHONE, "192.0.2.2")
    laptop = signed_in("ada", EDGE, "192.0.2.3")
    other = signed_in("bo", EDGE, "192.0.2.4")
    (of_bo,) = {*session_ids(signed_in("bo", PHONE, "192.0.2.5"))}
    end = reverse("admin:end_sessions")
    # No one ends a session of another person, nor this one.
    assert messages_of(here.post(end, {"session": of_bo}))[-1] == "0 sessions ended."
    assert is_signed_in(other)
    before = session_ids(here)
    assert len(before) == 2
    assert here.get(end).status_code == 405
    assert messages_of(here.post(end, {"session": before[0]}))[-1] == "1 session ended."
    assert is_signed_in(here)
    assert sorted([is_signed_in(phone), is_signed_in(laptop)]) == [False, True]
    assert len(session_ids(here)) == 1
    assert messages_of(here.post(end))[-1] == "1 session ended."
    assert not is_signed_in(phone)
    assert not is_signed_in(laptop)
    assert is_signed_in(here)
    assert is_signed_in(other)
    ended = AccessRecord.objects.filter(event="signed_out", details__startswith="Ended from")
    assert {record.details.partition(": ")[2] for record in ended} == {
        "Safari on iPhone, 192.0.2.2",
        "Edge on Windows, 192.0.2.3",
    }
