"""The menus of the back office by keyboard alone: reached by Tab, opened and closed by Enter, Space
and Escape, with the focus seen at every step and given back.
"""

import re

import pytest
from oauth2_provider.models import AccessToken
from playwright.sync_api import Page, expect

from config.back_office.roles import ADMINISTRATOR
from tests.environment.keyboard import (
    create_enrolled_staff,
    has_text,
    is_focus_visible,
    matches,
    sign_in,
    tab_stop_faults,
    tab_to,
)
from tests.factories.api_clients import make_caller, make_organisation
from tests.factories.wallets import Wallet, status_of, store_bank_list
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

MENU, SIDEBAR, ACCOUNT, FILTERS = "#menu-button", "#sidebar", ".account summary", ".filters summary"
LIST = "/admin/wallets/withdrawal/?status=Pending"


@pytest.fixture
def approver_page(page: Page) -> Page:
    """The dashboard of an approver."""
    create_enrolled_staff("amina")
    sign_in(page, "amina")
    page.goto("/admin/")
    return page


@pytest.fixture
def withdrawals() -> list[Withdrawal]:
    store_bank_list()
    wallet = Wallet(make_organisation()).fund(100_000_000)
    return [wallet.request(500), wallet.request(700)]


def expect_focus(page: Page, selector: str) -> None:
    """Expect the focus on the element, visibly."""
    expect(page.locator(selector)).to_be_focused()
    assert is_focus_visible(page)


@pytest.mark.slow
def test_the_sidebar_folds_opens_and_navigates(approver_page):
    menu, sidebar = approver_page.locator(MENU), approver_page.locator(SIDEBAR)
    tab_to(approver_page, matches(MENU))
    assert is_focus_visible(approver_page)
    expect(menu).to_have_attribute("aria-expanded", "true")
    approver_page.keyboard.press("Enter")
    expect(menu).to_have_attribute("aria-expanded", "false")
    expect(sidebar).to_be_hidden()
    expect_focus(approver_page, MENU)
    tab_to(approver_page, matches("main *"))  # past the links, which are folded away
    approver_page.keyboard.press("Shift+Tab")
    expect_focus(approver_page, ACCOUNT)
    approver_page.reload()
    expect(sidebar).to_be_hidden()
    tab_to(approver_page, matches(MENU))
    approver_page.keyboard.press("Space")
    expect(menu).to_have_attribute("aria-expanded", "true")
    expect(sidebar).to_be_visible()
    tab_to(approver_page, has_text("^Withdrawals"))
    assert is_focus_visible(approver_page)
    approver_page.keyboard.press("Enter")
    expect(approver_page.get_by_role("heading", name="Withdrawals", exact=True)).to_be_visible()
    expect(sidebar.locator("[aria-current=page]")).to_contain_text("Withdrawals")


@pytest.mark.slow
def test_on_a_narrow_screen_the_menu_closes_on_escape_and_on_blur(approver_page):
    approver_page.set_viewport_size({"width": 390, "height": 844})
    menu, sidebar = approver_page.locator(MENU), approver_page.locator(SIDEBAR)
    expect(menu).to_have_attribute("aria-expanded", "false")
    tab_to(approver_page, matches(MENU))
    approver_page.keyboard.press("Enter")
    expect(menu).to_have_attribute("aria-expanded", "true")
    expect(sidebar).to_be_visible()
    tab_to(approver_page, matches(f"{SIDEBAR} a"))
    approver_page.keyboard.press("Escape")
    expect(sidebar).to_be_hidden()
    expect(menu).to_have_attribute("aria-expanded", "false")
    expect_focus(approver_page, MENU)
    approver_page.keyboard.press("Space")
    expect(sidebar).to_be_visible()
    tab_to(approver_page, matches("main *"))
    expect(sidebar).to_be_hidden()
    expect(menu).to_have_attribute("aria-expanded", "false")
    assert is_focus_visible(approver_page)


@pytest.mark.slow
def test_a_slash_leads_to_the_search_of_all_records(approver_page):
    approver_page.keyboard.press("/")
    expect_focus(approver_page, "#site-search")
    assert is_focus_visible(approver_page)
    approver_page.keyboard.type("nothing like this")
    approver_page.keyboard.press("Enter")
    expect(approver_page.get_by_text("Nothing found that you may view.")).to_be_visible()
    expect(approver_page.locator("#site-search")).to_have_value("nothing like this")


@pytest.mark.slow
def test_the_account_menu_opens_closes_and_links_to_help(approver_page):
    panel = approver_page.locator(".account .panel")
    tab_to(approver_page, matches(ACCOUNT))
    assert is_focus_visible(approver_page)
    expect(panel).to_be_hidden()
    for opens in ("Enter", "Space"):
        approver_page.keyboard.press(opens)
        expect(panel).to_be_visible()
        expect_focus(approver_page, ACCOUNT)
        approver_page.keyboard.press("Tab")
        expect(panel.locator(":focus")).to_have_count(1)
        assert is_focus_visible(approver_page)
        approver_page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        expect_focus(approver_page, ACCOUNT)
    approver_page.keyboard.press("Enter")
    approver_page.keyboard.press("Enter")
    expect(panel).to_be_hidden()
    approver_page.keyboard.press("Enter")
    tab_to(approver_page, matches("#logout-form button"))
    assert is_focus_visible(approver_page)
    approver_page.keyboard.press("Tab")  # leaving it closes it
    expect(panel).to_be_hidden()
    approver_page.keyboard.press("Shift+Tab")
    expect_focus(approver_page, ACCOUNT)
    approver_page.keyboard.press("Enter")
    tab_to(approver_page, has_text("^Help$"))
    approver_page.keyboard.press("Enter")
    expect(approver_page.get_by_role("heading", name="Working in the back office")).to_be_visible()
    tab_to(approver_page, has_text("^Dual control$"))
    approver_page.keyboard.press("Enter")
    expect(approver_page.get_by_role("heading", name="Dual control")).to_be_in_viewport()


@pytest.mark.slow
def test_the_chosen_theme_is_stored(approver_page):
    dark = approver_page.locator("html.dark")
    expect(dark).to_have_count(0)
    tab_to(approver_page, matches(ACCOUNT))
    approver_page.keyboard.press("Enter")
    approver_page.keyboard.press("Tab")
    expect_focus(approver_page, "input[name=theme][value=system]")
    approver_page.keyboard.press("ArrowDown")
    approver_page.keyboard.press("ArrowDown")
    expect_focus(approver_page, "input[name=theme][value=dark]")
    expect(dark).to_have_count(1)
    approver_page.keyboard.press("Escape")
    expect_focus(approver_page, ACCOUNT)
    approver_page.reload()
    expect(dark).to_have_count(1)
    tab_to(approver_page, matches(ACCOUNT))
    approver_page.keyboard.press("Space")
    approver_page.keyboard.press("Tab")
    expect_focus(approver_page, "input[name=theme][value=dark]")
    approver_page.keyboard.press("ArrowUp")
    expect(dark).to_have_count(0)


@pytest.mark.slow
def test_filters_open_close_and_narrow_the_list(approver_page, withdrawals):
    approver_page.goto("/admin/wallets/transfer/")
    panel = approver_page.locator(".filters .panel")
    tab_to(approver_page, matches(FILTERS))
    assert is_focus_visible(approver_page)
    expect(panel).to_be_hidden()
    for opens in ("Space", "Enter"):
        approver_page.keyboard.press(opens)
        expect(panel).to_be_visible()
        approver_page.keyboard.press("Tab")
        expect(panel.locator(":focus")).to_have_count(1)
        assert is_focus_visible(approver_page)
        approver_page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        expect_focus(approver_page, FILTERS)
    approver_page.keyboard.press("Enter")
    approver_page.keyboard.press("Shift+Tab")  # leaving it closes it
    expect(panel).to_be_hidden()
    approver_page.keyboard.press("Tab")
    approver_page.keyboard.press("Enter")
    tab_to(approver_page, has_text("^Withdrawal hold"))
    assert is_focus_visible(approver_page)
    approver_page.keyboard.press("Enter")
    expect(approver_page.locator("#result_list tbody tr")).to_have_count(2)
    approver_page.wait_for_load_state()
    approver_page.keyboard.press("/")
    expect_focus(approver_page, "#searchbar")
    approver_page.keyboard.type(str(withdrawals[0].pk))
    approver_page.keyboard.press("Enter")
    expect(approver_page.locator("#result_list tbody tr")).to_have_count(1)


@pytest.mark.slow
def test_more_filters_of_withdrawals_open_by_keyboard(approver_page, withdrawals):
    approver_page.goto(LIST)
    more = approver_page.locator(".saved-views details")
    tab_to(approver_page, matches(".saved-views summary"))
    assert is_focus_visible(approver_page)
    for opens, closes in (("Enter", "Space"), ("Space", "Enter")):
        approver_page.keyboard.press(opens)
        expect(more.locator(".filter-form")).to_be_visible()
        approver_page.keyboard.press(closes)
        expect(more.locator(".filter-form")).to_be_hidden()
        expect_focus(approver_page, ".saved-views summary")


@pytest.mark.slow
def test_rows_are_selected_and_decided(approver_page, withdrawals):
    approver_page.goto(LIST)
    for withdrawal in withdrawals:
        tab_to(approver_page, matches(f"input.action-select[value='{withdrawal.pk}']"))
        assert is_focus_visible(approver_page)
        approver_page.keyboard.press("Space")
        expect(approver_page.locator(":focus")).to_be_checked()
    expect(approver_page.locator(".action-counter")).to_contain_text("2 of 2 selected")
    # The bar has appeared above the rows.
    for stop in (".actions button", "select[name=action]"):
        while not matches(stop)(approver_page.locator(":focus")):
            approver_page.keyboard.press("Shift+Tab")
        assert is_focus_visible(approver_page)
    approver_page.keyboard.type("Approve")
    tab_to(approver_page, matches(".actions button"))
    approver_page.keyboard.press("Enter")
    confirm = approver_page.get_by_role("button", name=re.compile("^Confirm approval of 2"))
    confirm.wait_for()
    tab_to(approver_page, has_text("^Confirm approval of 2"))
    assert is_focus_visible(approver_page)
    approver_page.keyboard.press("Enter")
    expect(approver_page.get_by_role("status").first).to_contain_text("2 decided")
    assert {status_of(withdrawal) for withdrawal in withdrawals} & {"Pending"} == set()


@pytest.mark.slow
def test_a_key_and_a_token_are_revoked_by_keyboard(page):
    create_enrolled_staff("samuel", ADMINISTRATOR)
    caller = make_caller()
    sign_in(page, "samuel")
    yes, no = has_text("^Revoke"), has_text("^Go back$")
    for link in ("a[href*='/revoke-token/?token=']", ".object-tools a[href$='/revoke/']"):
        page.goto(f"/admin/exchange/apikey/{caller.key.pk}/change/")
        tab_to(page, matches(link))
        assert is_focus_visible(page)
        page.keyboard.press("Enter")
        page.get_by_text("No changes made yet.").wait_for()
        confirmation = page.locator(".confirm")
        expect(confirmation).to_be_focused()
        expect(confirmation).to_contain_text(caller.key.client_id)
        number, faults = tab_stop_faults(page)
        assert (number >= 2, faults) == (True, [])
        page.reload()
        tab_to(page, yes)
        page.keyboard.press("Tab")
        assert no(page.locator(":focus"))
        page.keyboard.press("Shift+Tab")
        assert is_focus_visible(page)
        page.keyboard.press("Enter")
        expect(page.get_by_role("status").first).to_contain_text("revoked")
        assert AccessToken.objects.count() == 0
    caller.key.refresh_from_db()
    assert caller.key.revoked_at is not None


@pytest.mark.slow
def test_every_tab_stop_is_visible(approver_page, withdrawals):
    found = {}
    for address in (
        "",
        "wallets/withdrawal/",
        f"wallets/withdrawal/{withdrawals[0].pk}/change/",
        "wallets/configuration/",
        "help/",
    ):
        approver_page.goto(f"/admin/{address}")
        number, found[address] = tab_stop_faults(approver_page)
        assert number > 30
    assert {address: faults for address, faults in found.items() if faults} == {}
