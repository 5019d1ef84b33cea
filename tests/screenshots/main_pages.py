"""The main pages of the back office, each opened as a role that works there."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.template.loader import render_to_string
from playwright.sync_api import Page

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
)
from tests.screenshots import accounting_pages, api_docs, decision_pages, rare_pages
from tests.screenshots.demo_site import DemoSite, enter_code
from tests.screenshots.screenshot import Screenshot, at, first_record, wait_for_success

# Blanks what pictures must not reveal: texts of secrets, and the QR code for the app.
_BLANK = """() => {
  for (const shown of document.querySelectorAll(".secret dd code, .signin-secret, .signin-codes li"))
    if (!shown.closest(".secret") || /^\\S{16,}$/.test(shown.textContent.trim()))
      shown.textContent = "\\u2022".repeat(16);
  for (const picture of document.querySelectorAll(".signin-picture svg path:last-of-type"))
    picture.setAttribute("d", "");
}"""  # noqa: E501


# --- signing in ---


def sign_in(site: DemoSite) -> Page:
    page = site.anonymous_page()
    page.goto("/admin/")
    return page


def sign_in_rejected(site: DemoSite) -> Page:
    page = sign_in(site)
    page.get_by_label("Username").fill("nobody")
    page.get_by_label("Password").fill("not a password")
    page.keyboard.press("Enter")
    page.locator(".errorlist").wait_for()
    return page


def code(site: DemoSite) -> Page:
    page = site.anonymous_page()
    person = site.demo["staff"][0]
    site.enter_password(page, person["username"], person["password"])
    return page


def welcome(site: DemoSite) -> Page:
    page = site.anonymous_page()
    page.goto(site.invitation)
    return page


def enrolment(site: DemoSite) -> Page:
    page = site.new_user_page
    site.secret_of(page)
    page.evaluate(_BLANK)
    return page


def recovery_codes(site: DemoSite) -> Page:
    """The recovery codes, shown once after a second factor was set up."""
    page = site.new_user_page
    if page.locator("[name=code]").count():
        enter_code(page, site.secret_of(page))
    page.locator(".signin-codes").wait_for()
    page.evaluate(_BLANK)
    return page


def locked_out(site: DemoSite) -> Page:
    page = sign_in(site)
    for _ in range(6):
        page.get_by_label("Username").fill("nobody.here")
        page.get_by_label("Password").fill("not a password")
        page.keyboard.press("Enter")
        page.locator(".errorlist").first.wait_for()
    return page


# --- proposing ---


def configuration_review(site: DemoSite) -> Page:
    """Effective terms next to pending ones, as the proposing officer sees them."""
    page = first_record(CREDIT_OFFICER, "credit/loanconfiguration/?status__exact=Approved")(site)
    address = page.url
    propose = page.get_by_role("link", name="Propose new terms")
    if propose.count():
        propose.click()
        page.locator("[name=name]").fill("Revised terms")
        page.locator("[name=interest_rate]").fill("2.25")
        page.locator("main form [type=submit]").click()
        wait_for_success(page)
    page.goto(address)
    return page


def setting_review(site: DemoSite) -> Page:
    """A pending settings change, as the approver sees it."""
    page = first_record(BACK_OFFICE, "wallets/configuration/", "propose/")(site)
    page.get_by_label("New value").fill("12.5")
    page.get_by_label("Reason").fill("The provider charges more from next month on")
    page.locator("main form [type=submit]").click()
    # A running service may already have a pending change.
    page.locator(".message.success, .errornote").first.wait_for()
    return first_record(FINANCE_APPROVER, "wallets/settingchange/")(site)


def setting_with_errors(site: DemoSite) -> Page:
    page = first_record(BACK_OFFICE, "wallets/configuration/", "propose/")(site)
    page.get_by_label("New value").fill("-1")
    page.locator("main form [type=submit]").click()
    page.locator(".errornote").wait_for()
    return page


# --- shown once ---


def secret(site: DemoSite) -> Page:
    page = first_record(ADMINISTRATOR, "exchange/apikey/", "token/")(site)
    page.locator("main form [type=submit]").click()
    site.confirm_and_collect(page)
    page.evaluate(_BLANK)
    return page


def export(site: DemoSite) -> Page:
    page = at(FINANCE_APPROVER, "wallets/entry/export/")(site)
    with page.expect_download():
        page.locator("main form [type=submit]").click()
    return first_record(FINANCE_APPROVER, "exchange/export/")(site)


def exports(site: DemoSite) -> Page:
    export(site)
    return at(FINANCE_APPROVER, "exchange/export/")(site)


def menu(site: DemoSite) -> Page:
    """The sidebar, opened on a phone."""
    page = at(FINANCE_APPROVER, "wallets/withdrawal/")(site)
    page.evaluate("document.documentElement.classList.add('menu-open')")
    return page


def filters(site: DemoSite) -> Page:
    page = at(BACK_OFFICE, "exchange/token/")(site)
    page.locator("details.filters summary").click()
    return page


def account(site: DemoSite) -> Page:
    page = at(FINANCE_APPROVER, "wallets/alert/")(site)
    page.locator("details.account summary").click()
    return page


def error(site: DemoSite) -> Page:
    """The error page, rendered from its template."""
    page = site.page(FINANCE_APPROVER)
    page.route(
        "**/admin/fault/",
        lambda route: route.fulfill(
            status=500, content_type="text/html", body=render_to_string("500.html")
        ),
    )
    page.goto("/admin/fault/")
    return page


def token_market(period: str) -> Callable[[DemoSite], Page]:
    """Prices, volumes and the order book of a token that trades."""

    def open_page(site: DemoSite) -> Page:
        page = site.page(BACK_OFFICE)
        path = site.first_record_path(page, "exchange/token/?state=Trading")
        page.goto(f"{path}?range={period}#tab-market")
        return page

    return open_page


def history(site: DemoSite) -> Page:
    """The change history of a token."""
    page = site.page(AUDITOR)
    page.goto(site.first_record_path(page, "exchange/token/"))
    page.goto(f"{urlsplit(page.url).path.removesuffix('change/')}history/")
    return page


SCREENSHOTS: tuple[Screenshot, ...] = (
    Screenshot("sign-in", sign_in),
    Screenshot("sign-in-rejected", sign_in_rejected),
    Screenshot("sign-in-code", code),
    Screenshot("welcome", welcome),
    Screenshot("second-factor-enrolment", enrolment),
    Screenshot("second-factor-codes", recovery_codes),
    Screenshot("second-factor", at(FINANCE_APPROVER, "second-factor/")),
    Screenshot("password-change", at(FINANCE_APPROVER, "password_change/")),
    Screenshot("dashboard", at(FINANCE_APPROVER, "")),
    Screenshot("dashboard-back-office", at(BACK_OFFICE, "")),
    Screenshot("dashboard-credit", at(CREDIT_OFFICER, "")),
    Screenshot("help", at(BACK_OFFICE, "help/")),
    Screenshot("help-withdrawals", at(FINANCE_APPROVER, "help/withdrawal-review/")),
    Screenshot("dashboard-administrator", at(ADMINISTRATOR, "")),
    Screenshot("dashboard-auditor", at(AUDITOR, "")),
    Screenshot("menu", menu),
    Screenshot("account-menu", account),
    Screenshot("withdrawals", at(FINANCE_APPROVER, "wallets/withdrawal/")),
    Screenshot(
        "withdrawals-empty", at(FINANCE_APPROVER, "wallets/withdrawal/?q=nothing-like-this")
    ),
    Screenshot(
        "withdrawal-review",
        first_record(FINANCE_APPROVER, "wallets/withdrawal/?status=Pending&currency=KES"),
    ),
    Screenshot("withdrawal-done", first_record(AUDITOR, "wallets/withdrawal/?status=Completed")),
    Screenshot("payouts", at(FINANCE_APPROVER, "wallets/payout/")),
    Screenshot("payout", first_record(FINANCE_APPROVER, "wallets/payout/")),
    Screenshot("provider-events", at(FINANCE_APPROVER, "wallets/providerevent/")),
    Screenshot("bank-records", at(FINANCE_APPROVER, "wallets/bankaccount/")),
    Screenshot("bank-record", first_record(FINANCE_APPROVER, "wallets/bankaccount/")),
    Screenshot("bank-lists", at(BACK_OFFICE, "wallets/banklist/")),
    Screenshot("bank-list", first_record(BACK_OFFICE, "wallets/banklist/")),
    Screenshot("deposits", at(FINANCE_APPROVER, "wallets/deposit/")),
    Screenshot("deposit", first_record(FINANCE_APPROVER, "wallets/deposit/")),
    Screenshot("deposit-reversals", at(FINANCE_APPROVER, "wallets/depositreversal/")),
    Screenshot("payments", at(FINANCE_APPROVER, "wallets/payment/")),
    Screenshot("tokens", at(BACK_OFFICE, "exchange/token/")),
    Screenshot("tokens-filters", filters),
    Screenshot("token-add", at(BACK_OFFICE, "exchange/token/add/")),
    Screenshot("token", first_record(BACK_OFFICE, "exchange/token/")),
    Screenshot("token-market", token_market("30d")),
    Screenshot("token-market-hours", token_market("24h")),
    Screenshot("token-edit", first_record(BACK_OFFICE, "exchange/token/", "edit/")),
    Screenshot("quotes", at(BACK_OFFICE, "exchange/quote/")),
    Screenshot("quote", first_record(BACK_OFFICE, "exchange/quote/?status__exact=Pending")),
    Screenshot("orders", at(BACK_OFFICE, "orders/order/")),
    Screenshot("order", first_record(BACK_OFFICE, "orders/order/")),
    Screenshot("order-fulfilled", first_record(AUDITOR, "orders/order/?status__exact=Fulfilled")),
    Screenshot("trades", at(BACK_OFFICE, "orders/trade/")),
    Screenshot("trade", first_record(BACK_OFFICE, "orders/trade/")),
    Screenshot("loans", at(CREDIT_OFFICER, "credit/loan/")),
    Screenshot("loan", first_record(CREDIT_OFFICER, "credit/loan/?status__exact=ACTIVE")),
    Screenshot("loan-configurations", at(CREDIT_OFFICER, "credit/loanconfiguration/")),
    Screenshot("loan-configuration-review", configuration_review),
    Screenshot("distributions", at(FINANCE_APPROVER, "credit/distribution/")),
    Screenshot("distribution", first_record(AUDITOR, "credit/distribution/?status__exact=Paid")),
    Screenshot(
        "distribution-review",
        first_record(FINANCE_APPROVER, "credit/distribution/?status__exact=Draft"),
    ),
    Screenshot("payment-calendar", at(FINANCE_APPROVER, "credit/distribution/calendar/")),
    Screenshot("token-income", first_record(FINANCE_APPROVER, "exchange/token/?q=ASHC")),
    Screenshot("accounts", at(FINANCE_APPROVER, "wallets/account/")),
    Screenshot("account", first_record(FINANCE_APPROVER, "wallets/account/")),
    Screenshot("transfers", at(FINANCE_APPROVER, "wallets/transfer/")),
    Screenshot("transfer", first_record(FINANCE_APPROVER, "wallets/transfer/")),
    Screenshot("entry", first_record(FINANCE_APPROVER, "wallets/entry/")),
    Screenshot("entries", at(FINANCE_APPROVER, "wallets/entry/")),
    Screenshot("trial-balance", at(FINANCE_APPROVER, "wallets/account/trial-balance/")),
    Screenshot("general-ledger", at(FINANCE_APPROVER, "wallets/entry/general-ledger/")),
    Screenshot("treasury-movements", at(FINANCE_APPROVER, "wallets/treasurymovement/")),
    Screenshot("adjusting-entries", at(FINANCE_APPROVER, "wallets/adjustingentry/")),
    Screenshot("adjusting-entry-add", at(FINANCE_APPROVER, "wallets/adjustingentry/add/")),
    Screenshot("period-closes", at(FINANCE_APPROVER, "wallets/periodclose/")),
    Screenshot("treasury-movement-add", at(FINANCE_APPROVER, "wallets/treasurymovement/add/")),
    Screenshot("bank-statement-lines", at(FINANCE_APPROVER, "wallets/statementline/")),
    Screenshot("bank-statement-upload", at(FINANCE_APPROVER, "wallets/statementfile/add/")),
    Screenshot("own-bank-account-add", at(FINANCE_APPROVER, "wallets/ownbankaccount/add/")),
    Screenshot("treasury-movement", first_record(AUDITOR, "wallets/treasurymovement/")),
    Screenshot("receivables", at(FINANCE_APPROVER, "wallets/receivable/")),
    Screenshot("receivable", first_record(FINANCE_APPROVER, "wallets/receivable/")),
    Screenshot("write-offs", at(FINANCE_APPROVER, "wallets/receivablewriteoff/")),
    Screenshot("write-off", first_record(FINANCE_APPROVER, "wallets/receivablewriteoff/")),
    Screenshot("payout-proposals", at(FINANCE_APPROVER, "wallets/proposal/")),
    Screenshot("payout-proposal", first_record(AUDITOR, "wallets/proposal/")),
    Screenshot("deposit-reversal", first_record(FINANCE_APPROVER, "wallets/depositreversal/")),
    Screenshot("wallet-transfers", at(BACK_OFFICE, "wallets/wallettransfer/")),
    Screenshot("conversions", at(BACK_OFFICE, "wallets/conversion/")),
    Screenshot("breaks", at(FINANCE_APPROVER, "wallets/reconciliationbreak/")),
    Screenshot("freezes", at(FINANCE_APPROVER, "wallets/freeze/")),
    Screenshot("books-proofs", at(AUDITOR, "wallets/booksproof/")),
    Screenshot("books-proof", first_record(AUDITOR, "wallets/booksproof/")),
    Screenshot("reconciliations", at(FINANCE_APPROVER, "wallets/reconciliation/")),
    Screenshot("reconciliation", first_record(FINANCE_APPROVER, "wallets/reconciliation/")),
    Screenshot("alerts", at(FINANCE_APPROVER, "wallets/alert/")),
    Screenshot("export-form", at(FINANCE_APPROVER, "wallets/entry/export/")),
    Screenshot("exports", exports),
    Screenshot("export", export),
    Screenshot("settings", at(BACK_OFFICE, "wallets/configuration/")),
    Screenshot("settings-by-currency", at(BACK_OFFICE, "wallets/configuration/by-currency/")),
    Screenshot("setting", first_record(BACK_OFFICE, "wallets/configuration/")),
    Screenshot("setting-change-with-errors", setting_with_errors),
    Screenshot("setting-change-review", setting_review),
    Screenshot("organisations", at(BACK_OFFICE, "exchange/organisation/")),
    Screenshot("organisation", first_record(BACK_OFFICE, "exchange/organisation/")),
    Screenshot("organisation-edit", first_record(BACK_OFFICE, "exchange/organisation/", "edit/")),
    Screenshot("members", at(BACK_OFFICE, "exchange/member/")),
    Screenshot("member", first_record(BACK_OFFICE, "exchange/member/?q=adaora")),
    Screenshot("member-frozen", first_record(FINANCE_APPROVER, "exchange/member/?q=esi")),
    Screenshot("member-owing", first_record(AUDITOR, "exchange/member/?q=baraka")),
    Screenshot(
        "member-timeline", first_record(BACK_OFFICE, "exchange/member/?q=adaora", "timeline/")
    ),
    Screenshot("search", at(FINANCE_APPROVER, "search/?q=ada")),
    Screenshot("search-amount", at(FINANCE_APPROVER, "search/?q=5,000")),
    Screenshot("search-nothing", at(BACK_OFFICE, "search/?q=nothing+like+this")),
    Screenshot("member-add", at(BACK_OFFICE, "exchange/member/add/")),
    Screenshot("api-keys", at(ADMINISTRATOR, "exchange/apikey/")),
    Screenshot("api-key", first_record(ADMINISTRATOR, "exchange/apikey/")),
    Screenshot("api-key-add", at(ADMINISTRATOR, "exchange/apikey/add/")),
    Screenshot("secret", secret),
    Screenshot("events", at(BACK_OFFICE, "exchange/event/")),
    Screenshot("event", first_record(BACK_OFFICE, "exchange/event/")),
    Screenshot("endpoints", at(BACK_OFFICE, "exchange/webhookendpoint/")),
    Screenshot("endpoint", first_record(BACK_OFFICE, "exchange/webhookendpoint/")),
    Screenshot("audit", at(AUDITOR, "exchange/change/")),
    Screenshot("audit-change", first_record(AUDITOR, "exchange/change/")),
    Screenshot("history", history),
    Screenshot("access-record", first_record(AUDITOR, "exchange/accessrecord/")),
    Screenshot("access-records", at(AUDITOR, "exchange/accessrecord/")),
    Screenshot("staff-invite", at(ADMINISTRATOR, "exchange/staffuser/add/")),
    Screenshot("staff", at(ADMINISTRATOR, "exchange/staffuser/")),
    Screenshot("staff-member", first_record(ADMINISTRATOR, "exchange/staffuser/")),
    *accounting_pages.SCREENSHOTS,
    *api_docs.SCREENSHOTS,
    *decision_pages.SCREENSHOTS,
    Screenshot("access-denied", at(BACK_OFFICE, "exchange/apikey/add/"), status=403),
    Screenshot("not-found", at(BACK_OFFICE, "exchange/token/nothing/change/edit/"), status=404),
    Screenshot("error", error, status=500),
    *rare_pages.SCREENSHOTS,
    # Last, because it may lock the client's address out.
    Screenshot("locked-out", locked_out),
)
