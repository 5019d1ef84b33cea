"""What buttons, tabs and links of the back office say, and where they lead."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from config.back_office.roles import ADMINISTRATOR, BACK_OFFICE, FINANCE_APPROVER
from exchange.participants.services.proposals import propose_key
from exchange.staff.models import AccessProposal, StaffUser
from tests.environment.keyboard import create_enrolled_staff, sign_in
from tests.factories.api_clients import make_organisation
from tests.factories.traders import make_trader
from tests.factories.treasury import terms, write_off_and_top_up
from wallets.treasury.models import TreasuryMovement
from wallets.treasury.services import propose_movement

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


def sign_in_as(page: Page, name: str, role: str) -> StaffUser:
    """Sign a new person in; return them."""
    user, _ = create_enrolled_staff(name, role)
    sign_in(page, name)
    return user


def propose_keys(*names: str) -> list[AccessProposal]:
    """Propose a key of each name that may withdraw."""
    organisation = make_organisation("Baobridge Wealth")
    by, _ = create_enrolled_staff("samuel", ADMINISTRATOR)
    return [
        propose_key(organisation=organisation, name=name, scopes=["wallets:withdraw"], by=by)
        for name in names
    ]


@pytest.mark.slow
def test_buttons_name_the_whole_action(page):
    _, write_off, _ = write_off_and_top_up()
    [proposal] = propose_keys("payouts")
    sign_in_as(page, "amina", FINANCE_APPROVER)
    page.goto(reverse("admin:wallets_receivablewriteoff_confirm", args=[write_off.pk]))
    expect(page.locator("#confirm [type=submit]")).to_have_text(
        ["Write off 40.00 KES", "Write off and next"]
    )
    page.goto(reverse("admin:exchange_accessproposal_confirm", args=[proposal.pk]))
    expect(page.get_by_role("heading", level=1)).to_have_text("Issue this API key?")
    expect(page.locator("#confirm [type=submit]")).to_have_text(
        ["Issue API key", "Issue API key and next"]
    )


@pytest.mark.slow
def test_ones_own_treasury_movement_is_cancelled_and_not_rejected(page):
    user = sign_in_as(page, "amina", FINANCE_APPROVER)
    movement = propose_movement(terms=terms("top_up", 1000), user=user)
    page.goto(reverse("admin:wallets_treasurymovement_change", args=[movement.pk]))
    expect(page.get_by_role("link", name="Reject")).to_have_count(0)
    page.get_by_role("link", name="Cancel proposal", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Cancel float top-up of 1,000.00 KES?"
    )
    page.locator("[name=reason]").fill("Sent to the wrong bank account")
    page.get_by_role("button", name="Cancel proposal", exact=True).click()
    expect(page.get_by_role("status").first).to_have_text("Proposal closed. Nothing was posted.")
    assert TreasuryMovement.objects.get().status == "Rejected"


@pytest.mark.slow
def test_each_tab_is_titled_by_what_it_is_about(page):
    proposals = propose_keys("payouts", "reports")
    sign_in_as(page, "amina", FINANCE_APPROVER)
    for name, question in (("confirm", "Issue this"), ("reject", "Reject: Issue an")):
        for proposal in proposals:
            page.goto(reverse(f"admin:exchange_accessproposal_{name}", args=[proposal.pk]))
            about = f"{proposal.payload['name']} of Baobridge Wealth"
            expect(page).to_have_title(
                re.compile(rf"^{question} API key\? \| Issue an API key: {about} \| ")
            )


@pytest.mark.slow
def test_lists_lead_to_the_person_who_orders_and_to_new_prices(page):
    token, buyer = make_trader().issue(), make_trader(1000, member=True)
    buyer.place(token, "Buy", 100, 1)
    member = buyer.wallet.member
    assert member is not None
    sign_in_as(page, "lindiwe", BACK_OFFICE)
    page.goto(reverse("admin:orders_order_changelist"))
    page.locator("#result_list").get_by_role("link", name=member.name).click()
    expect(page).to_have_url(re.compile(f"/exchange/member/{member.pk}/change/"))

    page.goto(reverse("admin:exchange_quote_changelist"))
    page.get_by_role("link", name="Propose prices").click()
    page.locator(".select2-selection").click()
    page.locator(".select2-search__field").fill(token.symbol)
    page.locator(".select2-results__option--highlighted", has_text=token.symbol).click()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Propose prices of {token.symbol}")
    expect(page.locator("[name=buy]")).to_have_value("100")
