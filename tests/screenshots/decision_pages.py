"""Pages of decisions: confirmations, and errors.

No decision is confirmed. Proposals are made, and shown as a second person sees them.
"""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import Page

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
)
from tests.screenshots.demo_site import SECOND, DemoSite
from tests.screenshots.screenshot import Screenshot, at, first_record, wait_for_success

_PENDING_KES = "wallets/withdrawal/?status=Pending&currency=KES"
_QUOTE = "exchange/quote/?status__exact=Pending"
# The pending change that `setting-change-review` has proposed.
_SETTING_CHANGE = "wallets/settingchange/?status__exact=Pending"
_TRADING = "exchange/token/?state=Trading"
_IN_RAISE = "exchange/token/?state=In+raise"
_DEFAULTED = "credit/loan/?status__exact=DEFAULTED"
_LENDING = "credit/loanconfiguration/?status__exact=Approved"
_PENDING_TERMS = "credit/loanconfiguration/?decision=awaiting_my_approval"


# --- money out ---


def confirmation(site: DemoSite) -> Page:
    page = first_record(FINANCE_APPROVER, _PENDING_KES)(site)
    page.get_by_role("link", name=re.compile("^Approve")).click()
    page.get_by_text("No changes made yet.").wait_for()
    return page


def rejection(site: DemoSite) -> Page:
    page = first_record(FINANCE_APPROVER, _PENDING_KES)(site)
    page.get_by_role("link", name=re.compile("^Reject")).click()
    page.get_by_label("Reason").fill("The account is not the member's")
    return page


def bulk_confirmation(site: DemoSite) -> Page:
    page = at(FINANCE_APPROVER, "wallets/withdrawal/?status=Pending")(site)
    for box in page.locator("input.action-select").all():
        box.check()
    page.locator("select[name=action]").select_option("approve_selected")
    page.get_by_role("button", name="Apply", exact=True).click()
    page.get_by_role("button", name=re.compile("^Confirm approval")).wait_for()
    return page


# --- money in, prices ---


def deposit_entry(site: DemoSite) -> Page:
    """A deposit that awaits confirmation by a second person."""
    page = at(BACK_OFFICE, "wallets/deposit/add/")(site)
    suggest(page, "organisation", "Sikadua")
    page.get_by_label("Currency").select_option("NGN")
    page.get_by_label("Amount").fill("1250000.50")
    page.get_by_label("Reference").fill("FT26325QK7N1")
    page.get_by_label("Note").fill("Statement of 20 November, line 14")
    page.locator("main form [type=submit]").click()
    page.locator(".messages, .errornote").wait_for()
    other = site.page(FINANCE_APPROVER)
    other.goto("/admin/wallets/deposit/?q=FT26325QK7N1")
    other.locator("#result_list tbody a").first.click()
    other.wait_for_load_state()
    return other


def deposit_confirmation(site: DemoSite) -> Page:
    return follow(deposit_entry, "Confirm")(site)


def deposit_rejection(site: DemoSite) -> Page:
    return follow(deposit_entry, "Reject")(site)


def stale_page(site: DemoSite) -> Page:
    """The confirmation page of a quote that another person has decided meanwhile."""
    page = at(FINANCE_APPROVER, _QUOTE)(site)
    page.goto(page.locator("#result_list tbody a").last.get_attribute("href") or "")
    page.get_by_role("link", name=re.compile("^Approve")).click()
    page.get_by_text("No changes made yet.").wait_for()
    other = site.page(FINANCE_APPROVER, SECOND)
    other.goto(urlsplit(page.url).path.replace("/approve/", "/reject/"))
    other.get_by_label("Reason").fill("The price is of last month")
    other.locator("main form [type=submit]").first.click()
    wait_for_success(other)
    page.locator("#confirm [type=submit]").first.click()
    page.get_by_role("alert").wait_for()
    return page


# --- freezes ---


def frozen_owner(site: DemoSite) -> Page:
    """A freeze with a proposal to lift it, as the second person sees it."""
    page = first_record(FINANCE_APPROVER, "exchange/member/?q=akosua", "freeze/")(site)
    page.locator("[name=currency]").select_option("GHS")
    page.get_by_label("Reason").fill("Court order 7 of 2026, Lagos")
    page.locator("#confirm [type=submit]").first.click()
    wait_for_success(page)
    page.goto("/admin/wallets/freeze/?state=active")
    page.locator("#result_list tbody a").first.click()
    address = urlsplit(page.url).path
    page.goto(address.replace("/change/", "/lift/"))
    page.get_by_label("Explanation").fill("The court withdrew its order on 3 December")
    page.locator("#confirm [type=submit]").first.click()
    wait_for_success(page)
    other = site.page(FINANCE_APPROVER, SECOND)
    other.goto(address)
    return other


# --- credit ---


def liquidation(site: DemoSite) -> Page:
    """A proposal to end a loan, as the officer sees it who is to confirm it."""
    page = first_record(CREDIT_OFFICER, _DEFAULTED)(site)
    address = urlsplit(page.url).path
    propose = page.get_by_role("link", name="Propose liquidation")
    if propose.count():
        propose.click()
        page.get_by_label("Note").fill("No answer to three calls; 58 days late")
        page.locator("main form [type=submit]").click()
        wait_for_success(page)
    other = site.page(CREDIT_OFFICER, SECOND)
    other.goto(address)
    return other


def liquidation_confirmation(site: DemoSite) -> Page:
    page = liquidation(site)
    page.get_by_role("link", name=re.compile("^Confirm")).click()
    page.wait_for_load_state()
    return page


def terms_confirmation(site: DemoSite) -> Page:
    page = site.page(CREDIT_OFFICER, SECOND)
    page.goto(site.first_record_path(page, _PENDING_TERMS))
    page.get_by_role("link", name=re.compile("^Approve")).click()
    page.wait_for_load_state()
    return page


# --- access ---


def token_revocation(site: DemoSite) -> Page:
    """The question about one access token of a key."""
    page = first_record(ADMINISTRATOR, "exchange/apikey/")(site)
    page.locator("a[href*='/revoke-token/']").first.click()
    page.get_by_text("No changes made yet.").wait_for()
    return page


# --- shared ---


def suggest(page: Page, field: str, text: str) -> None:
    """Choose the first suggestion for `text` in an autocomplete field."""
    page.locator(f".field-{field} .select2-selection").click()
    page.locator(".select2-search__field").fill(text)
    found = page.locator(".select2-results__option--highlighted", has_text=text)
    found.wait_for()
    found.click()


def follow(open_page: Callable[[DemoSite], Page], words: str) -> Callable[[DemoSite], Page]:
    """Follow the first link whose name begins with `words`."""

    def reached(site: DemoSite) -> Page:
        page = open_page(site)
        page.get_by_role("link", name=re.compile(f"^{words}")).first.click()
        page.wait_for_load_state()
        return page

    return reached


SCREENSHOTS: tuple[Screenshot, ...] = (
    Screenshot("withdrawal-confirm", confirmation),
    Screenshot("withdrawal-reject", rejection),
    Screenshot("withdrawals-confirm", bulk_confirmation),
    Screenshot(
        "withdrawal-details",
        first_record(FINANCE_APPROVER, "wallets/withdrawal/?view=missing_details", "details/"),
    ),
    Screenshot("payout-proposals", at(FINANCE_APPROVER, "wallets/proposal/")),
    Screenshot("decisions", at(AUDITOR, "wallets/decision/")),
    Screenshot("deposit-add", at(BACK_OFFICE, "wallets/deposit/add/")),
    Screenshot("deposit-review", deposit_entry),
    Screenshot("deposit-confirm", deposit_confirmation),
    Screenshot("deposit-reject", deposit_rejection),
    Screenshot("freeze", first_record(BACK_OFFICE, "exchange/member/?q=adaora", "freeze/")),
    Screenshot("freeze-review", frozen_owner),
    Screenshot("quote-review", first_record(FINANCE_APPROVER, _QUOTE)),
    Screenshot("quote-approve", follow(first_record(FINANCE_APPROVER, _QUOTE), "Approve")),
    Screenshot("quote-reject", follow(first_record(FINANCE_APPROVER, _QUOTE), "Reject")),
    Screenshot("quote-add", at(BACK_OFFICE, "exchange/quote/add/")),
    Screenshot("quote-propose", first_record(BACK_OFFICE, _TRADING, "quote/")),
    Screenshot(
        "setting-change-approve", follow(first_record(FINANCE_APPROVER, _SETTING_CHANGE), "Approve")
    ),
    Screenshot(
        "setting-change-reject", follow(first_record(FINANCE_APPROVER, _SETTING_CHANGE), "Reject")
    ),
    Screenshot("stale-page", stale_page),
    Screenshot("token-decisions", first_record(FINANCE_APPROVER, _IN_RAISE)),
    Screenshot("token-close", first_record(FINANCE_APPROVER, _TRADING, "close/")),
    Screenshot("token-exit", first_record(FINANCE_APPROVER, _TRADING, "exit/")),
    Screenshot("token-cancel", first_record(FINANCE_APPROVER, _IN_RAISE, "cancel/")),
    Screenshot("token-complete", first_record(FINANCE_APPROVER, _IN_RAISE, "complete/")),
    Screenshot("loan-liquidate", first_record(CREDIT_OFFICER, _DEFAULTED, "liquidate/")),
    Screenshot("loan-write-off", first_record(CREDIT_OFFICER, _DEFAULTED, "write_off/")),
    Screenshot("loan-closure", liquidation),
    Screenshot("loan-closure-confirm", liquidation_confirmation),
    Screenshot("loan-configuration-approve", terms_confirmation),
    Screenshot("loan-configuration-retire", first_record(CREDIT_OFFICER, _LENDING, "retire/")),
    Screenshot("loan-configuration-add", at(CREDIT_OFFICER, "credit/loanconfiguration/add/")),
    Screenshot("reconciliation-add", at(FINANCE_APPROVER, "wallets/reconciliation/add/")),
    Screenshot("api-key-revoke", first_record(ADMINISTRATOR, "exchange/apikey/", "revoke/")),
    Screenshot("api-token-revoke", token_revocation),
    Screenshot(
        "organisation-deactivate",
        first_record(BACK_OFFICE, "exchange/organisation/", "deactivate/"),
    ),
    Screenshot("webhook-enable", first_record(BACK_OFFICE, "exchange/webhookendpoint/", "enable/")),
    Screenshot("api-key-rotate", first_record(ADMINISTRATOR, "exchange/apikey/", "rotate/")),
    Screenshot("staff-role", first_record(ADMINISTRATOR, "exchange/staffuser/", "role/")),
    Screenshot("staff-reset", first_record(ADMINISTRATOR, "exchange/staffuser/", "reset/")),
    Screenshot(
        "staff-deactivate", first_record(ADMINISTRATOR, "exchange/staffuser/", "deactivate/")
    ),
)
