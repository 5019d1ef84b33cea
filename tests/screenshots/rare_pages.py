"""Rare pages: unresolved and returned payouts, a reconciliation break, an export in progress.

The sandbox or the database is set up for each of them. They need a service that was started for
the pictures, where a payout counts as unresolved after seconds.
"""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import psycopg
import requests
from playwright.sync_api import Page

from config.back_office.roles import AUDITOR, FINANCE_APPROVER
from config.local.embedded.layout import database_url
from tests.environment.processes import wait_until
from tests.factories import ledger_rows
from tests.screenshots.demo_site import SECOND, DemoSite
from tests.screenshots.screenshot import Screenshot, at, first_record, wait_for_success

_SECONDS = 10
# Enough to keep a worker busy for some seconds.
_MANY_WITHDRAWALS = 6_000
_TRANSFERS = {"method": "POST", "path_prefix": "/v3/transfers"}
_RETURNED = "0690000038"
_APPROVE = re.compile("^Approve and pay ")


# --- the provider ---


def call_sandbox(site: DemoSite, method: str, path: str, **body: Any) -> Any:
    url = f"{site.demo['provider_url'].removesuffix('/v3')}/sandbox/{path}"
    response = requests.request(method, url, json=body or None, timeout=_SECONDS)
    response.raise_for_status()
    return response.json()


def request_withdrawal(site: DemoSite, amount: int, account_number: str, name: str) -> str:
    """Request a member's withdrawal and return the path of its page; one for each account."""
    demo = site.demo
    if account_number not in site.record_paths:
        member = demo["members"][0]["id"]
        response = requests.post(
            f"{demo['base_url']}/v1/api/members/{member}/wallet/withdraw",
            json={
                "amount": amount,
                "currency": "NGN",
                "bank_name": "Guaranty Trust Bank",
                "account_name": name,
                "account_number": account_number,
            },
            headers={
                "Authorization": f"Bearer {demo['organisations'][0]['access_token']}",
                "Idempotency-Key": f"{demo['base_url']} {account_number}",
            },
            timeout=_SECONDS,
        )
        response.raise_for_status()
        found = response.json()["data"]["withdrawalRequest"]["_id"]
        site.record_paths[account_number] = f"/admin/wallets/withdrawal/{found}/change/"
    return site.record_paths[account_number]


def approve(page: Page, path: str) -> None:
    """Approve and confirm, unless it was decided before."""
    page.goto(path)
    link = page.get_by_role("link", name=_APPROVE)
    if link.count():
        link.click()
        page.get_by_text("No changes made yet.").wait_for()
        override = page.locator("[name=override]")
        if override.count():
            override.fill("The bank confirmed the payee by telephone")
        page.locator("#confirm [type=submit]").first.click()
        wait_for_success(page)


def wait_for_option(page: Page, path: str, words: str) -> Page:
    """Reload the page at `path` until it has an option that begins with `words`."""

    def so() -> bool:
        page.goto(path)
        return page.get_by_role("option", name=words).count() > 0

    wait_until(so, f"{path} offers {words}", 90)
    return page


def propose(page: Page, action: str, reason: str) -> None:
    """Propose the action, unless it was proposed before."""
    if page.locator("#propose").count():
        page.get_by_label("Action").select_option(action)
        page.locator("#propose-reason").fill(reason)
        page.locator("#propose [type=submit]").click()
        wait_for_success(page)


# --- unresolved ---


def unknown_payout(site: DemoSite) -> Page:
    """Unknown, and by now lost: what an approver may propose."""
    page = site.page(FINANCE_APPROVER)
    path = request_withdrawal(site, 185_000, "0690000044", "Musa Okonkwo")
    page.goto(path)
    if page.get_by_role("link", name=_APPROVE).count():
        call_sandbox(site, "POST", "faults", fault="error_5xx", times=1, match=_TRANSFERS)
        approve(page, path)
    if not page.get_by_text("Proposed by").count():
        wait_for_option(page, path, "Fail")
    return page


def unknown_payout_proposal(site: DemoSite) -> Page:
    """An unresolved payout with a pending proposal, as the second approver sees it."""
    page = unknown_payout(site)
    propose(page, "Fail", "The provider's dashboard does not have it either")
    other = site.page(FINANCE_APPROVER, SECOND)
    other.goto(urlsplit(page.url).path)
    return other


def unknown_payout_confirmation(site: DemoSite) -> Page:
    return open_confirmation(unknown_payout_proposal(site), "Confirm")


def unknown_payout_decline(site: DemoSite) -> Page:
    return open_confirmation(unknown_payout_proposal(site), "Reject")


# --- returned ---


def returned_payout(site: DemoSite) -> Page:
    """A payout that the bank has returned, with a pending proposal to reverse it."""
    page = site.page(FINANCE_APPROVER)
    path = request_withdrawal(site, 64_500, _RETURNED, "Yetunde Lawal")
    approve(page, path)
    if not page.get_by_text("Proposed by").count():
        wait_for_option(page, path, "Reverse")
    propose(page, "Reverse", "The bank's statement of today has it as returned")
    other = site.page(FINANCE_APPROVER, SECOND)
    other.goto(path)
    return other


def reversal_confirmation(site: DemoSite) -> Page:
    return open_confirmation(returned_payout(site), "Confirm")


def reversed_payout(site: DemoSite) -> Page:
    """A reversed payout: the money is back in the wallet."""
    page = site.page(AUDITOR)
    path = request_withdrawal(site, 64_500, _RETURNED, "Yetunde Lawal")
    page.goto(path)
    if not page.get_by_text("Reversed").count():
        asking = reversal_confirmation(site)
        asking.locator("#confirm [type=submit]").first.click()
        wait_for_success(asking)
        page.goto(path)
    return page


def open_confirmation(page: Page, words: str) -> Page:
    """Open the confirmation page of the pending proposal."""
    page.get_by_role("link", name=re.compile(f"^{words}")).first.click()
    page.get_by_text("No changes made yet.").wait_for()
    return page


# --- money missing at the provider ---


def make_break(site: DemoSite) -> None:
    """Remove 250,000.55 NGN at the provider, reconcile yesterday again, and explain the break."""
    if site.record_paths.setdefault("break", "") == "made":
        return
    site.record_paths["break"] = "made"
    held = Decimal(str(call_sandbox(site, "GET", "float")["NGN"]))
    less = str(held - Decimal("250000.55"))
    call_sandbox(site, "POST", "float", currency="NGN", amount=less)
    page = at(FINANCE_APPROVER, "wallets/reconciliation/add/")(site)
    page.locator("[name=day]").fill(f"{datetime.now(UTC).date() - timedelta(days=1)}")
    page.locator("main form [type=submit]").click()
    report = page.url

    def differs() -> bool:
        page.goto(report)
        return page.get_by_text("Differs").count() > 0

    wait_until(differs, "it differs")
    page.goto("/admin/wallets/reconciliationbreak/?q=250000.55")
    page.locator("#result_list tbody a").first.click()
    page.get_by_role("button", name="Assign to me").click()
    page.get_by_role("link", name="Explain", exact=True).click()
    page.locator("[name=explanation]").fill("The bank collected its yearly fee; statement, line 12")
    page.get_by_role("button", name="Propose to close").click()
    page.get_by_text("Awaiting second person").wait_for()


def page_with_break(role: str, address: str) -> Callable[[DemoSite], Page]:
    """Open `address` as `role` after an explained break."""

    def open_page(site: DemoSite) -> Page:
        make_break(site)
        return at(role, address)(site)

    return open_page


def break_record(site: DemoSite) -> Page:
    make_break(site)
    return first_record(AUDITOR, "wallets/reconciliationbreak/?q=250000.55")(site)


# --- an export in progress ---


def export_in_progress(site: DemoSite) -> Page:
    """An export of many entries, paused at the worker's last progress report."""
    database = database_url(site.data, "exchange_owner")
    organisation = site.demo["organisations"][0]["id"]
    ledger_rows.fill_withdrawals(database, organisation, 1, _MANY_WITHDRAWALS)
    page = at(FINANCE_APPROVER, "wallets/entry/export/")(site)
    page.get_by_label("XLSX").check()
    page.locator("main form [type=submit]").click()
    page.locator("#progress-bar").wait_for()
    export = urlsplit(page.url).path.split("/")[-3]
    # The worker waits for this row's lock at its next progress report; pages do not.
    holding = site.hold_connection(psycopg.connect(database))
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        row = holding.execute(
            "SELECT rows_done FROM exchange_export WHERE id = %s FOR UPDATE", [export]
        ).fetchone()
        if row and row[0]:
            break
        holding.rollback()
        time.sleep(0.05)
    page.reload()
    return page


SCREENSHOTS: tuple[Screenshot, ...] = (
    Screenshot("payout-unknown", unknown_payout, needs_own_service=True),
    Screenshot("payout-unknown-proposal", unknown_payout_proposal, needs_own_service=True),
    Screenshot("payout-unknown-confirm", unknown_payout_confirmation, needs_own_service=True),
    Screenshot("payout-unknown-decline", unknown_payout_decline, needs_own_service=True),
    Screenshot("payout-returned", returned_payout, needs_own_service=True),
    Screenshot("payout-reversal-confirm", reversal_confirmation, needs_own_service=True),
    Screenshot(
        "proposals-pending", at(FINANCE_APPROVER, "wallets/proposal/"), needs_own_service=True
    ),
    Screenshot("payout-reversed", reversed_payout, needs_own_service=True),
    Screenshot("dashboard-break", page_with_break(FINANCE_APPROVER, ""), needs_own_service=True),
    Screenshot(
        "breaks",
        page_with_break(FINANCE_APPROVER, "wallets/reconciliationbreak/"),
        needs_own_service=True,
    ),
    Screenshot("break", break_record, needs_own_service=True),
    Screenshot("export-in-progress", export_in_progress, needs_own_service=True),
)
