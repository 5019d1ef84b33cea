"""The main pages of the back office, each as the role that works there, and the way to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from playwright.sync_api import Page

from config.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
)
from tests.screenshots.studio import Studio

# What nobody may read off a picture: the texts of secrets, and the picture an app scans.
_BLANK = """() => {
  for (const shown of document.querySelectorAll(".secret dd code, .signin-secret, .signin-codes li"))
    if (!shown.closest(".secret") || /^\\S{16,}$/.test(shown.textContent.trim()))
      shown.textContent = "\\u2022".repeat(24);
  for (const picture of document.querySelectorAll(".signin-picture svg path:last-of-type"))
    picture.setAttribute("d", "");
}"""  # noqa: E501


@dataclass(frozen=True, slots=True)
class Scene:
    """A page, by the name of its pictures; `reach` leads there and gives the browser's page."""

    name: str
    reach: Callable[[Studio], Page]


def at(role: str, address: str) -> Callable[[Studio], Page]:
    """The page of `role` at an address below /admin/."""

    def reach(studio: Studio) -> Page:
        page = studio.page(role)
        page.goto(f"/admin/{address}")
        return page

    return reach


def first(role: str, listing: str, further: str = "") -> Callable[[Studio], Page]:
    """The first record of a list, or a page below it: `change/` becomes `further`."""

    def reach(studio: Studio) -> Page:
        page = studio.page(role)
        path = studio.first(page, listing)
        page.goto(re.sub(r"change/$", further, path) if further else path)
        return page

    return reach


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
    page.evaluate(_BLANK)
    return page


# --- deciding ---

_PENDING = "wallets/withdrawal/?status=Pending&currency=KES"


def confirmation(studio: Studio) -> Page:
    page = first(FINANCE_APPROVER, _PENDING)(studio)
    page.get_by_role("button", name=re.compile("^Approve")).click()
    page.get_by_text("Nothing has been done yet.").wait_for()
    return page


def rejection(studio: Studio) -> Page:
    page = first(FINANCE_APPROVER, _PENDING)(studio)
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


# --- proposing ---


def configuration_review(studio: Studio) -> Page:
    """Terms in force beside those that wait, as the officer sees them who proposed."""
    page = first(CREDIT_OFFICER, "credit/loanconfiguration/?status=Approved")(studio)
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
    page.get_by_label("New figure").fill("12.5")
    page.get_by_label("Reason").fill("The provider charges more from next month on")
    page.locator("main form [type=submit]").click()
    page.get_by_role("status").wait_for()
    return first(FINANCE_APPROVER, "wallets/configurationfigure/")(studio)


def figure_with_errors(studio: Studio) -> Page:
    page = first(BACK_OFFICE, "wallets/configuration/", "propose/")(studio)
    page.get_by_label("New figure").fill("-1")
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
    Scene("second-factor", at(FINANCE_APPROVER, "second-factor/")),
    Scene("password-change", at(FINANCE_APPROVER, "password_change/")),
    Scene("dashboard", at(FINANCE_APPROVER, "")),
    Scene("dashboard-back-office", at(BACK_OFFICE, "")),
    Scene("dashboard-credit", at(CREDIT_OFFICER, "")),
    Scene("withdrawals", at(FINANCE_APPROVER, "wallets/withdrawal/")),
    Scene("withdrawals-empty", at(FINANCE_APPROVER, "wallets/withdrawal/?q=nothing-like-this")),
    Scene("withdrawal-review", first(FINANCE_APPROVER, _PENDING)),
    Scene("withdrawal-done", first(AUDITOR, "wallets/withdrawal/?status=Completed")),
    Scene("withdrawal-confirm", confirmation),
    Scene("withdrawal-reject", rejection),
    Scene("withdrawals-confirm", bulk_confirmation),
    Scene("payouts", at(FINANCE_APPROVER, "wallets/payout/")),
    Scene("payout", first(FINANCE_APPROVER, "wallets/payout/")),
    Scene("bank-list", first(BACK_OFFICE, "wallets/banklist/")),
    Scene("deposits", at(FINANCE_APPROVER, "wallets/deposit/")),
    Scene("deposit", first(FINANCE_APPROVER, "wallets/deposit/")),
    Scene("tokens", at(BACK_OFFICE, "exchange/token/")),
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
    Scene("members", at(BACK_OFFICE, "exchange/member/")),
    Scene("member", first(BACK_OFFICE, "exchange/member/")),
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
    Scene("access-records", at(AUDITOR, "exchange/accessrecord/")),
    Scene("staff", at(ADMINISTRATOR, "exchange/staffuser/")),
    Scene("staff-member", first(ADMINISTRATOR, "exchange/staffuser/")),
)
