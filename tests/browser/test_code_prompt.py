"""Form input survives the prompt for a code, in a real browser."""

import re
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, expect

from config.back_office.roles import BACK_OFFICE
from exchange.staff.models import StaffUser
from exchange.tokens.models import Quote
from tests.assertions import accessibility as axe
from tests.environment.keyboard import create_enrolled_staff, expire_second_factor, sign_in
from tests.factories.api_clients import make_organisation
from tests.factories.logins import current_code
from tests.factories.tokens import make_token
from tests.factories.wallets import Wallet, assert_books_hold, status_of, store_bank_list
from wallets.deposits.models import Deposit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


def answer_the_prompt(page: Page, secret: str, typed: str) -> None:
    """Enter a wrong code, then the right one; the input is shown and is in no URL."""
    expect(page.get_by_role("heading", name="Enter code")).to_be_visible()
    assert typed not in unquote(page.url)
    right = current_code(secret)
    page.locator("[name=code]").fill("000000" if right != "000000" else "000001")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Incorrect or expired code")).to_be_visible()
    page.locator("[name=code]").fill(current_code(secret))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Continue", exact=True)).to_be_visible()
    expect(page.locator("main")).to_contain_text(typed)
    assert typed not in unquote(page.url)
    assert axe.find_violations(page) == []
    expect(page.get_by_role("button", name="Continue")).to_be_focused()
    page.keyboard.press("Enter")


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return Wallet(make_organisation()).fund(100_000_000)


@pytest.mark.slow
def test_the_reason_of_a_rejection_survives_the_code_prompt(page, wallet):
    withdrawal = wallet.request(500)
    _, secret = create_enrolled_staff("amina")
    sign_in(page, "amina")
    page.goto(f"/admin/wallets/withdrawal/{withdrawal.pk}/change/")
    reason = "The account is not the member's: “Ọmọ & Sons”"
    page.get_by_role("link", name=re.compile("^Reject and release")).click()
    page.locator("[name=reason]").fill(reason)
    expire_second_factor(page)
    page.get_by_role("button", name=re.compile("^Reject and release")).click()
    answer_the_prompt(page, secret, reason)
    expect(page.locator("main .lede")).to_contain_text("Rejected")
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.reason) == ("Rejected", reason)
    assert_books_hold()


@pytest.mark.slow
def test_a_bulk_approval_survives_the_code_prompt(page, wallet):
    chosen = [wallet.request(amount) for amount in (500, 700)]
    left = wallet.request(900)
    _, secret = create_enrolled_staff("amina")
    sign_in(page, "amina")
    page.goto("/admin/wallets/withdrawal/?status=Pending")
    for withdrawal in chosen:
        page.locator(f"input.action-select[value='{withdrawal.pk}']").check()
    page.locator("select[name=action]").select_option("approve_selected")
    expire_second_factor(page)
    page.get_by_role("button", name="Apply", exact=True).click()
    answer_the_prompt(page, secret, "2 selected")
    expect(page.locator("main")).to_contain_text("2 withdrawals")
    assert {status_of(w) for w in chosen} == {"Pending"}
    expire_second_factor(page)
    page.get_by_role("button", name=re.compile("^Confirm approval of 2")).click()
    answer_the_prompt(page, secret, "2 selected")
    expect(page.get_by_role("status").first).to_contain_text("2 decided")
    assert "Pending" not in {status_of(w) for w in chosen}
    assert status_of(left) == "Pending"
    assert_books_hold()


@pytest.mark.slow
def test_a_new_quote_survives_the_code_prompt(page):
    token = make_token()
    _, secret = create_enrolled_staff("lindiwe", BACK_OFFICE)
    sign_in(page, "lindiwe")
    page.goto(f"/admin/exchange/token/{token.pk}/quote/")
    for name, value in {"buy": "110.25", "sell": "109", "note": "Annual report 2026"}.items():
        page.locator(f"[name={name}]").fill(value)
    expire_second_factor(page)
    page.get_by_role("button", name="Propose", exact=True).click()
    answer_the_prompt(page, secret, "Annual report 2026")
    expect(
        page.get_by_text("Prices proposed. They require a second person's approval.")
    ).to_be_visible()
    quote = Quote.objects.get()
    assert (str(quote), quote.note) == ("110.25 / 109", "Annual report 2026")


@pytest.mark.slow
def test_an_incomplete_deposit_survives_the_code_prompt(page):
    organisation = make_organisation("Baobridge Wealth")
    _, secret = create_enrolled_staff("lindiwe", BACK_OFFICE)
    sign_in(page, "lindiwe")
    page.goto("/admin/wallets/deposit/add/")
    page.evaluate(
        """([id, name]) => document.querySelector("[name=organisation]")
            .append(new Option(name, id, true, true))""",
        [str(organisation.pk), organisation.name],
    )
    page.locator("[name=currency]").select_option("NGN")
    page.locator("[name=reference]").fill("GTB/2026/000417")
    page.locator("[name=note]").fill("Salary run")
    expire_second_factor(page)
    page.get_by_role("button", name="Enter", exact=True).click()
    answer_the_prompt(page, secret, "GTB/2026/000417")
    # The amount is missing: the form returns with all other input.
    expect(page.get_by_text("This field is required.", exact=True)).to_be_visible()
    expect(page.locator("[name=reference]")).to_have_value("GTB/2026/000417")
    expect(page.locator("[name=note]")).to_have_value("Salary run")
    assert not Deposit.objects.exists()
    page.locator("[name=amount]").fill("1500.50")
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.get_by_text("Deposit entered. A second person must confirm it.")).to_be_visible()
    deposit = Deposit.objects.get()
    assert (deposit.reference, deposit.note) == ("GTB/2026/000417", "Salary run")
    assert deposit.entered_by == StaffUser.objects.get(username="lindiwe")
