"""Outcomes of withdrawals by API: each way, what is refused, repeats and races."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests
from django.db import connections

from config.local.outcomes.people import FIRST, SECOND
from config.local.sandbox.banks import BANKS_OF_COUNTRY
from tests.environment.processes import wait_until
from tests.environment.services import Sandbox
from tests.factories.api_clients import assert_error
from tests.factories.outcomes import Client, events_about, status_of
from tests.factories.wallets import make_staff, make_wallet
from wallets.banks.payout_details import PayoutDetails
from wallets.banks.services import bank_directory
from wallets.payouts.services import execution
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = [pytest.mark.django_db]


def test_the_ways_of_a_withdrawal(sandbox):
    client = Client()
    paid, failed, rejected = client.withdraw(), client.withdraw(), client.withdraw()
    assert status_of(client.decide(paid, "approve", "complete")) == "Completed"
    assert events_about(paid) == [
        f"withdrawal.{what}" for what in ("created", "approved", "processing", "completed")
    ]
    assert status_of(client.decide(failed, "approve", "fail")) == "Failed"
    answer = client.set(f"withdrawals/{rejected}/reject", {"reason": "No such payee here"})
    assert (status_of(answer), answer.json()["data"]["reason"]) == (
        "Rejected",
        "No such payee here",
    )
    assert client.available == 95_000
    assert status_of(client.decide(paid, "return")) == "Reversed"
    assert client.available == 100_000 - Withdrawal.objects.get(pk=paid).fee


def test_a_large_withdrawal_is_approved_by_two(sandbox):
    client = Client(wallet=make_wallet(50_000_000, currency="KES"))
    withdrawal = client.withdraw(40_000_000)
    assert status_of(client.decide(withdrawal, "approve")) == "Approved"
    people = ("first_approver__username", "second_approver__username")
    assert Withdrawal.objects.values_list(*people).get(pk=withdrawal) == (FIRST, SECOND)


def test_an_impossible_outcome_is_refused(sandbox):
    client = Client()
    withdrawal = client.withdraw()
    for outcome in ("complete", "fail", "return"):
        assert_error(client.decide(withdrawal, outcome), 409, "state_conflict")
    client.decide(withdrawal, "approve", "complete")
    for outcome in ("approve", "reject", "complete", "fail"):
        assert_error(client.decide(withdrawal, outcome), 409, "state_conflict")
    client.decide(withdrawal, "return")
    assert_error(client.decide(withdrawal, "return"), 409, "state_conflict")
    assert client.available == 100_000 - Withdrawal.objects.get(pk=withdrawal).fee


def test_a_payout_stays_open_after_an_approval_here_only(sandbox):
    client = Client("GHS")
    open_one, refused = client.withdraw(branch_code=_branch()), client.withdraw()
    answer = client.decide(refused, "approve")
    assert_error(answer, 400, "corridor_incomplete")
    assert status_of(client.decide(open_one, "approve")) == "Approved"
    _approve_as_staff(refused)
    for each in (open_one, refused):
        execution.send_payout(Withdrawal.objects.get(pk=each).pk)
    wait_until(lambda: _at_provider(sandbox, refused) == "SUCCESSFUL", "the usual outcome")
    assert _at_provider(sandbox, open_one) == "NEW"
    assert status_of(client.decide(open_one, "fail")) == "Failed"
    assert status_of(client.decide(refused, "complete")) == "Completed"


def _branch() -> str:
    return next(bank.branches for bank in BANKS_OF_COUNTRY["GH"] if bank.name == _bank())[0].code


def _bank() -> str:
    return bank_directory("GHS").banks[0].name


def _approve_as_staff(withdrawal: str) -> None:
    person = make_staff("decide_withdrawal")
    found = Withdrawal.objects.get(pk=withdrawal)
    details = PayoutDetails(branch_code=_branch())
    found = decisions.complete_payout_details(
        withdrawal_id=found.pk, version=found.version, corridor=details, approver=person
    )
    decisions.approve(withdrawal_id=found.pk, version=found.version, approver=person)


def _at_provider(sandbox: Sandbox, withdrawal: str) -> str:
    reference = Withdrawal.objects.get(pk=withdrawal).reference
    rows = requests.get(f"{sandbox.url}/sandbox/transfers", timeout=10).json()
    return next(str(row["status"]) for row in rows if row["reference"] == reference)


def test_a_repeat_by_key_returns_the_first_answer(sandbox):
    client = Client()
    withdrawal = client.withdraw()
    first = client.set(f"withdrawals/{withdrawal}/approve", Idempotency_Key="a")
    again = client.set(f"withdrawals/{withdrawal.upper()}/approve", Idempotency_Key="a")
    assert again.content == first.content
    assert again["Idempotent-Replayed"] == "true"
    assert events_about(withdrawal).count("withdrawal.approved") == 1

    event = client.set("events", {"type": "loan.repaid"}, Idempotency_Key="a")
    assert client.set("events", {"type": "loan.repaid"}, Idempotency_Key="a").content == (
        event.content
    )
    answer = client.set("events", {"type": "loan.created"}, Idempotency_Key="a")
    assert_error(answer, 422, "idempotency_key_reused")
    refused = client.set(f"withdrawals/{withdrawal}/reject", Idempotency_Key="b")
    assert_error(refused, 409, "state_conflict")


@pytest.mark.django_db(transaction=True)
def test_of_two_outcomes_at_once_one_is_set(sandbox):
    client = Client()

    def race(*outcomes: str, **headers: str) -> list[Any]:
        def call(outcome: str) -> Any:
            try:
                return client.set(f"withdrawals/{withdrawal}/{outcome}", **headers)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(len(outcomes)) as threads:
            return list(threads.map(call, outcomes))

    withdrawal = client.withdraw()
    assert sorted(a.status_code for a in race("approve", "reject")) == [200, 409]
    withdrawal = client.withdraw()
    client.decide(withdrawal, "approve")
    assert sorted(a.status_code for a in race("complete", "fail")) == [200, 409]
    withdrawal = client.withdraw()
    client.decide(withdrawal, "approve", "complete")
    answers = race("return", "return", "return", Idempotency_Key="once")
    assert {a.content for a in answers} == {answers[0].content}
    assert status_of(answers[0]) == "Reversed"
    assert sorted(a.get("Idempotent-Replayed", "") for a in answers) == ["", "true", "true"]
