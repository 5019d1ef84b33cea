"""axe-core on a selection of pages, light on a desktop and dark on a phone.

`make screenshots` does the same over every main page.
"""

import re
from urllib.parse import urlsplit

import pytest
from django.test import Client
from playwright.sync_api import Page, ViewportSize

from config.back_office.roles import FINANCE_APPROVER
from config.local.demo.loader import enrol_second_factor
from exchange.participants.models import Member
from exchange.staff.models import StaffUser
from tests.assertions import accessibility as axe
from tests.environment.services import Service
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.logins import sign_in
from tests.factories.staff import create_staff
from tests.factories.wallets import Wallet, store_bank_list

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

DESKTOP: ViewportSize = {"width": 1280, "height": 860}
PHONE: ViewportSize = {"width": 390, "height": 844}


def page_faults(page: Page) -> list[str]:
    """Return the page's violations in both variants, and overflow on a phone."""
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")
    found = [f"light desktop: {finding}" for finding in axe.find_violations(page)]
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")
    page.locator("html.dark").wait_for()
    found += [f"dark phone: {finding}" for finding in axe.find_violations(page)]
    wide = page.evaluate("document.documentElement.scrollWidth")
    return found if wide <= PHONE["width"] else [*found, f"{wide} pixels wide"]


def sign_in_approver(page: Page, service: Service) -> None:
    """Sign in an approver with a fresh second factor."""
    user = create_staff("amina", "correct horse battery", FINANCE_APPROVER)
    enrol_second_factor(user)
    add_session(page, service, user)


def add_session(page: Page, service: Service, user: StaffUser) -> None:
    """Sign in a user by the cookies of a session."""
    client = Client()
    sign_in(client, user)
    page.context.add_cookies(
        [
            {"name": name, "value": cookie.value, "url": service.base_url}
            for name, cookie in client.cookies.items()
        ]
    )


@pytest.mark.slow
def test_one_long_name_hides_no_column_of_a_list(page, live_service):
    store_bank_list()
    organisation = make_organisation("O" * 90)
    member = make_member(organisation)
    wallet = Wallet(organisation, member).fund(100_000)
    Member.objects.filter(pk=member.pk).update(name="M" * 90)
    wallet.request(500)
    sign_in_approver(page, live_service)
    page.set_viewport_size({"width": 1440, "height": 900})
    for name in ("wallets/withdrawal", "wallets/account", "wallets/entry", "exchange/member"):
        page.goto(f"/admin/{name}/")
        last = page.locator("#result_list tbody tr").first.locator("td, th").last
        edge = last.evaluate("cell => cell.getBoundingClientRect().right")
        assert edge <= 1440, f"{name}: {edge}"
        scroll = page.locator(".results").evaluate("box => box.scrollWidth - box.clientWidth")
        assert scroll <= 0, f"{name}: {scroll}"


def test_axe_reports_a_known_violation(page):
    page.set_content("<html lang=en><title>A</title><main><p style='color: #ccc'>Pale</p></main>")
    assert [finding.rule for finding in axe.find_violations(page)] == ["color-contrast"]


@pytest.mark.slow
def test_the_pages_of_sign_in_and_approval_have_no_violations(page, live_service):
    store_bank_list()
    withdrawal = Wallet(make_organisation()).fund(100_000_000).request(500)
    found = {}
    page.goto("/admin/")
    assert urlsplit(page.url).path == "/admin/login/"
    found["sign-in"] = page_faults(page)
    sign_in_approver(page, live_service)
    page.goto("/admin/")
    found["dashboard"] = page_faults(page)
    page.goto("/admin/wallets/withdrawal/")
    found["list"] = page_faults(page)
    page.goto(f"/admin/wallets/withdrawal/{withdrawal.pk}/change/")
    found["review"] = page_faults(page)
    page.get_by_role("link", name=re.compile("^Approve and pay")).click()
    page.get_by_role("button", name=re.compile("^Approve and pay")).wait_for()
    found["confirmation"] = page_faults(page)
    page.goto("/admin/password_change/")
    page.locator("main form [type=submit]").click()
    page.locator(".errornote").wait_for()
    found["form with errors"] = page_faults(page)
    assert {name: each for name, each in found.items() if each} == {}
