"""The service with its demo data, and signed-in pages of its back office."""

import contextlib
import json
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from playwright.sync_api import Browser, BrowserContext, Page

from config.back_office.roles import ADMINISTRATOR, FINANCE_APPROVER
from config.local.demo import credentials_file
from exchange.staff.services import second_factor
from tests.environment.browser import TIMEOUT_MILLISECONDS, stray_requests
from tests.environment.ports import claim_ports
from tests.environment.processes import Program

_START_SECONDS = 600.0
_REPLACEMENTS = ("DATABASE_URL", "DATABASE_OWNER_URL", "CELERY_BROKER_URL", "CACHE_URL")
# The second person of a role, for decisions that take two.
SECOND = 1
_PASSWORD = "a house on the blue hill"


@contextlib.contextmanager
def demo_service() -> Iterator[Path]:
    """Start a service for the length of the block; yield its data directory."""
    with tempfile.TemporaryDirectory(prefix="screenshots-") as folder:
        data = Path(folder, "data")
        output = Path(folder, "output")
        port = claim_ports()
        program = Program(
            command=[
                sys.executable, "manage.py", "up", "--data", str(data), "--port", str(port),
            ],
            environment={
                "DJANGO_SETTINGS_MODULE": "config.settings.local",
                "PAYOUT_UNKNOWN_AFTER_SECONDS": "1",
                # No page asks for a code again, however long the pictures take.
                "SECOND_FACTOR_FRESH_MINUTES": "120",
                "SESSION_IDLE_MINUTES": "1440",
                **{name: "" for name in _REPLACEMENTS if name in os.environ},
            },
            ready=lambda: "\nReady: " in output.read_text(),
            output=output,
            timeout_seconds=_START_SECONDS,
        )  # fmt: skip
        try:
            program.start()
            yield data
        finally:
            program.stop(_START_SECONDS)


@dataclass
class PageProblems:
    """Script errors, console errors and error responses of pages."""

    seen: list[str] = field(default_factory=list)

    def drain(self, status: int = 200) -> list[str]:
        """Return and clear the problems, except responses with the expected `status`."""
        drain, self.seen[:] = list(self.seen), []
        return [trouble for trouble in drain if status < 400 or str(status) not in trouble]


class DemoSite:
    """Pages of the back office: signed in with each role, and anonymous."""

    def __init__(self, browser: Browser, data: Path) -> None:
        self.data = data
        self.demo: dict[str, Any] = json.loads((data / credentials_file.FILE_NAME).read_text())
        # Pages of records that scenes created, by their distinguishing text.
        self.record_paths: dict[str, str] = {}
        self.problems = PageProblems()
        self._browser = browser
        self._pages: dict[tuple[str, int], Page] = {}
        self._stray_requests: list[list[str]] = []
        self._shown: dict[str, str] = {}
        self._secret = ""
        self._kept: list[psycopg.Connection] = []
        # A running service may already have such a user.
        self._new_username = f"nia.{secrets.token_hex(2)}"

    def hold_connection(self, connection: psycopg.Connection) -> psycopg.Connection:
        """Keep a connection with its locks until the next screenshot."""
        self._kept.append(connection)
        return connection

    def release_connections(self) -> None:
        """Close the connections that are held."""
        while self._kept:
            self._kept.pop().close()

    def page(self, role: str, which: int = 0) -> Page:
        """Return the signed-in page of the demo's first (or `which`) person with `role`."""
        if (role, which) not in self._pages:
            person = [each for each in self.demo["staff"] if each["role"] == role][which]
            page = self.anonymous_page()
            self.enter_password(page, person["username"], person["password"])
            enter_code(page, person["totp_secret"])
            self._pages[role, which] = page
        return self._pages[role, which]

    def anonymous_page(self) -> Page:
        """Return a page of a new browser profile."""
        context: BrowserContext = self._browser.new_context(
            base_url=self.demo["base_url"], reduced_motion="reduce"
        )
        context.set_default_timeout(TIMEOUT_MILLISECONDS)
        self._stray_requests.append(stray_requests(context))
        page = context.new_page()
        seen = self.problems.seen
        page.on("pageerror", lambda error: seen.append(f"a script failed: {error}"))
        page.on(
            "console",
            lambda said: seen.append(f"the console: {said.text}") if said.type == "error" else None,
        )
        page.on(
            "response",
            lambda response: (
                seen.append(f"{response.status} from {response.url}")
                if response.status >= 400
                else None
            ),
        )
        return page

    def take_stray_requests(self) -> list[str]:
        """Return and clear the requests to other hosts."""
        found = [url for each in self._stray_requests for url in each]
        for each in self._stray_requests:
            each.clear()
        return found

    def enter_password(self, page: Page, username: str, password: str) -> None:
        """Submit the first step of signing in."""
        page.goto("/admin/login/")
        page.get_by_label("Username").fill(username)
        page.get_by_label("Password").fill(password)
        page.keyboard.press("Enter")
        page.locator("[name=code]").wait_for()

    @cached_property
    def invitation(self) -> str:
        """The path of a new user's one-time address: proposed, confirmed and collected."""
        page = self.page(ADMINISTRATOR)
        page.goto("/admin/exchange/staffuser/add/")
        page.get_by_label("Username").fill(self._new_username)
        page.get_by_label("Role").select_option(label="Finance approver")
        page.locator("main form [type=submit]").click()
        self.confirm_and_collect(page)
        shown = page.locator("main code").filter(has_text="/welcome/")
        return urlsplit(shown.inner_text()).path

    def confirm_and_collect(self, page: Page) -> None:
        """Confirm the access proposal that `page` has filed, and show its secret on `page`."""
        page.wait_for_url("**/accessproposal/*/change/")
        proposal = page.url
        approver = self.page(FINANCE_APPROVER)
        approver.goto(proposal)
        approver.get_by_role("link", name="Confirm", exact=True).click()
        approver.locator("#confirm button.final").click()
        approver.get_by_text("can now collect the secret").wait_for()
        page.goto(proposal)
        page.get_by_role("link", name="Collect the secret").click()
        page.get_by_role("button", name="Show secret").click()
        page.locator(".secret").wait_for()

    @cached_property
    def new_user_page(self) -> Page:
        """The page of a new user who has chosen a password and must set up a second factor."""
        page = self.anonymous_page()
        page.goto(self.invitation)
        for box in page.locator("input[type=password]").all():
            box.fill(_PASSWORD)
        page.locator("main [type=submit]").click()
        if page.locator("[name=username]").count():
            self.enter_password(page, self._new_username, _PASSWORD)
        page.locator(".signin-secret").wait_for()
        return page

    def secret_of(self, page: Page) -> str:
        """Return the secret that the enrolment page shows; stored before it is blanked."""
        if not self._secret:
            self._secret = page.locator(".signin-secret").inner_text().replace(" ", "")
        return self._secret

    def first_record_path(self, page: Page, listing: str) -> str:
        """Return the path of the first record of a list, which may have a query."""
        if listing not in self._shown:
            page.goto(f"/admin/{listing}")
            link = page.locator("#result_list tbody a").first
            self._shown[listing] = urlsplit(link.get_attribute("href") or "").path
        return self._shown[listing]


def enter_code(page: Page, secret: str) -> None:
    """Submit the second step; a code that was used before is followed by the next one."""
    for _ in range(2):
        code = second_factor.code_at(secret=secret, step=second_factor.current_step())
        page.locator("[name=code]").fill(code)
        with page.expect_navigation():
            page.keyboard.press("Enter")
        if not page.locator("[name=code]").count():
            return
        time.sleep(31)
    raise RuntimeError("The code was not accepted")
