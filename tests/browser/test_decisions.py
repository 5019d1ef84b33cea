"""Decisions without scrolling: by keys alone, and on a phone's first screen."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.assertions import accessibility as axe
from tests.environment.keyboard import create_enrolled_staff, sign_in
from tests.factories.back_office import fund, make_participants, make_withdrawal
from tests.factories.wallets import status_of
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

# Goals of decisions where nothing is unusual: keys from the dashboard, and for a further record.
MOST_KEYS, MOST_FURTHER_KEYS = 10, 4


class Keys:
    """Presses keys and counts them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pressed = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.pressed += 1


@pytest.fixture
def withdrawals(provider_sandbox: Any) -> list[Withdrawal]:
    organisation, member = make_participants()
    fund(organisation, member, "KES", "90000")
    return [make_withdrawal(organisation, member, "KES", str(500 + n)) for n in range(3)]


@pytest.fixture
def approver_page(page: Page) -> Page:
    create_enrolled_staff("amina")
    sign_in(page, "amina")
    page.goto("/admin/")
    return page


def test_withdrawals_are_paid_by_a_few_keys(withdrawals, approver_page):
    page, keys = approver_page, Keys(approver_page)
    keys.press("j")
    expect(page.get_by_role("link", name="Withdrawals: awaiting my approval")).to_be_focused()
    keys.press("Enter")
    expect(page.get_by_role("heading", name="Withdrawals", exact=True)).to_be_visible()
    keys.press("j", "Enter")
    expect(page.get_by_role("heading", name="500.00 KES to Ada Obi")).to_be_visible()
    keys.press("a")
    expect(page.get_by_role("heading", name="Review and confirm")).to_be_visible()
    keys.press("Control+Enter")
    expect(page.get_by_role("heading", name="501.00 KES to Ada Obi")).to_be_visible()
    expect(page.get_by_role("status").first).to_contain_text("2 left.")
    assert keys.pressed <= MOST_KEYS
    further = Keys(page)
    further.press("a")
    expect(page.get_by_role("heading", name="Review and confirm")).to_be_visible()
    further.press("Control+Enter")
    expect(page.get_by_role("heading", name="502.00 KES to Ada Obi")).to_be_visible()
    assert further.pressed <= MOST_FURTHER_KEYS
    assert [status_of(each) for each in withdrawals] == ["Approved", "Approved", "Pending"]
    # A letter in a field is text, and the list of keys opens and closes.
    page.keyboard.press("r")
    reason = page.get_by_label("Reason")
    expect(reason).to_be_visible()
    reason.fill("")
    reason.press_sequentially("a j k r ?")
    expect(reason).to_have_value("a j k r ?")
    assert status_of(withdrawals[2]) == "Pending"


@pytest.mark.slow
def test_keys_lead_through_a_queue_and_are_listed(withdrawals, approver_page):
    page = approver_page
    page.goto("/admin/wallets/withdrawal/?view=awaiting_my_approval")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="502.00 KES to Ada Obi")).to_be_visible()
    page.keyboard.press("k")
    expect(page.get_by_role("heading", name="501.00 KES to Ada Obi")).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="502.00 KES to Ada Obi")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    assert axe.find_violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(page.locator("#site-search")).to_be_focused()


@pytest.mark.slow
def test_the_decision_is_on_the_first_screen_of_a_phone(withdrawals, approver_page):
    page = approver_page
    for width, height in ((390, 844), (1280, 860)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"/admin/wallets/withdrawal/{withdrawals[0].pk}/change/")
        approve = page.get_by_role("link", name="Approve and pay 470.00 KES to Ada Obi")
        expect(approve).to_be_in_viewport(ratio=1)
        expect(page.get_by_text("First withdrawal of this owner")).to_be_in_viewport()
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        expect(approve).to_be_in_viewport(ratio=1)
        assert axe.find_violations(page) == []


@pytest.mark.slow
def test_a_list_starts_in_the_first_third_and_its_bar_appears_with_the_first_tick(
    withdrawals, approver_page
):
    page = approver_page
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto("/admin/wallets/withdrawal/")
    top = page.locator(".results tbody tr").first.bounding_box()
    assert top is not None
    assert top["y"] <= 860 / 3
    bar = page.locator(".actions")
    expect(bar).to_be_hidden()
    for number in (0, 2):
        page.locator("input.action-select").nth(number).check()
    expect(bar).to_be_visible()
    expect(bar.locator("output")).to_have_text("1,002.00 KES")
    page.locator("input.action-select").nth(0).uncheck()
    expect(bar.locator("output")).to_have_text("502.00 KES")


@pytest.mark.slow
def test_long_pages_have_tabs_that_the_address_names(withdrawals, approver_page):
    page = approver_page
    page.goto(f"/admin/wallets/withdrawal/{withdrawals[0].pk}/change/")
    money = page.get_by_role("tab", name="Money")
    expect(page.get_by_role("heading", name="Payment instruction")).to_be_hidden()
    page.get_by_role("tab", name="Overview").press("ArrowRight")
    expect(money).to_be_focused()
    expect(money).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", name="Payment instruction")).to_be_visible()
    expect(page.get_by_role("heading", name="Payee", exact=True)).to_be_hidden()
    page.reload()
    expect(page.get_by_role("heading", name="Payment instruction")).to_be_visible()
