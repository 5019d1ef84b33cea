"""The pages of the API documentation in Chromium, under their policy and without a network."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.assertions import accessibility as axe
from tests.screenshots.api_docs import (
    REFERENCE_PARTS,
    TRY_PARTS,
    open_reference,
    open_try,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser, pytest.mark.slow]

DESKTOP: ViewportSize = {"width": 1280, "height": 860}
PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture
def refused(page: Page) -> list[str]:
    """What the policy of a page refused, and other errors of the console."""
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    return errors


def violations(page: Page, parts: tuple[str, ...]) -> list[str]:
    """What axe finds, light on a desktop and dark on a phone, and the width on a phone."""
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")
    page.locator("html:not(.dark)").wait_for()
    found = [f"light desktop: {each}" for each in axe.find_violations(page, parts)]
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")
    page.locator("html.dark").wait_for()
    page.locator(parts[-1]).wait_for()
    found += [f"dark phone: {each}" for each in axe.find_violations(page, parts)]
    wide = page.evaluate("document.documentElement.scrollWidth")
    return found if wide <= PHONE["width"] else [*found, f"{wide} pixels wide"]


def test_the_pages_are_accessible_and_link_to_each_other(page, refused):
    open_reference(page)
    assert violations(page, REFERENCE_PARTS) == []
    page.set_viewport_size(DESKTOP)
    page.get_by_role("link", name="Try it", exact=True).click()
    page.locator(".opblock").last.wait_for()
    assert violations(page, TRY_PARTS) == []
    page.get_by_role("link", name="Guide and reference").click()
    page.locator(".example").last.wait_for()
    assert refused == []


def test_a_reader_chooses_the_language_of_all_examples(page):
    open_reference(page)
    first, last = page.locator(".example").first, page.locator(".example").last
    expect(first.locator("pre:visible")).to_contain_text("curl -sS")
    first.get_by_role("tab", name="Python").click()
    expect(first.locator("pre:visible")).to_contain_text("import requests")
    expect(last.locator("pre:visible")).to_contain_text("if not response.ok:")
    page.keyboard.press("ArrowRight")
    expect(first.get_by_role("tab", name="TypeScript")).to_be_focused()
    expect(last.locator("pre:visible")).to_contain_text("new URLSearchParams")
    open_reference(page)
    expect(page.locator(".example").first.locator("pre:visible")).to_contain_text("await fetch")


def test_chapters_and_operations_are_found(page, refused):
    open_reference(page)
    page.get_by_role("textbox", name="Search").fill("idempotency")
    page.locator(
        "[data-role='search:results'] [role=menuitem]", has_text="Idempotency"
    ).first.click()
    expect(page.locator("[id='section/Idempotency'] h2")).to_be_in_viewport()
    page.goto("/v1/docs#tag/Withdrawals/operation/withdrawals_create")
    operation = page.locator(REFERENCE_PARTS[-1])
    operation.get_by_role("tab", name="Python").click()
    expect(operation.locator(".react-tabs__tab-panel--selected").first).to_contain_text(
        "Equity Bank Kenya"
    )
    assert refused == []


def test_a_request_is_tried(page):
    open_try(page)
    operation = page.locator(".opblock", has_text="/v1/api/tokens")
    operation.get_by_role("button").first.click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text("unauthenticated")
