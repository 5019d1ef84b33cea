"""The back office in a real browser: signing in, deciding, and conflicts.

The pages are those of the running service; results are read from the database.
"""

import re
from urllib.parse import urlsplit

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from config.back_office.roles import (
    CREDIT_OFFICER,
    FINANCE_APPROVER,
)
from tests.environment.browser import stray_requests
from tests.environment.keyboard import (
    PASSWORD,
    create_enrolled_staff,
    has_text,
    matches,
    sign_in,
    tab_to,
)
from tests.environment.services import Service
from tests.factories.api_clients import make_organisation
from tests.factories.logins import current_code
from tests.factories.wallets import Wallet, assert_books_hold, status_of, store_bank_list
from wallets.banks.models import BankList
from wallets.withdrawals.models import Decision, Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

# The link on the review page and the button on the confirmation.
APPROVE = re.compile("^(Approve and pay|Record first approval of) ")
REJECT = re.compile("^Reject and release ")


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return Wallet(make_organisation()).fund(100_000_000)


def review(page: Page, withdrawal: Withdrawal) -> None:
    page.goto(f"/admin/wallets/withdrawal/{withdrawal.pk}/change/")


def open_approval_confirmation(page: Page, withdrawal: Withdrawal) -> None:
    review(page, withdrawal)
    page.get_by_role("link", name=APPROVE).click()
    page.get_by_text("No changes made yet.").wait_for()


def decisions_on(withdrawal: Withdrawal) -> list[str]:
    return list(
        Decision.objects.filter(withdrawal=withdrawal)
        .order_by("created_at", "id")
        .values_list("verdict", flat=True)
    )


@pytest.mark.slow
def test_sign_in_needs_password_and_code_and_explains_wrong_ones(page):
    _, secret = create_enrolled_staff("amina")
    page.goto("/admin/wallets/withdrawal/")
    assert urlsplit(page.url).path == "/admin/login/"
    page.get_by_label("Username").fill("amina")
    page.get_by_label("Password").fill("not my password")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Incorrect username or password.")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    code = page.locator("[name=code]")
    code.wait_for()
    assert code.get_attribute("autocomplete") == "one-time-code"
    right = current_code(secret)
    code.fill("000000" if right != "000000" else "000001")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Incorrect or expired code")).to_be_visible()
    page.locator("[name=code]").fill(right)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Withdrawals", exact=True)).to_be_visible()


@pytest.mark.slow
def test_an_approval_works_with_the_keyboard_alone(page, wallet):
    withdrawal = wallet.request(500)
    _, secret = create_enrolled_staff("amina")
    page.goto("/admin/")
    expect(page.locator("[name=username]")).to_be_focused()
    page.keyboard.type("amina")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("[name=code]")).to_be_focused()
    page.keyboard.type(current_code(secret))
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Dashboard").wait_for()
    tab_to(page, matches(".skip"))
    page.keyboard.press("Enter")
    tab_to(page, has_text("awaiting my approval"))
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Withdrawals", exact=True).wait_for()
    tab_to(page, matches(f"a[href*='{withdrawal.pk}']"))
    page.keyboard.press("Enter")
    page.locator("#decision").wait_for()
    tab_to(page, has_text("^Approve"))
    page.keyboard.press("Enter")
    question = page.get_by_role("button", name=APPROVE)
    question.wait_for()
    expect(page.locator("main")).to_contain_text(withdrawal.bank.account_name)
    expect(page.locator("main")).to_contain_text(withdrawal.bank.account_number)
    assert status_of(withdrawal) == "Pending"
    # A second Enter decides nothing: the facts have the focus.
    expect(page.locator("section.confirm")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, has_text("^Approve and pay"))
    page.keyboard.press("Enter")
    page.get_by_role("status").first.wait_for()
    assert status_of(withdrawal) != "Pending"
    assert decisions_on(withdrawal) == ["Approve"]
    assert_books_hold()


@pytest.mark.slow
def test_a_rejection_requires_a_reason_and_releases_the_money(page, wallet):
    withdrawal = wallet.request(500)
    create_enrolled_staff("amina")
    sign_in(page, "amina")
    review(page, withdrawal)
    page.get_by_role("link", name=REJECT).click()
    reject = page.get_by_role("button", name=REJECT)
    reject.click()
    expect(page.locator("[name=reason]")).to_be_focused()
    expect(page.locator("main")).to_contain_text("Enter a reason for the rejection")
    assert status_of(withdrawal) == "Pending"
    page.locator("[name=reason]").fill("The account is not the member's")
    reject.click()
    expect(page.locator("main .lede")).to_contain_text("Rejected")
    assert status_of(withdrawal) == "Rejected"
    assert_books_hold()


@pytest.mark.slow
def test_a_double_click_decides_once(page, wallet):
    withdrawal = wallet.request(500)
    create_enrolled_staff("amina")
    sign_in(page, "amina")
    open_approval_confirmation(page, withdrawal)
    page.get_by_role("button", name=APPROVE).dblclick(no_wait_after=True)
    expect(page.locator("main .lede")).not_to_contain_text("No changes made")
    assert decisions_on(withdrawal) == ["Approve"]
    assert_books_hold()


@pytest.mark.slow
def test_the_second_of_two_tabs_is_rejected_with_the_first_ones_decision(page, wallet):
    withdrawal = wallet.request(500)
    create_enrolled_staff("amina")
    sign_in(page, "amina")
    other = page.context.new_page()
    for tab in (page, other):
        open_approval_confirmation(tab, withdrawal)
    page.get_by_role("button", name=APPROVE).click()
    expect(page.get_by_role("status").first).to_be_visible()
    other.get_by_role("button", name=APPROVE).click()
    expect(other.get_by_role("alert")).to_contain_text("Not approved: amina approved it at")
    assert decisions_on(withdrawal) == ["Approve"]


@pytest.mark.slow
def test_the_browsers_back_leads_from_a_decision_to_the_record(page, wallet):
    withdrawal = wallet.request(500)
    create_enrolled_staff("amina")
    sign_in(page, "amina")
    title = f"500.00 KES to {withdrawal.bank.account_name}"
    open_approval_confirmation(page, withdrawal)
    expect(page).to_have_title(re.compile("^Approve and pay 470.00 KES to "))
    page.get_by_role("button", name=APPROVE).click()
    page.get_by_role("status").first.wait_for()
    expect(page).to_have_title(re.compile(f"^{title} "))
    page.go_back()
    expect(page.get_by_role("alert")).to_contain_text("Not approved: amina approved it at")
    expect(page).to_have_title(re.compile(f"^{title} "))
    page.reload()
    assert decisions_on(withdrawal) == ["Approve"]


@pytest.mark.slow
def test_an_outdated_page_is_rejected_with_what_has_changed(page, wallet):
    withdrawal = wallet.request(500)
    other, _ = create_enrolled_staff("kwesi")
    create_enrolled_staff("amina")
    sign_in(page, "amina")
    review(page, withdrawal)
    decisions.reject(
        withdrawal_id=withdrawal.pk, version=1, approver=other, reason="Duplicate request"
    )
    page.get_by_role("link", name=APPROVE).click()
    expect(page.get_by_role("alert")).to_contain_text("Not approved: kwesi rejected it at")
    assert status_of(withdrawal) == "Rejected"
    assert decisions_on(withdrawal) == ["Reject"]


@pytest.mark.slow
def test_bulk_decisions_are_made_and_reported_individually(page, wallet):
    plain = wallet.request(500)
    overtaken = wallet.request(700)
    BankList.objects.update_or_create(
        currency_id="GHS",
        defaults={
            "banks": [{"id": 3, "name": "GCB Bank", "code": "GH040100"}],
            "fetched_at": timezone.now(),
        },
    )
    lacking = (
        Wallet(wallet.organisation).fund(10_000, "GHS").request(50, currency="GHS", bank="GCB Bank")
    )
    other, _ = create_enrolled_staff("kwesi")
    create_enrolled_staff("amina")
    sign_in(page, "amina")
    page.goto("/admin/wallets/withdrawal/?status=Pending")
    for withdrawal in (plain, overtaken, lacking):
        page.locator(f"input.action-select[value='{withdrawal.pk}']").check()
    page.locator("select[name=action]").select_option("approve_selected")
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator("main")).to_contain_text("Excluded: 1 withdrawal")
    assert {status_of(w) for w in (plain, overtaken, lacking)} == {"Pending"}
    decisions.reject(
        withdrawal_id=overtaken.pk, version=1, approver=other, reason="Duplicate request"
    )
    page.get_by_role("button", name=re.compile("^Confirm approval of 2")).click()
    expect(page.get_by_role("status").first).to_contain_text("1 decided, 1 not decided")
    refused = page.get_by_role("row").filter(has_text=overtaken.reference)
    expect(refused).to_contain_text("kwesi rejected it")
    # Back from another page shows the results again, and then what was confirmed.
    refused.get_by_role("link").click()
    page.go_back()
    expect(refused).to_contain_text("kwesi rejected it")
    page.go_back()
    expect(page.get_by_role("heading", name="No withdrawals to decide")).to_be_visible()
    assert status_of(overtaken) == "Rejected"
    assert status_of(lacking) == "Pending"
    assert decisions_on(plain) == ["Approve"]
    assert_books_hold()


@pytest.mark.slow
def test_one_person_cannot_give_both_approvals(page, wallet):
    withdrawal = wallet.request(5_000_000)
    assert withdrawal.approvals_needed == 2
    create_enrolled_staff("amina")
    sign_in(page, "amina")
    open_approval_confirmation(page, withdrawal)
    page.get_by_role("button", name=APPROVE).click()
    expect(page.locator(".blocker")).to_contain_text("You already approved this withdrawal")
    expect(page.get_by_role("link", name=APPROVE)).to_have_count(0)
    assert status_of(withdrawal) == "Pending"
    assert decisions_on(withdrawal) == ["Approve"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("role", "shown", "hidden"),
    [
        (FINANCE_APPROVER, {"Withdrawals", "Loans", "Entries", "Staff users"}, set()),
        (CREDIT_OFFICER, {"Loans", "Loan configurations"}, {"Staff users"}),
    ],
)
def test_each_role_sees_its_own_pages_and_only_permitted_buttons(page, wallet, role, shown, hidden):
    withdrawal = wallet.request(500)
    create_enrolled_staff("somebody", role)
    sign_in(page, "somebody")
    links = page.locator("#sidebar a").all_text_contents()  # also of folded groups
    names = {re.split(r"\n|\d", text.strip())[0].strip() for text in links}
    assert shown <= names
    assert not hidden & names
    review(page, withdrawal)
    buttons = page.get_by_role("link", name=re.compile("^(Approve|Reject)"))
    expect(buttons).to_have_count(2 if role == FINANCE_APPROVER else 0)


@pytest.mark.slow
def test_on_a_phone_the_menu_opens_and_nothing_is_cut_off(
    chromium: Browser, live_service: Service, wallet: Wallet
):
    withdrawal = wallet.request(500)
    create_enrolled_staff("amina")
    context = chromium.new_context(
        base_url=live_service.base_url, viewport={"width": 390, "height": 844}, has_touch=True
    )
    strayed = stray_requests(context)
    page = context.new_page()
    sign_in(page, "amina")
    menu = page.get_by_role("button", name="Menu")
    menu.tap()
    page.locator("#sidebar").get_by_role("link", name="Withdrawals").tap()
    page.get_by_role("heading", name="Withdrawals", exact=True).wait_for()
    for address in ("", "wallets/withdrawal/", f"wallets/withdrawal/{withdrawal.pk}/change/"):
        page.goto(f"/admin/{address}")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390, f"/admin/{address} is {wide} pixels wide"
    # A list's row is a card: nothing scrolls sideways, and each cell says what it is.
    page.goto("/admin/wallets/withdrawal/")
    row = page.locator("#result_list tbody tr", has_text=withdrawal.reference)
    expect(row.locator("td[data-label=Owner]")).to_be_visible()
    assert row.evaluate("row => row.scrollWidth <= row.closest('.scroll').clientWidth")
    page.set_viewport_size({"width": 1280, "height": 860})
    expect(page.locator(".stacked")).to_have_count(0)
    context.close()
    assert strayed == []
