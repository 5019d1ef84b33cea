"""The main pages of the back office, each as the role that works there, and the way to it."""

from __future__ import annotations

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
from tests.screenshots import decisions, rarities
from tests.screenshots.reaching import Scene, at, first
from tests.screenshots.studio import Studio, enter_code

# What nobody may read off a picture: the texts of secrets, and the picture an app scans.
_BLANK = """() => {
  for (const shown of document.querySelectorAll(".secret dd code, .signin-secret, .signin-codes li"))
    if (!shown.closest(".secret") || /^\\S{16,}$/.test(shown.textContent.trim()))
      shown.textContent = "\\u2022".repeat(16);
  for (const picture of document.querySelectorAll(".signin-picture svg path:last-of-type"))
    picture.setAttribute("d", "");
}"""  # noqa: E501


# --- signing in ---


def sign_in(studio: Studio) -> Page:
    page = studio.stranger()
    page.goto("/admin/")
    return page


def sign_in_refused(studio: Studio) -> Page:
    page = sign_in(studio)
    page.get_by_label("Username").fill("nobody")
    page.get_by_label("Password").fill("not a password")
    page.keyboard.press("Enter")
    page.locator(".errorlist").wait_for()
    return page


def code(studio: Studio) -> Page:
    page = studio.stranger()
    person = studio.demo["staff"][0]
    studio.enter_password(page, person["username"], person["password"])
    return page


def welcome(studio: Studio) -> Page:
    page = studio.stranger()
    page.goto(studio.invitation)
    return page


def enrolment(studio: Studio) -> Page:
    page = studio.newcomer
    studio.secret_of(page)
    page.evaluate(_BLANK)
    return page


def recovery_codes(studio: Studio) -> Page:
    """What whoever has set up a second factor is shown once."""
    page = studio.newcomer
    if page.locator("[name=code]").count():
        enter_code(page, studio.secret_of(page))
    page.locator(".signin-codes").wait_for()
    page.evaluate(_BLANK)
    return page


def locked_out(studio: Studio) -> Page:
    page = sign_in(studio)
    for _ in range(6):
        page.get_by_label("Username").fill("nobody.here")
        page.get_by_label("Password").fill("not a password")
        page.keyboard.press("Enter")
        page.locator(".errorlist").first.wait_for()
    return page


# --- proposing ---


def configuration_review(studio: Studio) -> Page:
    """Terms in force beside those that wait, as the officer sees them who proposed."""
    page = first(CREDIT_OFFICER, "credit/loanconfiguration/?status__exact=Approved")(studio)
    address = page.url
    propose = page.get_by_role("link", name="Propose new terms")
    if propose.count():
        propose.click()
        page.locator("[name=name]").fill("Revised terms")
        page.locator("[name=interest_rate]").fill("0.0175")
        page.locator("main form [type=submit]").click()
        page.get_by_role("status").wait_for()
    page.goto(address)
    return page


def figure_review(studio: Studio) -> Page:
    """A figure that waits, as the approver sees it."""
    page = first(BACK_OFFICE, "wallets/configuration/", "propose/")(studio)
    page.get_by_label("New value").fill("12.5")
    page.get_by_label("Reason").fill("The provider charges more from next month on")
    page.locator("main form [type=submit]").click()
    # A service that runs already may have one that waits.
    page.locator(".message.success, .errornote").first.wait_for()
    return first(FINANCE_APPROVER, "wallets/settingchange/")(studio)


def figure_with_errors(studio: Studio) -> Page:
    page = first(BACK_OFFICE, "wallets/configuration/", "propose/")(studio)
    page.get_by_label("New value").fill("-1")
    page.locator("main form [type=submit]").click()
    page.locator(".errornote").wait_for()
    return page


# --- what comes once ---


def secret(studio: Studio) -> Page:
    page = first(ADMINISTRATOR, "exchange/apikey/", "token/")(studio)
    page.locator("main form [type=submit]").click()
    page.locator(".secret").wait_for()
    page.evaluate(_BLANK)
    return page


def export(studio: Studio) -> Page:
    page = at(FINANCE_APPROVER, "wallets/entry/export/")(studio)
    with page.expect_download():
        page.locator("main form [type=submit]").click()
    return first(FINANCE_APPROVER, "exchange/export/")(studio)


def exports(studio: Studio) -> Page:
    export(studio)
    return at(FINANCE_APPROVER, "exchange/export/")(studio)


def menu(studio: Studio) -> Page:
    """The sidebar as a phone shows it, once it was asked for."""
    page = at(FINANCE_APPROVER, "wallets/withdrawal/")(studio)
    page.evaluate("document.documentElement.classList.add('menu-open')")
    return page


def filters(studio: Studio) -> Page:
    page = at(BACK_OFFICE, "exchange/token/")(studio)
    page.locator("details.filters summary").click()
    return page


def account(studio: Studio) -> Page:
    page = at(FINANCE_APPROVER, "wallets/alert/")(studio)
    page.locator("details.account summary").click()
    return page


def fault(studio: Studio) -> Page:
    """What a browser gets when a page breaks: the template itself, since none of ours does."""
    page = studio.page(FINANCE_APPROVER)
    page.route(
        "**/admin/fault/",
        lambda route: route.fulfill(
            status=500, content_type="text/html", body=render_to_string("500.html")
        ),
    )
    page.goto("/admin/fault/")
    return page


def history(studio: Studio) -> Page:
    """All that ever changed of one token."""
    page = studio.page(AUDITOR)
    page.goto(studio.first(page, "exchange/token/"))
    page.goto(f"{urlsplit(page.url).path.removesuffix('change/')}history/")
    return page


SCENES: tuple[Scene, ...] = (
    Scene("sign-in", sign_in),
    Scene("sign-in-refused", sign_in_refused),
    Scene("sign-in-code", code),
    Scene("welcome", welcome),
    Scene("second-factor-enrolment", enrolment),
    Scene("second-factor-codes", recovery_codes),
    Scene("second-factor", at(FINANCE_APPROVER, "second-factor/")),
    Scene("password-change", at(FINANCE_APPROVER, "password_change/")),
    Scene("dashboard", at(FINANCE_APPROVER, "")),
    Scene("dashboard-back-office", at(BACK_OFFICE, "")),
    Scene("dashboard-credit", at(CREDIT_OFFICER, "")),
    Scene("help", at(BACK_OFFICE, "help/")),
    Scene("help-withdrawals", at(FINANCE_APPROVER, "help/withdrawal-review/")),
    Scene("dashboard-administrator", at(ADMINISTRATOR, "")),
    Scene("dashboard-auditor", at(AUDITOR, "")),
    Scene("menu", menu),
    Scene("account-menu", account),
    Scene("withdrawals", at(FINANCE_APPROVER, "wallets/withdrawal/")),
    Scene("withdrawals-empty", at(FINANCE_APPROVER, "wallets/withdrawal/?q=nothing-like-this")),
    Scene(
        "withdrawal-review",
        first(FINANCE_APPROVER, "wallets/withdrawal/?status=Pending&currency=KES"),
    ),
    Scene("withdrawal-done", first(AUDITOR, "wallets/withdrawal/?status=Completed")),
    Scene("payouts", at(FINANCE_APPROVER, "wallets/payout/")),
    Scene("payout", first(FINANCE_APPROVER, "wallets/payout/")),
    Scene("provider-events", at(FINANCE_APPROVER, "wallets/providerevent/")),
    Scene("bank-records", at(FINANCE_APPROVER, "wallets/bankaccount/")),
    Scene("bank-record", first(FINANCE_APPROVER, "wallets/bankaccount/")),
    Scene("bank-lists", at(BACK_OFFICE, "wallets/banklist/")),
    Scene("bank-list", first(BACK_OFFICE, "wallets/banklist/")),
    Scene("deposits", at(FINANCE_APPROVER, "wallets/deposit/")),
    Scene("deposit", first(FINANCE_APPROVER, "wallets/deposit/")),
    Scene("tokens", at(BACK_OFFICE, "exchange/token/")),
    Scene("tokens-filters", filters),
    Scene("token-add", at(BACK_OFFICE, "exchange/token/add/")),
    Scene("token", first(BACK_OFFICE, "exchange/token/")),
    Scene("token-edit", first(BACK_OFFICE, "exchange/token/", "edit/")),
    Scene("quotes", at(BACK_OFFICE, "exchange/quote/")),
    Scene("quote", first(BACK_OFFICE, "exchange/quote/?status__exact=Pending")),
    Scene("orders", at(BACK_OFFICE, "orders/order/")),
    Scene("order", first(BACK_OFFICE, "orders/order/")),
    Scene("trades", at(BACK_OFFICE, "orders/trade/")),
    Scene("trade", first(BACK_OFFICE, "orders/trade/")),
    Scene("loans", at(CREDIT_OFFICER, "credit/loan/")),
    Scene("loan", first(CREDIT_OFFICER, "credit/loan/?status__exact=ACTIVE")),
    Scene("loan-configurations", at(CREDIT_OFFICER, "credit/loanconfiguration/")),
    Scene("loan-configuration-review", configuration_review),
    Scene("accounts", at(FINANCE_APPROVER, "wallets/account/")),
    Scene("account", first(FINANCE_APPROVER, "wallets/account/")),
    Scene("transfers", at(FINANCE_APPROVER, "wallets/transfer/")),
    Scene("transfer", first(FINANCE_APPROVER, "wallets/transfer/")),
    Scene("entry", first(FINANCE_APPROVER, "wallets/entry/")),
    Scene("entries", at(FINANCE_APPROVER, "wallets/entry/")),
    Scene("books-proofs", at(AUDITOR, "wallets/booksproof/")),
    Scene("books-proof", first(AUDITOR, "wallets/booksproof/")),
    Scene("reconciliations", at(FINANCE_APPROVER, "wallets/reconciliation/")),
    Scene("reconciliation", first(FINANCE_APPROVER, "wallets/reconciliation/")),
    Scene("alerts", at(FINANCE_APPROVER, "wallets/alert/")),
    Scene("export-form", at(FINANCE_APPROVER, "wallets/entry/export/")),
    Scene("exports", exports),
    Scene("export", export),
    Scene("figures", at(BACK_OFFICE, "wallets/configuration/")),
    Scene("figure", first(BACK_OFFICE, "wallets/configuration/")),
    Scene("figure-with-errors", figure_with_errors),
    Scene("figure-review", figure_review),
    Scene("organisations", at(BACK_OFFICE, "exchange/organisation/")),
    Scene("organisation", first(BACK_OFFICE, "exchange/organisation/")),
    Scene("organisation-edit", first(BACK_OFFICE, "exchange/organisation/", "edit/")),
    Scene("members", at(BACK_OFFICE, "exchange/member/")),
    Scene("member", first(BACK_OFFICE, "exchange/member/")),
    Scene("member-add", at(BACK_OFFICE, "exchange/member/add/")),
    Scene("api-keys", at(ADMINISTRATOR, "exchange/apikey/")),
    Scene("api-key", first(ADMINISTRATOR, "exchange/apikey/")),
    Scene("api-key-add", at(ADMINISTRATOR, "exchange/apikey/add/")),
    Scene("secret", secret),
    Scene("events", at(BACK_OFFICE, "exchange/event/")),
    Scene("event", first(BACK_OFFICE, "exchange/event/")),
    Scene("endpoints", at(BACK_OFFICE, "exchange/webhookendpoint/")),
    Scene("endpoint", first(BACK_OFFICE, "exchange/webhookendpoint/")),
    Scene("audit", at(AUDITOR, "exchange/change/")),
    Scene("audit-change", first(AUDITOR, "exchange/change/")),
    Scene("history", history),
    Scene("access-record", first(AUDITOR, "exchange/accessrecord/")),
    Scene("access-records", at(AUDITOR, "exchange/accessrecord/")),
    Scene("staff-invite", at(ADMINISTRATOR, "exchange/staffuser/add/")),
    Scene("staff", at(ADMINISTRATOR, "exchange/staffuser/")),
    Scene("staff-member", first(ADMINISTRATOR, "exchange/staffuser/")),
    *decisions.SCENES,
    Scene("refused", at(BACK_OFFICE, "exchange/apikey/add/"), status=403),
    Scene("not-found", at(BACK_OFFICE, "exchange/token/nothing/change/edit/"), status=404),
    Scene("fault", fault, status=500),
    *rarities.SCENES,
    # Last: the address may be shut out with it.
    Scene("locked-out", locked_out),
)
