"""Daily work in a real browser: quotes, flags, returned payouts, owners, deposits and filters.

Results are read from the database.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from exchange.participants.models import Member
from exchange.tokens.models import Quote
from tests.assertions import accessibility as axe
from tests.environment.browser import stray_requests
from tests.environment.keyboard import create_enrolled_staff, sign_in
from tests.environment.services import Service
from tests.factories.api_clients import make_organisation
from tests.factories.back_office import current_flag_codes, fund, make_participants, make_withdrawal
from tests.factories.payouts import return_at_bank, settle_at_bank
from tests.factories.tokens import make_token
from tests.factories.wallets import OVERRIDE, Wallet, make_staff, status_of, store_bank_list
from wallets.deposits.models import Deposit
from wallets.payouts.models import Proposal
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.models import Decision
from wallets.withdrawals.services import decisions

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

LIST = "/admin/wallets/withdrawal/"


@contextmanager
def open_second_browser(
    chromium: Browser, service: Service, name: str, role: str = FINANCE_APPROVER
) -> Iterator[Page]:
    """Open a separate browser for a second person."""
    create_enrolled_staff(name, role)
    context = chromium.new_context(base_url=service.base_url)
    strayed = stray_requests(context)
    shown = context.new_page()
    sign_in(shown, name)
    yield shown
    context.close()
    assert strayed == []


def sign_in_as(page: Page, name: str, role: str = FINANCE_APPROVER) -> None:
    create_enrolled_staff(name, role)
    sign_in(page, name)


@pytest.mark.slow
def test_a_quote_is_validated_when_proposed_and_decided_on_its_page(page, chromium, live_service):
    token = make_token()
    sign_in_as(page, "lindiwe", BACK_OFFICE)
    page.goto(f"/admin/exchange/token/{token.pk}/quote/")
    propose = page.get_by_role("button", name="Propose", exact=True)

    page.locator("[name=buy]").fill("110")
    page.locator("[name=sell]").fill("110.01")
    propose.click()
    expect(page.get_by_text("Sell cannot exceed buy").first).to_be_visible()
    expect(page.locator("[name=sell]")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[name=sell]")).to_be_focused()
    assert axe.find_violations(page) == []

    page.locator("[name=buy]").fill("1100")
    page.locator("[name=sell]").fill("1090")
    propose.click()
    far = page.get_by_role("alert").filter(has_text="Usual is a change of at most 20 %")
    expect(far.first).to_contain_text("Buy: 100.00 NGN → 1,100.00 NGN (+1,000.00 %)")
    assert not Quote.objects.exists()
    propose.click()
    expect(page.get_by_text("This is beyond what is usual: enter a reason").first).to_be_visible()
    expect(page.locator("[name=note]")).to_have_attribute("aria-invalid", "true")
    page.locator("[name=note]").fill("Ten shares became one")
    propose.click()
    expect(
        page.get_by_text("Prices proposed. They require a second person's approval.")
    ).to_be_visible()

    with open_second_browser(chromium, live_service, "amina") as amina:
        amina.get_by_role("link", name="Quotes to approve").click()
        amina.locator(".results tbody th a").first.click()
        expect(amina.get_by_role("alert").filter(has_text="at most 20 %").first).to_be_visible()
        expect(amina.get_by_role("row", name=re.compile("^Buy"))).to_contain_text("1,100.00 NGN")
        expect(amina.locator("main")).to_contain_text("Ten shares became one")
        amina.get_by_role("link", name=re.compile("^Approve")).click()
        expect(amina.get_by_role("alert").filter(has_text="at most 20 %").first).to_be_visible()
        amina.locator("[name=reason]").fill("Compared with the resolution on the split")
        amina.get_by_role("button", name=re.compile("^Approve (?!and next)")).click()
        expect(amina.get_by_text("is now quoted at").first).to_be_visible()
    token.refresh_from_db()
    assert (token.price_buy, token.price_sell) == (1100, 1090)


@pytest.mark.slow
def test_a_critical_flag_is_excluded_from_bulk_and_requires_a_reason(page, provider_sandbox):
    organisation, member = make_participants()
    for currency in ("NGN", "KES"):
        fund(organisation, member, currency, "1000000")
    fine, flagged = (make_withdrawal(organisation, member, code, "2000") for code in ("KES", "NGN"))
    sign_in_as(page, "amina")
    page.goto(LIST)
    expect(page.get_by_role("row", name="2,000.00 NGN")).to_contain_text("Critical 1")
    for withdrawal in (fine, flagged):
        page.locator(f"input.action-select[value='{withdrawal.pk}']").check()
    page.locator("select[name=action]").select_option("approve_selected")
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.get_by_role("heading", name="Review and confirm: 1 withdrawal")).to_be_visible()
    excluded = page.get_by_role("region", name="Excluded: 1 withdrawal")
    expect(excluded).to_contain_text("The account name at the bank is Forrest Green")
    assert axe.find_violations(page) == []
    page.get_by_role("button", name=re.compile("^Confirm approval of 1")).click()
    expect(page.get_by_role("status").first).to_contain_text(
        "1 decided, 0 not decided, 1 excluded."
    )
    assert (status_of(fine) != "Pending", status_of(flagged)) == (True, "Pending")

    page.get_by_role("row", name="Excluded").get_by_role("link").click()
    page.get_by_role("link", name=re.compile("^Approve and pay")).click()
    approve = page.get_by_role("button", name=re.compile("^Approve and pay"))
    page.locator("[name=reason]").fill("Called at noon")
    page.locator("[name=override]").fill("   ")
    approve.click()
    expect(page.locator("[name=override]")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[name=override]")).to_be_focused()
    expect(page.locator("[name=reason]")).to_have_value("Called at noon")
    assert axe.find_violations(page) == []
    page.locator("[name=override]").fill(OVERRIDE)
    flags = page.get_by_role("list", name="Flags")
    expect(flags.get_by_role("listitem")).to_have_count(len(current_flag_codes(flagged)))
    approve.click()
    expect(page.get_by_role("status").first).to_contain_text("Approved: 1,950.00 NGN to Forrest")
    expect(page.get_by_role("heading", name="Flags at decision")).to_be_visible()
    expect(page.locator("main")).to_contain_text(OVERRIDE)
    assert Decision.objects.get(withdrawal=flagged).override == OVERRIDE


@pytest.mark.slow
def test_a_returned_payout_is_reached_from_the_dashboard_and_reversed_by_two(
    page, chromium, live_service, provider_sandbox
):
    organisation, member = make_participants()
    fund(organisation, member, "KES", "10000")
    withdrawal = make_withdrawal(organisation, member, "KES", "400")
    decisions.approve(
        withdrawal_id=withdrawal.pk, version=1, approver=make_staff(), override=OVERRIDE
    )
    payouts.send_payout(withdrawal.pk)
    settle_at_bank(provider_sandbox, withdrawal)
    payouts.check_status(withdrawal.pk)
    return_at_bank(provider_sandbox, withdrawal)
    payouts.check_status(withdrawal.pk)

    sign_in_as(page, "amina")
    page.get_by_role("link", name="Alerts", exact=True).last.click()
    page.get_by_role("link", name=withdrawal.reference, exact=True).click()
    expect(page.locator("main .lede")).to_contain_text("Returned by bank")
    page.goto("/admin/")
    page.get_by_role("link", name="Withdrawals: returned by bank").click()
    page.get_by_role("link", name="400.00 KES").click()
    expect(page.get_by_label(re.compile(r"^Reason \(required; visible to the"))).to_be_visible()
    page.locator("#propose-reason").fill("The account is closed")
    page.get_by_role("button", name="Propose", exact=True).click()
    expect(page.locator("main")).to_contain_text(
        "Someone other than the proposer must confirm this."
    )

    with open_second_browser(chromium, live_service, "kwesi") as kwesi:
        kwesi.get_by_role("link", name="Payout proposals to confirm").first.click()
        kwesi.locator(".results tbody th a").first.click()
        kwesi.get_by_role("link", name=re.compile("^Confirm")).click()
        kwesi.get_by_role("button", name=re.compile("^Reverse and credit")).click()
        expect(kwesi.get_by_text("Reversal confirmed; ")).to_be_visible()
    assert Proposal.objects.get().status == "Approved"
    assert status_of(withdrawal) == "Reversed"


@pytest.mark.slow
def test_a_members_links_show_only_their_records_and_a_list_keeps_its_filters(page):
    store_bank_list()
    organisation = make_organisation("Baobridge Wealth")
    wallets = [
        Wallet(
            organisation,
            Member.objects.create(organisation=organisation, name="Ada Obi", email=email),
        ).fund(5000)
        for email in ("ada@example.com", "other@example.com")
    ]
    mine, others = (
        wallet.request(amount) for wallet, amount in zip(wallets, (500, 600), strict=True)
    )
    sign_in_as(page, "amina")
    page.goto(f"/admin/exchange/member/{wallets[0].member_id}/change/")
    page.get_by_role("link", name=re.compile("withdrawals", re.IGNORECASE)).last.click()
    rows = page.locator(".results tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("500.00 KES")

    # By the id from the API, by amount and by email.
    for term, row in ((str(others.pk), "600"), ("600.00", "600"), ("ada@example.com", "500")):
        page.goto(LIST)
        page.get_by_role("searchbox", name="Search", exact=True).fill(term)
        page.keyboard.press("Enter")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text(f"{row}.00 KES")

    page.goto(f"{LIST}?view=awaiting_my_approval&amount_to=550")
    page.get_by_role("link", name="500.00 KES").click()
    page.get_by_role("link", name=re.compile("^Reject and release")).click()
    page.locator("[name=reason]").fill("The money is not theirs")
    page.get_by_role("button", name=re.compile("^Reject and release")).click()
    assert status_of(mine) == "Rejected"
    page.get_by_role("navigation", name="Breadcrumbs").get_by_role(
        "link", name="Withdrawals"
    ).click()
    assert "view=awaiting_my_approval" in page.url
    assert "amount_to=550" in page.url


@pytest.mark.slow
def test_a_deposit_can_be_cancelled_by_its_creator_before_confirmation(page):
    organisation = make_organisation("Baobridge Wealth")
    sign_in_as(page, "lindiwe", BACK_OFFICE)
    page.goto("/admin/wallets/deposit/add/")
    page.evaluate(
        """([id, name]) => document.querySelector("[name=organisation]")
            .append(new Option(name, id, true, true))""",
        [str(organisation.pk), organisation.name],
    )
    page.locator("[name=currency]").select_option("NGN")
    page.locator("[name=amount]").fill("1500.50")
    page.locator("[name=reference]").fill("GTB/2026/000417")
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.get_by_text("Deposit entered. A second person must confirm it.")).to_be_visible()
    page.goto(reverse("admin:wallets_deposit_change", args=[Deposit.objects.get().pk]))
    page.get_by_role("link", name="Cancel proposal").first.click()
    page.get_by_role("button", name="Cancel 1,500.50 NGN").click()
    expect(page.get_by_text("Cancelled. Nothing was booked.")).to_be_visible()
    assert Deposit.objects.get().state == "Cancelled"
