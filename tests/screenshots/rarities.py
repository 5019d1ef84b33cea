"""What is seldom seen: payouts whose answer was lost, payouts that came back, and a file that is
still being written. For each the sandbox or the database is told to behave so.

Only in a service that was started for the pictures: a payout counts as lost after seconds there.
"""

from __future__ import annotations

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
from tests.screenshots.reaching import Scene, at, first
from tests.screenshots.studio import SECOND, Studio

_SECONDS = 10
# So many that a worker writes for some seconds.
_MANY_WITHDRAWALS = 6_000
_TRANSFERS = {"method": "POST", "path_prefix": "/v3/transfers"}
_RETURNED = "0690000038"


# --- what the provider does ---


def sandbox(studio: Studio, method: str, path: str, **body: Any) -> Any:
    url = f"{studio.demo['provider_url'].removesuffix('/v3')}/sandbox/{path}"
    answer = requests.request(method, url, json=body or None, timeout=_SECONDS)
    answer.raise_for_status()
    return answer.json()


def asked(studio: Studio, amount: int, account_number: str, name: str) -> str:
    """A member's withdrawal; the path of its page. The same one for the same account."""
    demo = studio.demo
    if account_number not in studio.made:
        member = demo["members"][0]["id"]
        answer = requests.post(
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
        answer.raise_for_status()
        found = answer.json()["data"]["withdrawalRequest"]["_id"]
        studio.made[account_number] = f"/admin/wallets/withdrawal/{found}/change/"
    return studio.made[account_number]


def approve(page: Page, path: str) -> None:
    """Both steps, unless it was decided before."""
    page.goto(path)
    button = page.get_by_role("button", name=re.compile("^Approve"))
    if button.count():
        override = page.locator("#approve-override")
        if override.count():
            override.fill("The bank confirmed the payee by telephone")
        button.click()
        page.get_by_role("button", name=re.compile("^Yes, approve")).click()
        page.get_by_role("status").first.wait_for()


def until(page: Page, path: str, words: str) -> Page:
    """The page at `path` once it offers what begins with `words`."""

    def so() -> bool:
        page.goto(path)
        return page.get_by_role("option", name=words).count() > 0

    wait_until(so, f"{path} offers {words}", 90)
    return page


def propose(page: Page, action: str, reason: str) -> None:
    """What is to be done, unless somebody proposed it before."""
    if page.locator("#propose").count():
        page.get_by_label("What").select_option(action)
        page.locator("#propose-reason").fill(reason)
        page.locator("#propose [type=submit]").click()
        page.get_by_role("status").first.wait_for()


# --- lost ---


def lost(studio: Studio) -> Page:
    """Unknown, and by now lost: what an approver may propose."""
    page = studio.page(FINANCE_APPROVER)
    path = asked(studio, 185_000, "0690000044", "Musa Okonkwo")
    page.goto(path)
    if page.get_by_role("button", name=re.compile("^Approve")).count():
        sandbox(studio, "POST", "faults", fault="error_5xx", times=1, match=_TRANSFERS)
        approve(page, path)
    if not page.get_by_text("Proposed by").count():
        until(page, path, "Fail")
    return page


def lost_proposal(studio: Studio) -> Page:
    """The same with a proposal waiting, as the other approver sees it who is to confirm it."""
    page = lost(studio)
    propose(page, "Fail", "The provider's dashboard does not have it either")
    other = studio.page(FINANCE_APPROVER, SECOND)
    other.goto(urlsplit(page.url).path)
    return other


def lost_confirmation(studio: Studio) -> Page:
    return answer(lost_proposal(studio), "Confirm")


def lost_declining(studio: Studio) -> Page:
    return answer(lost_proposal(studio), "Decline")


# --- returned ---


def returned(studio: Studio) -> Page:
    """Completed, and the bank has sent the money back; somebody has proposed to reverse it."""
    page = studio.page(FINANCE_APPROVER)
    path = asked(studio, 64_500, _RETURNED, "Yetunde Lawal")
    approve(page, path)
    if not page.get_by_text("Proposed by").count():
        until(page, path, "Reverse")
    propose(page, "Reverse", "The bank's statement of today has it as returned")
    other = studio.page(FINANCE_APPROVER, SECOND)
    other.goto(path)
    return other


def reversal_confirmation(studio: Studio) -> Page:
    return answer(returned(studio), "Confirm")


def reversed_payout(studio: Studio) -> Page:
    """What became of it: the money is back in the wallet."""
    page = studio.page(AUDITOR)
    path = asked(studio, 64_500, _RETURNED, "Yetunde Lawal")
    page.goto(path)
    if not page.get_by_text("Reversed").count():
        asking = reversal_confirmation(studio)
        asking.locator("#confirm [type=submit]").click()
        asking.get_by_role("status").first.wait_for()
        page.goto(path)
    return page


def answer(page: Page, words: str) -> Page:
    """The page that asks about the proposal which waits."""
    page.get_by_role("link", name=re.compile(f"^{words}")).first.click()
    page.get_by_text("Nothing has been done yet.").wait_for()
    return page


# --- money that went missing at the provider ---


def broken(studio: Studio) -> None:
    """250,000.55 NGN are gone, yesterday is compared once more, and somebody has explained it."""
    if studio.made.setdefault("break", "") == "made":
        return
    studio.made["break"] = "made"
    held = Decimal(sandbox(studio, "GET", "float")["NGN"])
    less = str(held - Decimal("250000.55"))
    sandbox(studio, "POST", "float", currency="NGN", amount=less)
    page = at(FINANCE_APPROVER, "wallets/reconciliation/add/")(studio)
    page.locator("[name=day]").fill(f"{datetime.now(UTC).date() - timedelta(days=1)}")
    page.locator("main form [type=submit]").click()
    report = page.url

    def differs() -> bool:
        page.goto(report)
        return page.get_by_text("Differs").count() > 0

    wait_until(differs, "it differs")
    page.goto("/admin/wallets/reconciliationbreak/?q=250000.55")
    page.locator("#result_list tbody a").first.click()
    page.get_by_role("button", name="Take").click()
    page.get_by_role("link", name="Explain", exact=True).click()
    page.locator("[name=explanation]").fill("The bank collected its yearly fee; statement, line 12")
    page.get_by_role("button", name="Propose to close").click()
    page.get_by_text("Waits for a second person").wait_for()


def after_a_break(role: str, address: str) -> Callable[[Studio], Page]:
    """The page of `role` at `address`, when there is an explained break."""

    def reach(studio: Studio) -> Page:
        broken(studio)
        return at(role, address)(studio)

    return reach


def one_break(studio: Studio) -> Page:
    broken(studio)
    return first(AUDITOR, "wallets/reconciliationbreak/?q=250000.55")(studio)


# --- a file that is being written ---


def export_under_way(studio: Studio) -> Page:
    """An export of many entries, held fast where the worker was when it last told how far it is."""
    database = database_url(studio.data, "exchange_owner")
    organisation = studio.demo["organisations"][0]["id"]
    ledger_rows.fill(database, organisation, 1, _MANY_WITHDRAWALS)
    page = at(FINANCE_APPROVER, "wallets/entry/export/")(studio)
    page.get_by_label("XLSX").check()
    page.locator("main form [type=submit]").click()
    page.locator("#export-progress").wait_for()
    export = urlsplit(page.url).path.split("/")[-3]
    # The worker waits for this row as soon as it has more to tell, and the pages do not.
    holding = studio.keep(psycopg.connect(database))
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


SCENES: tuple[Scene, ...] = (
    Scene("payout-lost", lost, alone=True),
    Scene("payout-lost-proposal", lost_proposal, alone=True),
    Scene("payout-lost-confirm", lost_confirmation, alone=True),
    Scene("payout-lost-decline", lost_declining, alone=True),
    Scene("payout-returned", returned, alone=True),
    Scene("payout-reversal-confirm", reversal_confirmation, alone=True),
    Scene("proposals-waiting", at(FINANCE_APPROVER, "wallets/proposal/"), alone=True),
    Scene("payout-reversed", reversed_payout, alone=True),
    Scene("break-on-the-front-page", after_a_break(FINANCE_APPROVER, ""), alone=True),
    Scene("breaks", after_a_break(FINANCE_APPROVER, "wallets/reconciliationbreak/"), alone=True),
    Scene("break", one_break, alone=True),
    Scene("export-under-way", export_under_way, alone=True),
)
