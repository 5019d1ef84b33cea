"""Pages on which people decide: what each asks before it does anything, and what it refuses.

None of them is answered with yes, but for proposals, which another person is shown.
"""

from __future__ import annotations

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
from tests.screenshots.reaching import Scene, at, first
from tests.screenshots.studio import SECOND, Studio

_MINE = "wallets/withdrawal/?status=Pending&currency=KES"
_QUOTE = "exchange/quote/?status__exact=Pending"
# One that waits: `figure-review` has proposed it.
_FIGURE = "wallets/settingchange/?status__exact=Pending"
_TRADING = "exchange/token/?state=Trading"
_IN_RAISE = "exchange/token/?state=In+its+raise"
_DEFAULTED = "credit/loan/?status__exact=DEFAULTED"
_LENDING = "credit/loanconfiguration/?status__exact=Approved"
_WAITING_TERMS = "credit/loanconfiguration/?decision=mine"


# --- money out ---


def confirmation(studio: Studio) -> Page:
    page = first(FINANCE_APPROVER, _MINE)(studio)
    page.get_by_role("button", name=re.compile("^Approve")).click()
    page.get_by_text("Nothing has been done yet.").wait_for()
    return page


def rejection(studio: Studio) -> Page:
    page = first(FINANCE_APPROVER, _MINE)(studio)
    page.get_by_label("Reason (required").fill("The account is not the member's")
    page.get_by_role("button", name=re.compile("^Reject")).click()
    page.get_by_role("button", name=re.compile("^Yes, reject")).wait_for()
    return page


def bulk_confirmation(studio: Studio) -> Page:
    page = at(FINANCE_APPROVER, "wallets/withdrawal/?status=Pending")(studio)
    for box in page.locator("input.action-select").all():
        box.check()
    page.locator("select[name=action]").select_option("approve_selected")
    page.get_by_role("button", name="Go", exact=True).click()
    page.get_by_role("button", name=re.compile("^Yes, approve")).wait_for()
    return page


# --- money in, prices ---


def deposit_entry(studio: Studio) -> Page:
    """A deposit that was entered and waits for somebody else."""
    page = at(BACK_OFFICE, "wallets/deposit/add/")(studio)
    suggest(page, "organisation", "Sikadua")
    page.get_by_label("Currency").select_option("NGN")
    page.get_by_label("Amount").fill("1250000.50")
    page.get_by_label("Reference").fill("FT26325QK7N1")
    page.get_by_label("Note").fill("Statement of 20 November, line 14")
    page.locator("main form [type=submit]").click()
    page.locator(".messages, .errornote").wait_for()
    other = studio.page(FINANCE_APPROVER)
    other.goto("/admin/wallets/deposit/?q=FT26325QK7N1")
    other.locator("#result_list tbody a").first.click()
    other.wait_for_load_state()
    return other


def deposit_confirmation(studio: Studio) -> Page:
    return follow(deposit_entry, "Confirm")(studio)


def deposit_rejection(studio: Studio) -> Page:
    return follow(deposit_entry, "Reject")(studio)


def stale(studio: Studio) -> Page:
    """The page of a quote, its button pressed after another person was quicker."""
    page = at(FINANCE_APPROVER, _QUOTE)(studio)
    page.goto(page.locator("#result_list tbody a").last.get_attribute("href") or "")
    page.get_by_role("link", name=re.compile("^Approve")).click()
    page.get_by_text("Nothing has been done yet.").wait_for()
    other = studio.page(FINANCE_APPROVER, SECOND)
    other.goto(urlsplit(page.url).path.replace("/approve/", "/reject/"))
    other.get_by_label("Reason").fill("The price is of last month")
    other.locator("main form [type=submit]").click()
    other.get_by_role("status").wait_for()
    page.locator("#confirm [type=submit]").click()
    page.get_by_role("alert").wait_for()
    return page


# --- credit ---


def liquidation(studio: Studio) -> Page:
    """A proposal to end a loan, as the officer sees it who is to confirm it."""
    page = first(CREDIT_OFFICER, _DEFAULTED)(studio)
    address = urlsplit(page.url).path
    propose = page.get_by_role("link", name="Propose: liquidate")
    if propose.count():
        propose.click()
        page.get_by_label("Note").fill("No answer to three calls; 58 days late")
        page.locator("main form [type=submit]").click()
        page.get_by_role("status").wait_for()
    other = studio.page(CREDIT_OFFICER, SECOND)
    other.goto(address)
    return other


def liquidation_confirmation(studio: Studio) -> Page:
    page = liquidation(studio)
    page.get_by_role("link", name=re.compile("^Confirm")).click()
    page.wait_for_load_state()
    return page


def terms_confirmation(studio: Studio) -> Page:
    page = studio.page(CREDIT_OFFICER, SECOND)
    page.goto(studio.first(page, _WAITING_TERMS))
    page.get_by_role("link", name=re.compile("^Approve")).click()
    page.wait_for_load_state()
    return page


# --- access ---


def token_ending(studio: Studio) -> Page:
    """The question about one access token of a key."""
    page = first(ADMINISTRATOR, "exchange/apikey/")(studio)
    page.locator("a[href*='/revoke-token/']").first.click()
    page.get_by_text("Nothing has been done yet.").wait_for()
    return page


# --- what all share ---


def suggest(page: Page, field: str, text: str) -> None:
    """Chooses the first suggestion for `text` in a field that finds records."""
    page.locator(f".field-{field} .select2-selection").click()
    page.locator(".select2-search__field").fill(text)
    found = page.locator(".select2-results__option--highlighted", has_text=text)
    found.wait_for()
    found.click()


def follow(reach: Callable[[Studio], Page], words: str) -> Callable[[Studio], Page]:
    """Where the link leads whose name begins with `words`."""

    def reached(studio: Studio) -> Page:
        page = reach(studio)
        page.get_by_role("link", name=re.compile(f"^{words}")).first.click()
        page.wait_for_load_state()
        return page

    return reached


SCENES: tuple[Scene, ...] = (
    Scene("withdrawal-confirm", confirmation),
    Scene("withdrawal-reject", rejection),
    Scene("withdrawals-confirm", bulk_confirmation),
    Scene(
        "withdrawal-details",
        first(FINANCE_APPROVER, "wallets/withdrawal/?view=missing_details", "details/"),
    ),
    Scene("payout-proposals", at(FINANCE_APPROVER, "wallets/proposal/")),
    Scene("decisions", at(AUDITOR, "wallets/decision/")),
    Scene("deposit-add", at(BACK_OFFICE, "wallets/deposit/add/")),
    Scene("deposit-review", deposit_entry),
    Scene("deposit-confirm", deposit_confirmation),
    Scene("deposit-reject", deposit_rejection),
    Scene("quote-review", first(FINANCE_APPROVER, _QUOTE)),
    Scene("quote-approve", follow(first(FINANCE_APPROVER, _QUOTE), "Approve")),
    Scene("quote-reject", follow(first(FINANCE_APPROVER, _QUOTE), "Reject")),
    Scene("quote-propose", first(BACK_OFFICE, _TRADING, "quote/")),
    Scene("figure-approve", follow(first(FINANCE_APPROVER, _FIGURE), "Approve")),
    Scene("figure-reject", follow(first(FINANCE_APPROVER, _FIGURE), "Reject")),
    Scene("stale-page", stale),
    Scene("token-decisions", first(FINANCE_APPROVER, _IN_RAISE)),
    Scene("token-close", first(FINANCE_APPROVER, _TRADING, "close/")),
    Scene("token-exit", first(FINANCE_APPROVER, _TRADING, "exit/")),
    Scene("token-cancel", first(FINANCE_APPROVER, _IN_RAISE, "cancel/")),
    Scene("token-complete", first(FINANCE_APPROVER, _IN_RAISE, "complete/")),
    Scene("loan-liquidate", first(CREDIT_OFFICER, _DEFAULTED, "liquidate/")),
    Scene("loan-write-off", first(CREDIT_OFFICER, _DEFAULTED, "write_off/")),
    Scene("loan-ending", liquidation),
    Scene("loan-ending-confirm", liquidation_confirmation),
    Scene("loan-configuration-approve", terms_confirmation),
    Scene("loan-configuration-retire", first(CREDIT_OFFICER, _LENDING, "retire/")),
    Scene("loan-configuration-add", at(CREDIT_OFFICER, "credit/loanconfiguration/add/")),
    Scene("reconciliation-add", at(FINANCE_APPROVER, "wallets/reconciliation/add/")),
    Scene("api-key-revoke", first(ADMINISTRATOR, "exchange/apikey/", "revoke/")),
    Scene("api-token-revoke", token_ending),
    Scene("organisation-deactivate", first(BACK_OFFICE, "exchange/organisation/", "deactivate/")),
    Scene("webhook-enable", first(BACK_OFFICE, "exchange/webhookendpoint/", "enable/")),
    Scene("api-key-rotate", first(ADMINISTRATOR, "exchange/apikey/", "rotate/")),
    Scene("staff-role", first(ADMINISTRATOR, "exchange/staffuser/", "role/")),
    Scene("staff-reset", first(ADMINISTRATOR, "exchange/staffuser/", "reset/")),
    Scene("staff-deactivate", first(ADMINISTRATOR, "exchange/staffuser/", "deactivate/")),
)
