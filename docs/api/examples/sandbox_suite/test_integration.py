"""Twenty cases of an integration, with outcomes that the client sets at the sandbox.

    pip install pytest requests
    BASE_URL=… CLIENT_ID=… CLIENT_SECRET=… REDIRECT_URL=… OWN_TOKEN=… pytest

The API key needs the scope `sandbox`. REDIRECT_URL is one of your registered origins, OWN_TOKEN the
symbol of a traded token that your organisation issued. Each test makes its own member; none waits
for a clock.
"""

import os
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from integration import Exchange, Member, Refused

FEE = 50


def decide(exchange: Exchange, withdrawal: str, *outcomes: str) -> dict[str, Any]:
    """Set outcomes of a withdrawal; return it after the last."""
    found: dict[str, Any] = {}
    for outcome in outcomes:
        found = exchange.post(f"/v1/sandbox/withdrawals/{withdrawal}/{outcome}")
    return found


# --- Money out ---


def test_an_approved_withdrawal_is_sent_and_stays_open(exchange, member):
    withdrawal = member.withdraw()
    decide(exchange, withdrawal, "approve")
    assert exchange.get(f"/v1/api/withdrawals/{withdrawal}")["status"] in {
        "Approved",
        "Processing",
    }
    assert (member.balance()["available"], member.balance()["escrow"]) == (95_000, 5000)


def test_a_paid_withdrawal_leaves_the_wallet(exchange, member):
    withdrawal = member.withdraw()
    assert decide(exchange, withdrawal, "approve", "complete")["status"] == "Completed"
    assert (member.balance()["total"], member.balance()["escrow"]) == (95_000, 0)
    assert exchange.events(withdrawal) == [
        "withdrawal.created",
        "withdrawal.approved",
        "withdrawal.processing",
        "withdrawal.completed",
    ]


def test_a_rejected_withdrawal_returns_with_its_reason(exchange, member):
    withdrawal = member.withdraw()
    reason = {"reason": "The payee is not known to us"}
    rejected = exchange.post(f"/v1/sandbox/withdrawals/{withdrawal}/reject", reason)
    assert (rejected["status"], rejected["reason"]) == ("Rejected", reason["reason"])
    assert member.balance()["available"] == 100_000


def test_a_withdrawal_that_the_bank_declines_returns(exchange, member):
    withdrawal = member.withdraw()
    failed = decide(exchange, withdrawal, "approve", "fail")
    assert failed["status"] == "Failed"
    assert failed["reason"].startswith("DISBURSE FAILED")
    assert member.balance()["available"] == 100_000


def test_a_withdrawal_that_the_bank_returns_is_credited_without_its_fee(exchange, member):
    withdrawal = member.withdraw()
    returned = decide(exchange, withdrawal, "approve", "complete", "return")
    assert returned["status"] == "Reversed"
    assert member.balance()["available"] == 100_000 - FEE
    assert exchange.events(withdrawal)[-1] == "withdrawal.reversed"


def test_an_outcome_that_comes_too_early_changes_nothing(exchange, member):
    withdrawal = member.withdraw()
    with pytest.raises(Refused) as refused:
        decide(exchange, withdrawal, "complete")
    assert (refused.value.status, refused.value.code) == (409, "state_conflict")
    assert exchange.get(f"/v1/api/withdrawals/{withdrawal}")["status"] == "Pending"


def test_a_decision_is_made_once(exchange, member):
    withdrawal = member.withdraw()
    decide(exchange, withdrawal, "reject")
    with pytest.raises(Refused) as refused:
        decide(exchange, withdrawal, "approve")
    assert refused.value.code == "state_conflict"
    assert member.balance()["available"] == 100_000


def test_a_repeated_request_has_the_first_answer(exchange, member):
    path = f"/v1/sandbox/withdrawals/{member.withdraw()}/reject"
    key = str(uuid.uuid4())
    first = exchange.post(path, key=key)
    assert exchange.post(path, key=key) == first
    assert member.balance()["available"] == 100_000


def test_a_cancelled_withdrawal_cannot_be_approved(exchange, member):
    withdrawal = member.withdraw()
    exchange.post(f"/v1/api/withdrawals/{withdrawal}/cancel")
    with pytest.raises(Refused) as refused:
        decide(exchange, withdrawal, "approve")
    assert refused.value.status == 409


def test_a_wrong_bank_name_moves_nothing(member):
    with pytest.raises(Refused) as refused:
        member.withdraw(bank_name="Guaranty")
    assert (refused.value.status, refused.value.code) == (404, "bank_not_found")
    assert member.balance()["escrow"] == 0


# --- Money in ---


def test_a_payment_into_a_virtual_account_is_credited_at_once(exchange, member):
    deposit = member.pay_in(2500)
    assert (deposit["status"], deposit["payer"]["name"]) == ("Completed", "Ada Obi")
    assert member.balance()["available"] == 102_500
    assert exchange.events(deposit["_id"]) == ["deposit.completed"]


def test_a_checkout_is_paid_by_bank_transfer(exchange, member):
    checkout = member.check_out(900)
    deposit = exchange.post("/v1/sandbox/deposits", {"deposit": checkout})
    assert (deposit["_id"], deposit["status"], deposit["amount"]) == (checkout, "Completed", 900)
    assert member.balance()["available"] == 100_900


def test_the_money_of_a_card_rests_before_it_is_available(exchange, member):
    body = {"deposit": member.check_out(900), "payment_type": "card"}
    assert exchange.post("/v1/sandbox/deposits", body)["available_on"] is not None
    assert (member.balance()["available"], member.balance()["uncleared"]) == (100_000, 900)


def test_a_payment_that_fails_credits_nothing(exchange, member):
    body = {"deposit": member.check_out(), "status": "failed"}
    deposit = exchange.post("/v1/sandbox/deposits", body)
    assert deposit["status"] == "Failed"
    assert exchange.events(deposit["_id"]) == ["deposit.failed"]
    assert member.balance()["total"] == 100_000


def test_a_disputed_deposit_is_held(exchange, member):
    deposit = member.pay_in(2500)
    disputed = exchange.post(f"/v1/sandbox/deposits/{deposit['_id']}/dispute", {"amount": 1000})
    assert (disputed["status"], disputed["disputed_amount"]) == ("Completed", 1000)
    assert (member.balance()["available"], member.balance()["uncleared"]) == (101_500, 1000)
    assert exchange.events(deposit["_id"]) == ["deposit.completed", "deposit.disputed"]


# --- Loans ---


@pytest.fixture(scope="session")
def collateral(exchange: Exchange) -> dict[str, Any]:
    """A token in NGN that is traded."""
    page = exchange.get("/v1/api/tokens", currency="NGN", primary_raise="false", limit=200)
    for token in page["tokens"]:
        asks = exchange.get(f"/v1/orders/token/{token['_id']}/book")["asks"]
        if asks and asks[0]["tokens"] >= 20 and asks[0]["price"] < 2500:
            return dict(token)
    pytest.skip("no token in NGN is offered")


@pytest.fixture
def loan(member: Member, collateral: dict[str, Any]) -> dict[str, Any]:
    """A loan against ten units of the token."""
    member.buy(collateral, 12)
    return member.borrow(collateral, 10)


def test_a_loan_that_falls_due_is_repaid(exchange, loan):
    path = f"/v1/api/credit/loan/{loan['id']}"
    assert exchange.post(f"/v1/sandbox/loans/{loan['id']}/fall-due")["status"] == "OVERDUE"
    due = exchange.get(path)["outstanding"]
    assert exchange.post(f"{path}/repay", {"amount": float(due)})["status"] == "COMPLETED"
    assert exchange.events(loan["id"]) == ["loan.created", "loan.overdue", "loan.repaid"]


def test_a_loan_defaults(exchange, loan):
    assert exchange.post(f"/v1/sandbox/loans/{loan['id']}/default")["status"] == "DEFAULTED"
    assert exchange.events(loan["id"]) == ["loan.created", "loan.overdue", "loan.defaulted"]


def test_more_collateral_cures_a_shortfall(exchange, loan, collateral):
    short = exchange.post(f"/v1/sandbox/loans/{loan['id']}/shortfall")
    assert short["shortfall"]["collateral_value"] < short["shortfall"]["required_value"]
    assert exchange.events(loan["id"])[-1] == "loan.shortfall"
    more = {"collaterals": [{"token_id": collateral["_id"], "quantity": 2}]}
    cured = exchange.post(f"/v1/api/credit/loan/{loan['id']}/collateral", more)
    assert cured["shortfall"] is None


# --- Income, events ---


def test_a_dividend_is_recorded_and_paid(exchange, member):
    found = exchange.get("/v1/api/token/search", symbol=os.environ["OWN_TOKEN"])
    token = found["tokens"][0]
    member.buy(token, 100)
    later = datetime.now(UTC) + timedelta(days=30)
    body = {
        "type": "Dividend",
        "currency": token["currency"],
        "amount_per_unit": 0.25,
        "record_at": later.isoformat(timespec="milliseconds"),
        "payment_date": str(later.date()),
    }
    dividend = exchange.post(f"/v1/api/token/{token['_id']}/distributions", body)
    path = f"/v1/sandbox/distributions/{dividend['_id']}"
    try:
        assert exchange.post(f"{path}/record")["status"] == "Recorded"
    except Refused as refused:
        if refused.code == "period_taken":
            pytest.skip("a token pays one dividend a day, and has paid today's")
        raise
    before = member.balance(token["currency"])["available"]
    assert exchange.post(f"{path}/pay")["status"] == "Paid"
    (income,) = exchange.get("/v1/api/income", user_id=member.id)["income"]
    assert (income["units"], income["gross"]) == (100, 25)
    assert member.balance(token["currency"])["available"] == before + income["net"]


def test_every_type_of_event_can_be_sent(exchange):
    event = exchange.post("/v1/sandbox/events", {"type": "loan.liquidated"})
    sent = exchange.get(f"/v1/api/events/{event['id']}")
    assert sent["type"] == "loan.liquidated"
    with pytest.raises(Refused) as refused:
        exchange.post("/v1/sandbox/events", {"type": "loan.vanished"})
    assert refused.value.status == 400
