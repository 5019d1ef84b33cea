"""Passkeys in a real browser, with Chromium's virtual authenticators."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, expect

from exchange.staff.models import Passkey, SecondFactor, StaffUser
from tests.assertions import accessibility as axe
from tests.environment.keyboard import (
    PASSWORD,
    create_enrolled_staff,
    expire_second_factor,
    has_text,
    matches,
    tab_to,
)
from tests.environment.services import Service
from tests.factories.api_clients import make_organisation
from tests.factories.logins import access_events, current_code
from tests.factories.wallets import Wallet, assert_books_hold, status_of, store_bank_list

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

BUTTON = "Use a passkey"
NOT_USED = "No passkey was used: the request was cancelled, or no passkey for this account was"


class Keys:
    """The security keys that the browser can reach: one at a time."""

    def __init__(self, browser: CDPSession) -> None:
        self._browser = browser
        self._browser.send("WebAuthn.enable")
        self._plugged = ""

    def plug_in(self, *, verifies: bool = True) -> None:
        """Take a new key in place of the one before."""
        self.unplug()
        options = {
            "protocol": "ctap2",
            "transport": "usb",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": verifies,
        }
        added = self._browser.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self._plugged = added["authenticatorId"]

    def unplug(self) -> None:
        """Remove the key, with what it holds."""
        if self._plugged:
            self._send("removeVirtualAuthenticator")
            self._plugged = ""

    def verify_person(self, *, accepted: bool) -> None:
        """Have the key accept or refuse the fingerprint from now on."""
        self._send("setUserVerified", isUserVerified=accepted)

    def _send(self, command: str, **values: Any) -> None:
        self._browser.send(f"WebAuthn.{command}", {"authenticatorId": self._plugged, **values})


@pytest.fixture
def keys(page: Page) -> Iterator[Keys]:
    made = Keys(page.context.new_cdp_session(page))
    yield made
    made.unplug()


class Office:
    """The back office at the origin where passkeys work."""

    def __init__(self, page: Page, service: Service) -> None:
        self.page = page
        self.origin = service.service_stack.passkey_origin

    def open(self, path: str) -> None:
        self.page.goto(f"{self.origin}/admin/{path}")

    def enter_password(self, name: str = "amina") -> None:
        self.open("login/")
        self.page.get_by_label("Username").fill(name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.keyboard.press("Enter")

    def sign_in_by_code(self, secret: str) -> None:
        self.enter_password()
        self.page.locator("[name=code]").fill(current_code(secret))
        self.page.keyboard.press("Enter")
        self.expect_dashboard()

    def add_key(self, name: str) -> None:
        self.open("second-factor/")
        self.page.get_by_role("link", name="Add a passkey").click()
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_role("button", name="Add passkey").click()
        expect(self.page.get_by_text(f"Passkey “{name}” added.")).to_be_visible()

    def sign_out(self) -> None:
        self.page.context.clear_cookies()

    def expect_dashboard(self) -> None:
        expect(self.page.get_by_role("heading", name="Dashboard")).to_be_visible()


@pytest.fixture
def office(page: Page, live_service: Service) -> Office:
    return Office(page, live_service)


def enrol(name: str = "amina") -> tuple[StaffUser, str]:
    """Create staff whose authenticator app has a new code."""
    user, secret = create_enrolled_staff(name)
    SecondFactor.objects.update(last_step=0)
    return user, secret


@pytest.mark.slow
def test_a_passkey_is_added_and_signs_in_by_keyboard_alone(
    page: Page, keys: Keys, office: Office, live_service: Service
):
    user, secret = enrol()
    office.sign_in_by_code(secret)
    keys.plug_in()
    office.add_key("Laptop")
    row = Passkey.objects.get(user=user)
    assert (row.name, row.last_used_at) == ("Laptop", None)
    office.sign_out()
    office.enter_password()
    button = page.get_by_role("button", name=BUTTON)
    expect(button).to_be_enabled()
    assert axe.find_violations(page) == []
    # Without the fingerprint nothing happens, and the page says so.
    keys.verify_person(accepted=False)
    tab_to(page, matches(f"input[value='{BUTTON}']"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text=NOT_USED)).to_be_visible()
    expect(button).to_be_focused()
    keys.verify_person(accepted=True)
    page.keyboard.press("Enter")
    office.expect_dashboard()
    row.refresh_from_db()
    assert row.last_used_at is not None
    assert access_events(user)[-2:] == ["passkey_added", "signed_in"]
    # Opened under another origin, the page leads to the right one.
    page.goto(f"{live_service.base_url}/admin/login/")
    page.get_by_label("Username").fill("amina")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_service.base_url}/admin/login/code/**")
    expect(page.get_by_text(f"Passkeys work only at {office.origin}")).to_be_visible()
    expect(button).to_be_disabled()


@pytest.mark.slow
def test_two_passkeys_replace_the_app_and_one_of_them_gets_lost(
    page: Page, keys: Keys, office: Office
):
    store_bank_list()
    wallet = Wallet(make_organisation()).fund(100_000)
    withdrawal = wallet.request(500)
    user, secret = enrol()
    office.sign_in_by_code(secret)
    keys.plug_in()
    office.add_key("Lost later")
    keys.plug_in()
    office.add_key("In the safe")
    page.get_by_role("button", name="Remove the authenticator app").click()
    expect(page.get_by_text("Authenticator app removed.")).to_be_visible()
    assert not SecondFactor.objects.exists()

    # The first one is lost; the second signs in, and confirms an approval.
    office.sign_out()
    office.enter_password()
    expect(page.get_by_role("heading", name=BUTTON)).to_be_visible()
    expect(page.get_by_role("button", name=BUTTON)).to_be_focused()
    page.keyboard.press("Enter")
    office.expect_dashboard()
    office.open(f"wallets/withdrawal/{withdrawal.pk}/change/")
    page.get_by_role("link", name=re.compile("^Approve and pay")).click()
    expire_second_factor(page)
    page.get_by_role("button", name=re.compile("^Approve and pay")).click()
    expect(page.get_by_role("heading", name=BUTTON)).to_be_visible()
    keys.verify_person(accepted=False)
    page.get_by_role("button", name=BUTTON).click()
    expect(page.get_by_role("alert").filter(has_text=NOT_USED)).to_be_visible()
    assert status_of(withdrawal) == "Pending"
    keys.verify_person(accepted=True)
    page.get_by_role("button", name=BUTTON).click()
    expect(page.get_by_role("heading", name="Continue", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("Approved")
    assert status_of(withdrawal) != "Pending"
    assert_books_hold()

    # A third one comes before the lost one goes.
    office.open("second-factor/")
    remove = page.get_by_role("button", name="Remove the passkey Lost later")
    remove.click()
    expect(page.get_by_text("Without an authenticator app you keep two")).to_be_visible()
    keys.plug_in()
    office.add_key("New one")
    assert axe.find_violations(page) == []
    tab_to(page, has_text("^Remove$"))
    remove.click()
    expect(page.get_by_text("Passkey “Lost later” removed.")).to_be_visible()
    assert set(Passkey.objects.values_list("name", flat=True)) == {"In the safe", "New one"}

    # A key that does not verify the person is not added; one without a passkey signs no one in.
    keys.plug_in(verifies=False)
    office.open("second-factor/passkeys/add/")
    page.get_by_label("Name").fill("Unverified")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.locator(".passkey-error")).not_to_be_empty()
    keys.plug_in()
    office.sign_out()
    office.enter_password()
    page.get_by_role("button", name=BUTTON).click()
    expect(page.get_by_role("alert").filter(has_text=NOT_USED)).to_be_visible()
    assert Passkey.objects.filter(user=user).count() == 2
