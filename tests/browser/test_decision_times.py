"""What ten decisions of a kind take where nothing is unusual: actions, keys and seconds.

`make decisions` prints the table. A key that is held, as Control, counts too.
"""

import logging
import time
from collections.abc import Callable
from decimal import Decimal
from statistics import median
from typing import Any

import pytest
from django.db.models import Model
from playwright.sync_api import Page, ViewportSize, expect

from tests.environment.keyboard import create_enrolled_staff, sign_in
from tests.factories.adjustments import bookkeeper, entry_terms
from tests.factories.api_clients import make_organisation
from tests.factories.back_office import fund, make_participants, make_withdrawal
from tests.factories.staff import create_superuser
from tests.factories.treasury import terms, treasurer
from wallets.adjustments.models import AdjustingEntry
from wallets.adjustments.services import propose_adjustment
from wallets.deposits.models import ManualDeposit
from wallets.deposits.services import manual
from wallets.treasury.models import TreasuryMovement
from wallets.treasury.services import propose_movement
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser, pytest.mark.slow]

DECISIONS = 10
MOST_ACTIONS = 2
MOST_KEYS, MOST_FURTHER_KEYS = 10, 4
PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 860}
log = logging.getLogger(__name__)


class Keys:
    """Presses keys, and counts keys and actions: what a person does before the page changes."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.keys = self.actions = 0

    def press(self, combination: str) -> None:
        # What the test waited for may be on a page whose script does not listen to keys yet.
        self.page.wait_for_load_state()
        self.page.keyboard.press(combination)
        self.keys += combination.count("+") + 1
        self.actions += 1


def make_withdrawals() -> None:
    organisation, member = make_participants()
    fund(organisation, member, "KES", "90000")
    for number in range(DECISIONS):
        make_withdrawal(organisation, member, "KES", str(500 + number))


def enter_deposits() -> None:
    organisation, user = make_organisation("Baobridge Wealth"), create_superuser("lindiwe")
    for number in range(DECISIONS):
        payment = manual.IncomingPayment(
            organisation.pk, None, "KES", Decimal(500 + number), f"BANK-{number}"
        )
        manual.enter(payment=payment, user=user)


def propose_movements() -> None:
    user = treasurer()
    for number in range(DECISIONS):
        propose_movement(terms=terms("top_up", 500 + number, reference=f"T-{number}"), user=user)


def propose_entries() -> None:
    user = bookkeeper()
    for number in range(DECISIONS):
        propose_adjustment(terms=entry_terms(500 + number), user=user)


KINDS: dict[str, tuple[Callable[[], None], type[Model]]] = {
    "withdrawals": (make_withdrawals, Withdrawal),
    "manual deposits": (enter_deposits, ManualDeposit),
    "treasury movements": (propose_movements, TreasuryMovement),
    "adjusting entries": (propose_entries, AdjustingEntry),
}


def decide(page: Page, pressed: Keys) -> float:
    """Approve the record on the page and go on; return the seconds until the next page is there."""
    before, began = page.url, time.monotonic()
    pressed.press("a")
    expect(page.get_by_role("heading", name="Review and confirm")).to_be_visible()
    asked = page.url
    pressed.press("Control+Enter")
    page.wait_for_url(lambda url: url not in {before, asked})
    expect(page.get_by_role("status").first).to_be_visible()
    return time.monotonic() - began


@pytest.mark.parametrize("kind", KINDS)
def test_ten_decisions_take_few_actions_and_keys(kind, page, provider_sandbox: Any):
    make, model = KINDS[kind]
    make()
    pending = model._default_manager.filter(status="Pending")
    assert pending.count() == DECISIONS
    create_enrolled_staff("amina")
    sign_in(page, "amina")
    page.goto("/admin/")

    began, first = time.monotonic(), Keys(page)
    first.press("j")
    first.press("Enter")
    expect(page.locator(".results tbody tr")).to_have_count(DECISIONS)
    first.press("j")
    first.press("Enter")
    page.wait_for_url(lambda url: "/change/" in url)
    decide(page, first)
    to_first = time.monotonic() - began
    page.set_viewport_size(PHONE)
    page.reload()
    expect(page.locator("[data-key=a]")).to_be_in_viewport(ratio=1)
    page.set_viewport_size(DESKTOP)

    further, seconds = Keys(page), []
    for _ in range(DECISIONS - 1):
        one = Keys(page)
        seconds.append(decide(page, one))
        assert (one.actions <= MOST_ACTIONS, one.keys <= MOST_FURTHER_KEYS) == (True, True)
        further.keys, further.actions = one.keys, one.actions
    assert first.keys <= MOST_KEYS
    assert not pending.exists()
    log.info(
        "%-20s first: %2d keys, %.1f s; each further one: %d actions, %d keys, %.1f s",
        *(kind, first.keys, to_first, further.actions, further.keys, median(seconds)),
    )
