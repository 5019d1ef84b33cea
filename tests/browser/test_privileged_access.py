"""An attack by which one administrator paid out 6,000,000 NGN alone: each step is now rejected.

The attack: two fictitious approvers, or two real ones taken over, and a privileged API key.
"""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from oauth2_provider.models import get_access_token_model
from playwright.sync_api import Browser, Page, expect

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from exchange.participants.models import ApiKey, Organisation
from exchange.participants.services.api_keys import issue_api_key
from exchange.staff.models import AccessProposal, SecondFactor, StaffUser
from exchange.tokens.models import Quote
from exchange.tokens.services import quotes
from tests.assertions import accessibility as axe
from tests.environment.browser import TIMEOUT_MILLISECONDS
from tests.environment.keyboard import PASSWORD, create_enrolled_staff, sign_in
from tests.environment.services import Service
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.back_office import balances
from tests.factories.logins import current_code
from tests.factories.staff import backdate_access, backdate_installation, create_staff
from tests.factories.tokens import make_token
from tests.factories.wallets import Wallet
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser, pytest.mark.slow]

PROPOSED = re.compile("^Proposed")
FUNDS = Decimal(6_000_000)


@dataclass
class Setup:
    """An administrator, two approvers, and an organisation with money and two API keys."""

    organisation: Organisation
    secrets: dict[str, str]
    payouts: ApiKey
    reports: ApiKey


@pytest.fixture
def setup() -> Setup:
    roles = {"samuel": ADMINISTRATOR, "amina": FINANCE_APPROVER, "kwesi": FINANCE_APPROVER}
    secrets = {name: create_enrolled_staff(name, role)[1] for name, role in roles.items()}
    backdate_installation(days=90)
    organisation = make_organisation("Baobridge Wealth")
    Wallet(organisation).fund(FUNDS, "NGN")
    payouts, reports = (
        issue_api_key(organisation=organisation, name=name, scopes=scopes, actor=TESTER)[0]
        for name, scopes in (
            ("Payouts", ["wallets:read", "wallets:withdraw"]),
            ("Reports", ["wallets:read"]),
        )
    )
    return Setup(organisation, secrets, payouts, reports)


@pytest.fixture
def open_browser(
    chromium: Browser, live_service: Service, setup: Setup
) -> Iterator[Callable[[str], Page]]:
    """Return a function that opens a separate browser, signed in or anonymous."""
    contexts = []

    def opened(name: str = "") -> Page:
        context = chromium.new_context(base_url=live_service.base_url)
        context.set_default_timeout(TIMEOUT_MILLISECONDS)
        contexts.append(context)
        page = context.new_page()
        if name:
            sign_in(page, name)
        return page

    yield opened
    for context in contexts:
        context.close()


def press(page: Page, words: str) -> None:
    page.locator("main form [type=submit]").get_by_text(words, exact=True).or_(
        page.get_by_role("button", name=words, exact=True)
    ).first.click()


def record_path(user: StaffUser, what: str) -> str:
    return f"/admin/exchange/staffuser/{user.pk}/{what}/"


def proposal_of(kind: str) -> AccessProposal:
    return AccessProposal.objects.filter(kind=kind).latest("created_at")


def expect_proposal(page: Page, kind: str) -> AccessProposal:
    """Expect that the action is only proposed, and that its proposer cannot confirm it."""
    expect(page.get_by_text(PROPOSED).first).to_be_visible()
    proposal = proposal_of(kind)
    assert proposal.status == "Pending"
    expect(page.get_by_role("link", name="Cancel proposal", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Confirm", exact=True)).to_have_count(0)
    page.goto(f"/admin/exchange/accessproposal/{proposal.pk}/confirm/")
    expect(page.get_by_text("Someone other than the proposer").first).to_be_visible()
    page.goto(f"/admin/exchange/accessproposal/{proposal.pk}/collect/")
    press(page, "Show secret")
    expect(page.get_by_text("Nothing to collect").first).to_be_visible()
    proposal.refresh_from_db()
    assert proposal.status == "Pending"
    return proposal


def invite(page: Page, username: str, role: str) -> None:
    page.goto("/admin/exchange/staffuser/add/")
    page.get_by_label("Username").fill(username)
    page.locator("[name=role]").select_option(label=role)
    press(page, "Invite")


def test_every_way_for_one_administrator_to_gain_access_is_rejected(open_browser, setup):
    page = open_browser("samuel")
    amina = StaffUser.objects.get(username="amina")
    password, factor = amina.password, SecondFactor.objects.get(user=amina).secret
    people, keys = StaffUser.objects.count(), ApiKey.objects.count()

    # Two fictitious approvers.
    for name in ("ghost", "spectre"):
        invite(page, name, FINANCE_APPROVER)
        expect_proposal(page, "invite_person")
    assert StaffUser.objects.count() == people

    # A real approver's password and second factor.
    page.goto(record_path(amina, "invitation"))
    press(page, "Create link")
    expect_proposal(page, "reset_password")
    page.goto(record_path(amina, "reset"))
    press(page, "Reset second factor")
    expect_proposal(page, "reset_second_factor")
    amina.refresh_from_db()
    assert amina.password == password
    assert SecondFactor.objects.get(user=amina).secret == factor

    # A harmless user first, who is then made an approver.
    invite(page, "reader", AUDITOR)
    expect(page.get_by_text("Invitation link", exact=True)).to_be_visible()
    reader = StaffUser.objects.get(username="reader")
    page.goto(record_path(reader, "role"))
    page.locator("[name=role]").select_option(label=FINANCE_APPROVER)
    press(page, "Change role")
    expect_proposal(page, "change_role")
    assert not reader.has_perm("wallets.decide_withdrawal")

    # An API key that moves money: a new one, and a second one under an existing name.
    page.goto(f"/admin/exchange/apikey/add/?organisation={setup.organisation.pk}")
    page.evaluate(
        """([id, name]) => {
          const select = document.querySelector("[name=organisation]");
          select.append(new Option(name, id, true, true));
        }""",
        [str(setup.organisation.pk), "Baobridge Wealth"],
    )
    page.locator("[name=name]").fill("Backend")
    page.locator("[name=scopes][value='wallets:withdraw']").check()
    press(page, "Issue")
    expect_proposal(page, "issue_key")
    page.goto(f"/admin/exchange/apikey/{setup.payouts.pk}/rotate/")
    press(page, "Rotate")
    expect_proposal(page, "rotate_key")
    assert ApiKey.objects.count() == keys

    # Wider scopes have no page, and the database rejects them.
    page.goto(f"/admin/exchange/apikey/{setup.reports.pk}/change/")
    expect(page.get_by_role("link", name=re.compile("scope", re.I))).to_have_count(0)
    with pytest.raises(DatabaseError, match="no more power"):
        ApiKey.objects.filter(pk=setup.reports.pk).update(scopes=["wallets:withdraw"])

    # A long-lived access token of an API key that moves money.
    page.goto(f"/admin/exchange/apikey/{setup.payouts.pk}/token/")
    press(page, "Issue")
    expect_proposal(page, "issue_token")
    assert not get_access_token_model().objects.exists()

    # The command line files a proposal; the person who adopts it may not confirm it.
    out = io.StringIO()
    call_command("create_staff", "phantom", "--role", FINANCE_APPROVER, stdout=out)
    call_command(
        "issue_api_key", str(setup.organisation.pk), "--name=shell", "--scopes=all", stdout=out
    )
    assert out.getvalue().count("Proposed: ") == 2
    for command, name in (("changepassword", "amina"), ("createsuperuser", "")):
        with pytest.raises(CommandError, match="privileged access"):
            call_command(command, *filter(None, [name]), stdout=out)
    filed = proposal_of("invite_person")
    page.goto(f"/admin/exchange/accessproposal/{filed.pk}/change/")
    page.get_by_role("link", name="Adopt", exact=True).click()
    press(page, "Adopt")
    expect(page.get_by_text("Adopted. A second person must confirm it.")).to_be_visible()
    page.goto(f"/admin/exchange/accessproposal/{filed.pk}/confirm/")
    expect(page.get_by_text("Someone other than the proposer").first).to_be_visible()

    # Nothing has changed.
    assert StaffUser.objects.count() == people + 1  # the auditor
    assert ApiKey.objects.count() == keys
    assert not AccessProposal.objects.exclude(status="Pending").exists()
    assert not Withdrawal.objects.exists()
    assert balances(setup.organisation.pk, "NGN") == (FUNDS, Decimal(0))


def test_two_people_grant_access_to_a_third_who_decides_a_day_later(open_browser, setup):
    office = create_staff("lindiwe", PASSWORD, BACK_OFFICE)
    token = make_token()
    prices = quotes.Prices(Decimal(101), Decimal(99))
    quote = quotes.propose(token_id=token.pk, prices=prices, user=office)
    samuel = open_browser("samuel")
    invite(samuel, "efua", FINANCE_APPROVER)
    proposal = expect_proposal(samuel, "invite_person")

    amina = open_browser("amina")
    amina.get_by_role("link", name=re.compile("^Access proposals")).first.click()
    amina.goto(f"/admin/exchange/accessproposal/{proposal.pk}/change/")
    amina.get_by_role("link", name="Confirm", exact=True).click()
    expect(amina.locator("main")).to_contain_text("efua")
    press(amina, "Invite person")
    expect(amina.get_by_text("samuel can now collect the secret, once.")).to_be_visible()

    samuel.goto(f"/admin/exchange/accessproposal/{proposal.pk}/change/")
    samuel.get_by_role("link", name="Collect the secret").click()
    press(samuel, "Show secret")
    address = samuel.locator("main code", has_text="/welcome/").inner_text()

    efua = open_browser()
    efua.goto(address)
    for name in ("new_password1", "new_password2"):
        efua.locator(f"[name={name}]").fill("quite a long one")
    efua.keyboard.press("Enter")
    efua.get_by_label("Username").fill("efua")
    efua.get_by_label("Password").fill("quite a long one")
    efua.keyboard.press("Enter")
    efua.get_by_role("heading", name="Set up second factor").wait_for()
    shown = efua.locator("main").inner_text()
    secret = re.search(r"(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}", shown)
    assert secret is not None
    efua.locator("[name=code]").fill(current_code(secret[0].replace(" ", "")))
    efua.keyboard.press("Enter")
    efua.get_by_role("heading", name="Recovery codes").wait_for()
    efua.goto("/admin/")
    expect(efua.get_by_text("Your access was granted or reset").first).to_be_visible()

    # Every finance approver sees a notice on the dashboard and on decision pages.
    for address in ("/admin/", f"/admin/exchange/quote/{quote.pk}/approve/"):
        amina.goto(address)
        expect(amina.get_by_text("The access of efua was granted or reset").first).to_be_visible()
        assert axe.find_violations(amina) == []
    amina.goto("/admin/exchange/accessproposal/")
    assert axe.find_violations(amina) == []

    def approve() -> None:
        efua.goto(f"/admin/exchange/quote/{quote.pk}/approve/")
        efua.get_by_role("button", name=re.compile("^Approve (?!and next)")).click()

    # A user in the cooling-off period sees no forms.
    efua.goto(f"/admin/exchange/quote/{quote.pk}/approve/")
    expect(efua.get_by_text(re.compile("and approve from .* UTC")).first).to_be_visible()
    assert Quote.objects.get(pk=quote.pk).status == "Pending"
    backdate_access(StaffUser.objects.get(username="efua"), hours=25)
    approve()
    expect(efua.get_by_text("is now quoted at").first).to_be_visible()
    assert Quote.objects.get(pk=quote.pk).status == "Approved"
    amina.goto("/admin/")
    expect(amina.get_by_text("The access of efua")).to_have_count(0)
