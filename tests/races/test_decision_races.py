"""Races of decisions over real HTTP: two approvers in the back office and a client of the API."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from html import unescape

import pytest
import requests
from django.urls import reverse

from config.back_office.roles import FINANCE_APPROVER
from config.local.demo.loader import enrol_second_factor
from config.local.demo.tour.client import Api
from exchange.events.models import Event
from tests.environment.concurrency import Callers, race_size
from tests.environment.lock_barrier import LockBarrier
from tests.environment.services import Service
from tests.environment.staff_session import FetchedPage, StaffSession
from tests.factories.api_clients import make_caller
from tests.factories.staff import create_staff
from tests.factories.wallets import Wallet, assert_books_hold, status_of, store_bank_list
from wallets.ledger.models import Transfer
from wallets.withdrawals.models import Decision, Payout, Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)

# Split into several tests, which run in different processes.
ATTEMPTS = 2

PASSWORD = "correct horse battery"
HOLD, RELEASE = "withdrawal_hold", "withdrawal_release"
# For each status: the decision, its wording on pages, and the transfers.
TRACES = {
    "Approved": ("Approve", "approved", [HOLD]),
    "Rejected": ("Reject", "rejected", [HOLD, RELEASE]),
    "Cancelled": ("Cancel", "cancelled", [HOLD, RELEASE]),
}


@dataclass
class Person:
    """A finance approver who signed in through the forms."""

    name: str
    service: Service

    def __post_init__(self) -> None:
        secret = enrol_second_factor(create_staff(self.name, PASSWORD, FINANCE_APPROVER))
        self.office = StaffSession(f"{self.service.base_url}/admin/")
        self.office.log_in(self.name, PASSWORD, secret)

    def decision(
        self, withdrawal: Withdrawal, button: str, reason: str = ""
    ) -> Callable[[], FetchedPage]:
        """Open the confirmation page and return a call that submits it."""
        path = reverse("admin:wallets_withdrawal_change", args=[withdrawal.id])
        page = self.office.open(self.service.base_url + path)
        confirmation = self.office.open(page.link_with(f"/{button.lower()}/"))
        form, found = confirmation.form_with_button(button)
        return partial(self.office.send, confirmation, form, found, reason=reason)


def message_on(page: FetchedPage) -> tuple[str, str]:
    """Return the level and text of the only message on the page after a decision."""
    ((level, words),) = re.findall(
        r'<li class="message (\w+)"[^>]*>.*?<span role="\w+">(.*?)</span></li>', page.text, re.S
    )
    return level, unescape(re.sub("<[^>]+>", "", words))


def check_responses(status: str, by: str, responses: list[object]) -> None:
    """Check that one response is the success of `status` and the other two name the decider."""
    approval, rejection, cancellation = responses
    done = TRACES[status][1]
    # Who is slower learns it under the row's lock, or already as the page compares.
    stale = (
        rf"Already {status.lower()} by {by}"
        rf"|Not (approved|rejected): {by} {done} it at \d\d:\d\d:\d\d UTC\."
        r".* No changes were made\."
    )
    for page, mine, success in (
        (approval, "Approved", r"Approved: 470\.00 KES to Ada Obi \(payout_\w+\)\."),
        (rejection, "Rejected", r"Rejected: 500\.00 KES .*Released to the wallet\."),
    ):
        assert isinstance(page, FetchedPage), page
        level, words = message_on(page)
        if status == mine:
            assert level == "success"
            assert re.fullmatch(success, words), words
        else:
            assert level == "error"
            assert re.fullmatch(stale, words), words
    assert isinstance(cancellation, requests.Response), cancellation
    body = cancellation.json()
    if status == "Cancelled":
        assert (cancellation.status_code, body["data"]["status"]) == (200, status)
    else:
        assert (cancellation.status_code, body) == (
            409,
            {
                "status": "failed",
                "message": f"Only a Pending withdrawal can be cancelled: it is {status}",
            },
        )
        assert cancellation.headers["X-Error-Code"] == "state_conflict"


def check_traces(withdrawal: Withdrawal, status: str) -> None:
    """Check for one decision, one event, the matching transfers, and a payout or none."""
    verdict, done, transfers = TRACES[status]
    found = Decision.objects.filter(withdrawal_id=withdrawal.id)
    assert [(row.verdict, row.version) for row in found] == [(verdict, 1)]
    moved = Transfer.objects.filter(subject_id=withdrawal.id).order_by("created_at", "id")
    assert list(moved.values_list("kind", flat=True)) == transfers
    events = Event.objects.filter(subject_id=withdrawal.id).order_by("created_at", "id")
    assert list(events.values_list("type", flat=True)) == [
        "withdrawal.created",
        f"withdrawal.{done}",
    ]
    assert Payout.objects.filter(withdrawal_id=withdrawal.id).count() == (status == "Approved")
    assert Withdrawal.objects.get(id=withdrawal.id).version == 2


@pytest.mark.parametrize("part", range(ATTEMPTS))
@pytest.mark.one_in(2)
def test_exactly_one_of_a_concurrent_approval_rejection_and_cancellation_happens(
    live_service: Service, part: int
):
    store_bank_list()
    rounds = race_size("DECISIONS", 28) // ATTEMPTS
    caller = make_caller()
    wallet = Wallet(caller.organisation).fund(rounds * 500)
    api = Api(live_service.base_url)
    api.log_in(caller.key.client_id, caller.secret)
    approver, rejecter = Person("amina", live_service), Person("kofi", live_service)
    by = {"Approved": approver.name, "Rejected": rejecter.name, "Cancelled": caller.key.name}
    outcomes: Counter[str] = Counter()
    with Callers(4) as callers, LockBarrier("wallets_withdrawal", runners=3) as barrier:
        for number in range(rounds):
            withdrawal = wallet.request(500)
            decisions = callers.at_once(
                [
                    partial(approver.decision, withdrawal, "Approve"),
                    partial(
                        rejecter.decision, withdrawal, "Reject", f"Payee {number} is not theirs"
                    ),
                ]
            )
            cancel = partial(api.post, f"/v1/api/withdrawals/{withdrawal.id}/cancel", {})
            runners = [*decisions, cancel]
            # One round in four runs without the barrier: then the shortest path mostly wins. In the
            # others each of the three is the first in turn.
            if number % 4:
                barrier.hold()
                ordered = [
                    runner if place == number % 3 else partial(barrier.after_first, runner)
                    for place, runner in enumerate(runners)
                ]
                *responses, released = callers.at_once([*ordered, barrier.release])
                assert released is None, responses
            else:
                responses = callers.at_once(runners)
            status = status_of(withdrawal)
            outcomes[status] += 1
            check_responses(status, by[status], responses)
            check_traces(withdrawal, status)
    assert outcomes.total() == rounds
    assert len(outcomes) > 1, "nothing raced"
    assert wallet.balance("escrow") == 500 * outcomes["Approved"]
    assert wallet.balance() == Decimal(500) * (rounds - outcomes["Approved"])
    assert_books_hold()
