"""A reconciliation break, from the dashboard to its closing by two people."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from config.back_office.roles import FINANCE_APPROVER
from tests.environment.browser import TIMEOUT_MILLISECONDS
from tests.environment.keyboard import create_enrolled_staff, sign_in
from tests.environment.services import Service
from tests.factories.breaks import make_break
from wallets.reconciliation.models import ReconciliationBreak

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


@pytest.fixture
def open_break() -> ReconciliationBreak:
    return make_break()


@pytest.fixture
def signed_in(
    chromium: Browser, live_service: Service, open_break: ReconciliationBreak
) -> Iterator[Callable[[str], Page]]:
    """Return a function that opens a separate browser for an approver of that name."""
    with ExitStack() as stack:

        def opened(name: str) -> Page:
            create_enrolled_staff(name, FINANCE_APPROVER)
            context = chromium.new_context(base_url=live_service.base_url)
            stack.callback(context.close)
            context.set_default_timeout(TIMEOUT_MILLISECONDS)
            page = context.new_page()
            sign_in(page, name)
            return page

        yield opened


@pytest.mark.slow
def test_a_break_of_250000_55_ngn_is_explained_by_one_and_closed_by_another(signed_in, open_break):
    amina = signed_in("amina")
    float_ = amina.locator(
        "section", has=amina.get_by_role("heading", name="Provider balance vs clearing")
    )
    expect(float_.locator(".state-bad")).to_have_text("Differs")
    float_.get_by_role("link", name=str(open_break.day), exact=True).click()
    amina.get_by_role("link", name="Unexplained variance").click()
    expect(amina.get_by_text("-250,000.55 NGN").first).to_be_visible()
    amina.get_by_role("button", name="Assign to me").click()
    expect(amina.get_by_text("Assigned to you.")).to_be_visible()
    amina.get_by_role("link", name="Explain", exact=True).click()
    amina.locator("[name=explanation]").fill("The bank collected its yearly fee")
    amina.get_by_role("button", name="Propose to close").click()
    expect(
        amina.get_by_text("Someone other than the person who explained it must close the break")
    ).to_be_visible()
    expect(amina.get_by_role("link", name="Close the break")).to_have_count(0)

    kwesi = signed_in("kwesi")
    kwesi.get_by_role("link", name="Breaks to close").first.click()
    kwesi.get_by_role("link", name="Unexplained variance").click()
    expect(
        kwesi.locator("#decision").get_by_text("The bank collected its yearly fee")
    ).to_be_visible()
    kwesi.get_by_role("link", name="Close the break").click()
    expect(kwesi.get_by_text("The variance counts as explained from now on")).to_be_visible()
    kwesi.get_by_role("button", name="Close the break and next").click()
    expect(kwesi.get_by_text("Queue empty.")).to_be_visible()
    kwesi.goto(f"/admin/wallets/reconciliationbreak/{open_break.pk}/change/")
    expect(kwesi.get_by_text("Approved")).to_be_visible()
    kwesi.get_by_role("textbox", name="Comment").fill("The fee is on line 3 of the statement")
    kwesi.get_by_role("button", name="Add comment").click()
    expect(kwesi.get_by_text("The fee is on line 3 of the statement")).to_be_visible()
    open_break.refresh_from_db()
    assert (open_break.status, str(open_break.owner)) == ("Closed", "amina")
    kwesi.goto("/admin/")
    expect(
        kwesi.locator("section", has_text="Provider balance vs clearing").locator(".state-good")
    ).to_have_text("Explained")
