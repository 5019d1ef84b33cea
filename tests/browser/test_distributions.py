"""A dividend in a real browser: proposed by one person, announced by another one, and paid."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from credit.distributions.models import Distribution
from credit.distributions.services import funding, paying, recording
from tests.assertions import accessibility as axe
from tests.environment.keyboard import create_enrolled_staff, sign_in
from tests.environment.services import Service
from tests.factories.distributions import make_due, make_holding
from tests.factories.wallets import Wallet, assert_books_hold, balance_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

WHY = "The board decided it in May"


def decide(page: Page, made: Distribution, button: str) -> None:
    """Open the distribution, and approve what is pending by its button and the confirmation's."""
    page.goto(f"/admin/credit/distribution/{made.pk}/change/")
    assert axe.find_violations(page) == []
    page.get_by_role("link", name=button, exact=True).click()
    expect(page.get_by_text("Available to the issuer")).to_be_visible()
    assert axe.find_violations(page) == []
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.locator(".message.success").first).to_be_visible()


@pytest.mark.slow
def test_a_dividend_from_its_proposal_to_its_payment_by_two_people(
    page: Page, chromium: Browser, live_service: Service
) -> None:
    held = make_holding()
    Wallet(held.token.issuer).fund(2_000, "NGN")
    create_enrolled_staff("lindiwe", BACK_OFFICE)
    sign_in(page, "lindiwe")
    page.goto(f"/admin/exchange/token/{held.token.pk}/distribution/")
    record = timezone.now() + timedelta(days=5)
    for name, value in {
        "amount_per_unit": "2.5",
        "record_at_0": f"{record:%Y-%m-%d}",
        "record_at_1": "12:00",
        "payment_date": f"{record + timedelta(days=1):%Y-%m-%d}",
        "explanation": WHY,
    }.items():
        page.locator(f"[name={name}]").fill(value)
    page.get_by_role("button", name="Propose", exact=True).click()
    expect(page.locator(".message.success").first).to_contain_text("Proposed.")
    made = Distribution.objects.get()

    context = chromium.new_context(base_url=live_service.base_url)
    second = context.new_page()
    create_enrolled_staff("amina", FINANCE_APPROVER)
    sign_in(second, "amina")
    decide(second, made, "Announce")
    assert recording.record(make_due(made).pk)

    page.goto(f"/admin/credit/distribution/{made.pk}/propose-funding/")
    page.locator("[name=explanation]").fill(f"{WHY}, by letter")
    page.get_by_role("button", name="Propose funding", exact=True).click()
    expect(page.locator(".message.success").first).to_be_visible()
    decide(second, made, "Fund 1,750.00 NGN")
    context.close()
    assert funding.fund_due() == 0
    assert paying.pay_due() == 3

    page.goto("/admin/credit/distribution/?status__exact=Paid")
    page.get_by_role("link", name=held.token.symbol).click()
    expect(page.get_by_text("1,000.00 NGN").first).to_be_visible()
    assert balance_of(held.member.owner_id, "NGN") == 1_001
    assert_books_hold()
