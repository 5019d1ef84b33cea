"""Loans over HTTP: the interface's own record, who sees a loan, and the added operations."""

import json
from datetime import timedelta
from decimal import Decimal

import pytest

from credit.loans.dates import add_months
from credit.loans.models import Loan
from exchange.core.timestamps import javascript_time, wire_time
from exchange.events.models import Event
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.borrower_api import LOAN
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import assert_books_hold, balance_of
from tests.factories.withdrawals import exact_json, round_trips
from wallets.ledger.models import Entry

pytestmark = pytest.mark.django_db(transaction=True)

RECORD = [
    "id",
    "borrower",
    "creditor",
    "amount",
    "currency",
    "repayment_amount",
    "repayment_date",
    "interest_rate",
    "duration",
    "status",
    "grace_period",
    "grace_period_unit",
    "reason",
    "created_at",
    "updated_at",
    "collaterals",
]


def test_the_record_is_the_interfaces_to_the_letter(firm):
    answer = firm.create(reason="School fees")
    assert answer.status_code == 201
    body = exact_json(answer)
    assert list(body) == ["status", "message", "data"]
    loan = body["data"]
    assert list(loan) == RECORD
    assert loan["amount"] == Decimal(840_000)
    assert loan["repayment_amount"] == Decimal(1_596_000)
    assert loan["interest_rate"] == Decimal("0.3")
    assert (loan["status"], loan["duration"], loan["grace_period_unit"]) == ("ACTIVE", 3, "DAYS")
    assert loan["collaterals"] == [
        {"name": "Savannah Foods", "token_id": str(firm.lending.token.id), "quantity": 105}
    ]
    assert loan["reason"] == "School fees"
    row = Loan.objects.get()
    assert loan["repayment_date"] == javascript_time(add_months(row.created_at, 3))
    assert b'"amount":840000,' in answer.content
    assert b'"interest_rate":0.3,' in answer.content
    assert_books_hold()


def test_an_amount_may_be_a_number_too(firm):
    assert firm.create(amount=840000, repayment_amount=1596000).status_code == 201
    loan = Loan.objects.get()
    assert (loan.amount, loan.repayment_amount) == (Decimal(840_000), Decimal(1_596_000))


def test_a_loan_takes_five_round_trips_however_many_tokens_are_pledged(firm, tmp_path):
    tokens = [make_token(price_sell=Decimal(10_000)) for _ in range(8)]
    for token in tokens:
        give_units(token, firm.lending.borrower, 100)
    firm.create_loan(collaterals=[{"token_id": str(tokens[0].id), "quantity": 90}], amount="1000",
              repayment_amount="1900")  # fmt: skip
    many = [{"token_id": str(token.id), "quantity": 1} for token in tokens]
    with round_trips(tmp_path) as answers:
        firm.create_loan(collaterals=many, amount="1000", repayment_amount="1900")
    assert len(answers) == 5, "the check of the key, BEGIN, the facts, the loan, COMMIT"
    assert_books_hold()


def test_a_stranger_is_not_found(firm):
    other = make_caller()
    member = make_member(other.organisation)
    assert_error(firm.create(user_id=str(member.id)), 404, "user_not_found", "User not found")
    loan = firm.create_loan()
    for path in ("", "/statement"):
        assert_error(other.get(f"{LOAN}/{loan}{path}"), 404, "loan_not_found", "Loan not found")
    for path in ("repay", "collateral", "release"):
        body = {"amount": 1, "collaterals": firm.body()["collaterals"]}
        assert_error(other.post(f"{LOAN}/{loan}/{path}", body), 404, "loan_not_found")
    assert exact_json(other.get("/v1/api/credit/loans"))["data"]["total"] == 0


def test_the_creditor_reads_a_loan_and_only_the_borrowers_side_changes_it(firm):
    loan = firm.create_loan(bank_name="Zenith Bank", bank_code="057", account_number="0690000031")
    creditor = make_caller(organisation=firm.lending.creditor.organisation)
    detail = exact_json(creditor.get(f"{LOAN}/{loan}"))["data"]
    assert list(detail)[: len(RECORD)] == RECORD
    assert (detail["bank_name"], detail["bank_code"]) == ("Zenith Bank", "057")
    assert detail["outstanding"] == 1_596_000
    assert_error(creditor.post(f"{LOAN}/{loan}/repay", {"amount": 5}), 404, "loan_not_found")
    assert exact_json(creditor.get("/v1/api/credit/loans"))["data"]["total"] == 1


def test_a_loan_is_repaid_in_parts_interest_first(firm):
    loan = firm.create_loan()
    firm.lending.borrower.fund(1_000_000, "NGN")
    first = exact_json(firm.caller.post(f"{LOAN}/{loan}/repay", {"amount": 800000}))["data"]
    assert (first["outstanding_interest"], first["outstanding_principal"]) == (0, 796_000)
    assert_error(
        firm.caller.post(f"{LOAN}/{loan}/repay", '{"amount": 796000.01}'),
        400,
        "amount_above_due",
    )
    last = exact_json(firm.caller.post(f"{LOAN}/{loan}/repay", {"amount": 796000}))["data"]
    assert (last["status"], last["outstanding"]) == ("COMPLETED", 0)
    assert [part["principal"] for part in last["repayments"]] == [44_000, 796_000]
    assert_error(firm.caller.post(f"{LOAN}/{loan}/repay", {"amount": 1}), 409, "state_conflict")
    rows = exact_json(firm.caller.get(f"{LOAN}/{loan}/statement"))["data"]
    assert [(row["type"], row["amount"], row["outstanding"]) for row in rows] == [
        ("disbursement", 840_000, 1_596_000),
        ("repayment", -800_000, 796_000),
        ("repayment", -796_000, 0),
    ]
    assert balance_of(firm.lending.borrower.owner_id, firm.lending.token.id) == 1000
    assert_books_hold()


@pytest.mark.parametrize(
    ("amount", "complaint"),
    [
        ('"5"', "amount must be a number"),
        ("true", "amount must be a number"),
        ("0", "amount must be above 0"),
        ("-5", "amount must not be negative"),
    ],
)
def test_a_repayment_is_a_number_above_0(firm, amount, complaint):
    loan, before = firm.create_loan(), Entry.objects.count()
    answer = firm.caller.post(f"{LOAN}/{loan}/repay", f'{{"amount": {amount}}}')
    assert_error(answer, 400, "invalid_request", complaint)
    assert Entry.objects.count() == before


def test_a_loan_is_found_at_its_own_due_time_which_is_printed_to_the_second(firm):
    loan = firm.create_loan()
    # The table keeps more than is printed.
    printed = Loan.objects.get(id=loan).repayment_date.replace(microsecond=0)

    def found(**narrowed: str) -> int:
        return int(exact_json(firm.caller.get("/v1/api/credit/loans", narrowed))["data"]["total"])

    second = timedelta(seconds=1)
    assert found(due_from=wire_time(printed), due_to=wire_time(printed)) == 1
    assert found(due_from=wire_time(printed + second)) == 0
    assert found(due_to=wire_time(printed - second)) == 0


def test_releasing_what_is_not_pledged_says_so(firm):
    loan, symbol = firm.create_loan(), firm.lending.token.symbol
    path = f"{LOAN}/{loan}/release"
    for token_id, message in (
        ("x", "A token in collaterals is not pledged"),
        (str(firm.lending.token.id), f"105 units of {symbol} are pledged, requested: 106"),
    ):
        body = {"collaterals": [{"token_id": token_id, "quantity": 106}]}
        assert_error(firm.caller.post(path, body), 400, "not_pledged", message)
    twice = {"collaterals": [{"token_id": str(firm.lending.token.id), "quantity": 1}] * 2}
    message = "collaterals must not name a token twice"
    assert_error(firm.caller.post(path, twice), 400, "invalid_request", message)


def test_collateral_is_added_and_released(firm):
    loan = firm.create_loan()
    more = {"collaterals": [{"token_id": str(firm.lending.token.id), "quantity": 0.5}]}
    added = exact_json(firm.caller.post(f"{LOAN}/{loan}/collateral", more))["data"]
    assert added["collaterals"][0]["quantity"] == Decimal("105.5")
    released = exact_json(firm.caller.post(f"{LOAN}/{loan}/release", more))["data"]
    assert released["collaterals"][0]["quantity"] == 105
    assert_error(firm.caller.post(f"{LOAN}/{loan}/release", more), 400, "insufficient_collateral")


def test_the_same_key_makes_one_loan(firm):
    first = firm.caller.post(LOAN, firm.body(), Idempotency_Key="k")
    again = firm.caller.post(LOAN, firm.body(), Idempotency_Key="k")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert again["Idempotent-Replayed"] == "true"
    assert Loan.objects.count() == 1
    other = firm.caller.post(LOAN, firm.body(reason="x"), Idempotency_Key="k")
    assert_error(other, 422, "idempotency_key_reused")


def test_a_quote_names_every_rule_and_makes_nothing(firm):
    body = firm.body(duration=13, interest_rate=0.2)
    with assert_nothing_changes():
        data = exact_json(firm.caller.post(f"{LOAN}/quote", body))["data"]
    assert data["acceptable"] is False
    assert [refusal["code"] for refusal in data["refusals"]] == [
        "duration_not_offered",
        "interest_rate_differs",
        "repayment_differs",
    ]
    good = exact_json(firm.caller.post(f"{LOAN}/quote", firm.body()))["data"]
    assert (good["acceptable"], good["refusals"]) == (True, [])
    assert good["max_amount"] == 840_000
    assert good["max_repayment_amount"] == 1_596_000


def test_scopes_are_asked_for(firm):
    reader = make_caller(["credit:read"], organisation=firm.lending.borrower.organisation)
    assert_error(reader.post(LOAN, firm.body()), 403, "insufficient_scope")
    writer = make_caller(["credit:write"], organisation=firm.lending.borrower.organisation)
    assert_error(writer.get("/v1/api/credit/loans"), 403, "insufficient_scope")


def test_loans_are_listed_by_state_people_and_time(firm):
    loan = firm.create_loan()
    listed = exact_json(firm.caller.get("/v1/api/credit/loans", {"status": "active"}))["data"]
    assert list(listed) == ["page", "pages", "count", "total", "loans"]
    assert [row["id"] for row in listed["loans"]] == [loan]
    for nothing in (
        {"status": "COMPLETED"},
        {"user_id": "x"},
        {"shortfall": "true"},
        {"currency": "KES"},
        {"token_id": str(firm.lending.borrower.owner_id)},
    ):
        assert exact_json(firm.caller.get("/v1/api/credit/loans", nothing))["data"]["total"] == 0
    assert_error(
        firm.caller.get("/v1/api/credit/loans", {"status": "GONE"}), 400, "invalid_request"
    )


def test_both_sides_are_told_and_the_lender_is_not_told_who_the_member_is(firm):
    loan = firm.create_loan()
    told = {
        event.organisation_id: json.loads(event.body)["data"]
        for event in Event.objects.filter(subject_id=loan, type="loan.created")
    }
    assert told[firm.lending.borrower.organisation.id]["user"]["name"]
    assert told[firm.lending.creditor.organisation.id]["user"] is None
