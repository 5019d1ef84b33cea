"""Use of a page with the keyboard alone."""

import re
from collections.abc import Callable
from urllib.parse import urljoin

from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Locator, Page

from config.back_office.roles import FINANCE_APPROVER
from config.local.demo.loader import enrol_second_factor
from exchange.staff.models import SecondFactor, StaffUser
from tests.factories import logins
from tests.factories.staff import create_staff

PASSWORD = "correct horse battery"
MAX_TABS, MAX_STOPS = 150, 400
# Checks that the focused element has an outline and is not covered.
_SHOWN = """() => {
  const at = document.activeElement, style = getComputedStyle(at), box = at.getBoundingClientRect();
  const drawn = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const top = document.elementFromPoint(
    Math.min(box.left + box.width / 2, innerWidth - 1), box.top + Math.min(box.height / 2, 20));
  const seen = top !== null && (at.contains(top) || top.contains(at));
  const wrong = [drawn ? "" : "not drawn", seen ? "" : "covered or off the page"].join(" ").trim();
  return wrong && `${wrong}: ${at.outerHTML.slice(0, 120)}`;
}"""


def create_enrolled_staff(name: str, role: str = FINANCE_APPROVER) -> tuple[StaffUser, str]:
    """Create a member of staff with a second factor; return them and its secret."""
    user = create_staff(name, PASSWORD, role)
    return user, enrol_second_factor(user)


def sign_in(page: Page, name: str) -> None:
    """Open the dashboard with a session that has passed both steps.

    `browser/test_back_office.py` tests the steps themselves.
    """
    client = Client()
    logins.sign_in(client, StaffUser.objects.get(username=name))
    page.goto("/admin/login/")
    everywhere = urljoin(page.url, "/")
    page.context.add_cookies(
        [
            {"name": name, "value": cookie.value, "url": everywhere}
            for name, cookie in client.cookies.items()
        ]
    )
    page.goto("/admin/")
    page.get_by_role("heading", name="Dashboard").wait_for()


def expire_second_factor(page: Page) -> None:
    """Make the session's last code too old for decisions; the app has a new one."""
    (cookie,) = [c for c in page.context.cookies() if c["name"] == "sessionid"]
    session = Session.objects.get(session_key=cookie["value"])
    data = {**session.get_decoded(), "second_factor_at": 0}
    Session.objects.filter(pk=session.pk).update(session_data=Session.objects.encode(data))
    SecondFactor.objects.update(last_step=0)


def tab_to(page: Page, wanted: Callable[[Locator], bool]) -> None:
    """Press Tab until the wanted element has the focus."""
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if wanted(page.locator(":focus")):
            return
    raise AssertionError(f"not reached after {MAX_TABS} presses of Tab")


def has_text(pattern: str) -> Callable[[Locator], bool]:
    """Return a check that an element's text matches `pattern`."""

    def matches(element: Locator) -> bool:
        if element.count() != 1:
            return False
        return re.search(pattern, element.inner_text() or "") is not None

    return matches


def matches(selector: str) -> Callable[[Locator], bool]:
    """Return a check that an element matches `selector`."""
    return lambda element: (
        element.count() == 1 and element.evaluate("(e, s) => e.matches(s)", selector) is True
    )


def tab_stop_faults(page: Page) -> tuple[int, list[str]]:
    """Press Tab through the whole page and back; return the number of stops and their faults."""
    found: list[str] = []
    while len(found) < MAX_STOPS:
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement === document.body"):
            break
        found.append(page.evaluate(_SHOWN))
    for _ in found[:]:
        page.keyboard.press("Shift+Tab")
        found.append(page.evaluate(_SHOWN))
    return len(found) // 2, [fault for fault in found if fault]


def is_focus_visible(page: Page) -> bool:
    """Return whether the focus is visible."""
    return bool(page.evaluate(_SHOWN) == "")
