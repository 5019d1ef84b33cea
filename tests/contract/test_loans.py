"""Loans over HTTP: the interface's own figures and record, the added operations, bad input."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from shutil import which
from typing import Any

import pytest
from django.db import connection

from credit.dates import add_months
from credit.models import Loan
from credit.services.configurations import retire
from exchange.models import Event
from exchange.times import javascript_time
from tests.support.access import ApiCaller, failed, make_caller, make_member
from tests.support.credit import make_configuration
from tests.support.lending import Lending, give_units, held, make_lending
from tests.support.tokens import make_token
from tests.support.withdrawals import exact, round_trips
from tests.support.world import Wallet, assert_books_hold, make_staff
from wallets.models import Entry

pytestmark = pytest.mark.django_db(transaction=True)

LOAN = "/v1/api/credit/loan"
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


@dataclass
class Borrowing:
    """The world of `Lending`, and the key of the borrower's organisation."""

    world: Lending
    caller: ApiCaller

    def body(self, **changes: Any) -> dict[str, Any]:
        """840,000 for 3 months against 105 units of 10,000."""
        return {
            "user_id": str(self.world.borrower.owner_id),
            "duration": 3,
            "currency": "NGN",
            "interest_rate": 0.3,
            "amount": "840000",
            "repayment_amount": "1596000",
            "collaterals": [{"token_id": str(self.world.token.id), "quantity": 105}],
            "loan_configuration_id": str(self.world.offer.id),
            **changes,
        }

    def create(self, **changes: Any) -> Any:
        return self.caller.post(LOAN, self.body(**changes))

    def made(self, **changes: Any) -> str:
        """The id of a loan that was made."""
        answer = self.create(**changes)
        assert answer.status_code == 201, answer.content
        return str(answer.json()["data"]["id"])


@pytest.fixture
def desk() -> Borrowing:
    world = make_lending()
    return Borrowing(world, make_caller(organisation=world.borrower.organisation))


@contextmanager
def nothing_moves() -> Iterator[None]:
    before = Entry.objects.count()
    yield
    assert Entry.objects.count() == before
    assert not Loan.objects.exists()


def test_the_record_is_the_interfaces_to_the_letter(desk):
    answer = desk.create(reason="School fees")
    assert answer.status_code == 201
    body = exact(answer)
    assert list(body) == ["status", "message", "data"]
    loan = body["data"]
    assert list(loan) == RECORD
    assert loan["amount"] == Decimal(840_000)
    assert loan["repayment_amount"] == Decimal(1_596_000)
    assert loan["interest_rate"] == Decimal("0.3")
    assert (loan["status"], loan["duration"], loan["grace_period_unit"]) == ("ACTIVE", 3, "DAYS")
    assert loan["collaterals"] == [
        {"name": "Savannah Foods", "token_id": str(desk.world.token.id), "quantity": 105}
    ]
    assert loan["reason"] == "School fees"
    row = Loan.objects.get()
    assert loan["repayment_date"] == javascript_time(add_months(row.created_at, 3))
    assert b'"amount":840000,' in answer.content
    assert b'"interest_rate":0.3,' in answer.content
    assert_books_hold()


def test_104_units_are_too_little_and_1596000_is_the_most_to_repay(desk):
    with nothing_moves():
        short = [{"token_id": str(desk.world.token.id), "quantity": 104}]
        message = failed(desk.create(collaterals=short), 400, "insufficient_collateral")
        assert "832000" in message
        failed(
            desk.create(repayment_amount="1596000.01"),
            400,
            "repayment_above_maximum",
            "repayment_amount must not be above 1596000",
        )


def test_an_amount_may_be_a_number_too(desk):
    assert desk.create(amount=840000, repayment_amount=1596000).status_code == 201


@pytest.mark.parametrize(
    "amount",
    ["1e5", "१०", " 5 ", "-5", "", "+5", "5.", ".5", "0x10", "NaN", "1,000", True, None, [5], "0"],
)
def test_an_amount_that_is_none_is_named_and_nothing_moves(desk, amount):
    with nothing_moves():
        message = failed(desk.create(amount=amount), 400, "invalid_request")
        assert message.startswith("amount ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"interest_rate": 1.5}, "interest_rate must be from 0 to 1"),
        ({"interest_rate": -0.1}, "interest_rate must be from 0 to 1"),
        ({"interest_rate": 10**20}, "interest_rate must be from 0 to 1"),
        ({"interest_rate": "0.3"}, "interest_rate must be a number"),
        ({"interest_rate": True}, "interest_rate must be a number"),
        ({"duration": 0}, "duration must be a whole number of months from 1"),
        ({"duration": 1.5}, "duration must be a whole number of months from 1"),
        ({"duration": "3"}, "duration must be a number"),
        ({"collaterals": []}, "collaterals must have 1 to 50 items"),
        ({"collaterals": {}}, "collaterals must be a list"),
        ({"collaterals": None}, "collaterals must not be null"),
        ({"collaterals": [5]}, "collaterals item 1: must be an object"),
        (
            {"collaterals": [{"token_id": "x", "quantity": 0}]},
            "collaterals item 1: quantity must be above 0",
        ),
        (
            {"collaterals": [{"token_id": "x", "quantity": "5"}]},
            "collaterals item 1: quantity must be a number",
        ),
        (
            {"collaterals": [{"quantity": 5}]},
            "collaterals item 1: token_id must be a string",
        ),
        ({"amount": "840000.001"}, "amount must not have more than 2 decimals"),
        ({"currency": "EUR"}, "currency must be one of"),
        ({"user_id": 5}, "user_id must be a string"),
    ],
)
def test_a_bad_field_is_named_and_nothing_moves(desk, change, words):
    with nothing_moves():
        message = failed(desk.create(**change), 400, "invalid_request")
        assert words in message


def test_every_missing_field_is_named(desk):
    message = failed(desk.caller.post(LOAN, "{}"), 400, "invalid_request")
    for name in ("user_id", "duration", "currency", "amount", "collaterals", "interest_rate"):
        assert f"{name} is required" in message


def test_ten_thousand_collaterals_and_a_token_twice_are_refused(desk):
    one = {"token_id": str(desk.world.token.id), "quantity": 1}
    with nothing_moves():
        failed(
            desk.create(collaterals=[{"token_id": "x", "quantity": 1}] * 1000),
            400,
            "invalid_request",
        )
        message = failed(desk.create(collaterals=[one, one]), 400, "invalid_request")
        assert "twice" in message


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"user_id": "nobody"}, "user_not_found"),
        ({"loan_configuration_id": "none"}, "loan_configuration_not_found"),
        ({"collaterals": [{"token_id": "none", "quantity": 5}]}, "token_not_found"),
    ],
)
def test_what_does_not_exist_is_not_found(desk, change, code):
    with nothing_moves():
        failed(desk.create(**change), 404, code)


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_what_json_has_no_number_for_is_refused(desk, literal):
    body = json.dumps(desk.body(interest_rate="@")).replace('"@"', literal)
    with nothing_moves():
        failed(desk.caller.post(LOAN, body), 400, "invalid_request")


def test_only_a_configuration_in_force_lends(desk):
    """Its creditor is told so; to others one that is not in force does not exist."""
    creditor = desk.world.creditor.organisation
    lender = make_caller(["credit:write"], organisation=creditor)
    member = Wallet(creditor, make_member(creditor))
    give_units(desk.world.token, member, 200)
    waits = make_configuration(creditor, approved=False, access="public")
    for offer, state in ((waits, "Pending"), (desk.world.offer, "Retired")):
        if state == "Retired":
            retire(configuration_id=offer.id, user=make_staff("decide_configuration"))
        with nothing_moves():
            failed(
                desk.create(loan_configuration_id=str(offer.id)),
                404,
                "loan_configuration_not_found",
                "Loan configuration not found",
            )
            failed(
                lender.post(
                    LOAN,
                    desk.body(user_id=str(member.owner_id), loan_configuration_id=str(offer.id)),
                ),
                400,
                "configuration_not_approved",
                f"The loan configuration is {state}: only Approved ones make loans",
            )


def test_more_than_is_free_is_refused_with_both_figures(desk):
    with nothing_moves():
        much = [{"token_id": str(desk.world.token.id), "quantity": 1000.5}]
        message = failed(desk.create(collaterals=much), 400, "insufficient_units")
        assert message.endswith("units. Available: 1000, requested: 1000.5")


def test_a_duration_far_beyond_the_longest_is_refused_with_the_longest(desk):
    with nothing_moves():
        failed(
            desk.create(duration=10**9),
            400,
            "duration_not_offered",
            "duration must be a whole number of months from 1 to 12",
        )


def test_a_loan_takes_five_round_trips_however_many_tokens_are_pledged(desk, tmp_path):
    tokens = [make_token(price_sell=Decimal(10_000)) for _ in range(8)]
    for token in tokens:
        give_units(token, desk.world.borrower, 100)
    desk.made(collaterals=[{"token_id": str(tokens[0].id), "quantity": 90}], amount="1000",
              repayment_amount="1900")  # fmt: skip
    many = [{"token_id": str(token.id), "quantity": 1} for token in tokens]
    with round_trips(tmp_path) as answers:
        assert desk.create(collaterals=many, amount="1000", repayment_amount="1900").status_code
    assert len(answers) == 5, "the check of the key, BEGIN, the facts, the loan, COMMIT"
    assert_books_hold()


def test_a_stranger_is_not_found(desk):
    other = make_caller()
    member = make_member(other.organisation)
    failed(desk.create(user_id=str(member.id)), 404, "user_not_found", "User not found")
    loan = desk.made()
    for path in ("", "/statement"):
        failed(other.get(f"{LOAN}/{loan}{path}"), 404, "loan_not_found", "Loan not found")
    for path in ("repay", "collateral", "release"):
        body = {"amount": 1, "collaterals": desk.body()["collaterals"]}
        failed(other.post(f"{LOAN}/{loan}/{path}", body), 404, "loan_not_found")
    assert exact(other.get("/v1/api/credit/loans"))["data"]["total"] == 0


def test_the_creditor_reads_a_loan_and_only_the_borrowers_side_changes_it(desk):
    loan = desk.made(bank_name="Zenith Bank", bank_code="057", account_number="0690000031")
    creditor = make_caller(organisation=desk.world.creditor.organisation)
    detail = exact(creditor.get(f"{LOAN}/{loan}"))["data"]
    assert list(detail)[: len(RECORD)] == RECORD
    assert (detail["bank_name"], detail["bank_code"]) == ("Zenith Bank", "057")
    assert detail["outstanding"] == 1_596_000
    failed(creditor.post(f"{LOAN}/{loan}/repay", {"amount": "5"}), 404, "loan_not_found")
    assert exact(creditor.get("/v1/api/credit/loans"))["data"]["total"] == 1


def test_a_loan_is_repaid_in_parts_interest_first(desk):
    loan = desk.made()
    desk.world.borrower.fund(1_000_000, "NGN")
    first = exact(desk.caller.post(f"{LOAN}/{loan}/repay", {"amount": "800000"}))["data"]
    assert (first["outstanding_interest"], first["outstanding_principal"]) == (0, 796_000)
    failed(
        desk.caller.post(f"{LOAN}/{loan}/repay", {"amount": "796000.01"}), 400, "amount_above_due"
    )
    last = exact(desk.caller.post(f"{LOAN}/{loan}/repay", {"amount": 796000}))["data"]
    assert (last["status"], last["outstanding"]) == ("COMPLETED", 0)
    assert [part["principal"] for part in last["repayments"]] == [44_000, 796_000]
    failed(desk.caller.post(f"{LOAN}/{loan}/repay", {"amount": 1}), 409, "state_conflict")
    rows = exact(desk.caller.get(f"{LOAN}/{loan}/statement"))["data"]
    assert [(row["type"], row["amount"], row["outstanding"]) for row in rows] == [
        ("disbursement", 840_000, 1_596_000),
        ("repayment", -800_000, 796_000),
        ("repayment", -796_000, 0),
    ]
    assert held(desk.world.borrower.owner_id, desk.world.token.id) == 1000
    assert_books_hold()


def test_collateral_is_added_and_released(desk):
    loan = desk.made()
    more = {"collaterals": [{"token_id": str(desk.world.token.id), "quantity": 0.5}]}
    added = exact(desk.caller.post(f"{LOAN}/{loan}/collateral", more))["data"]
    assert added["collaterals"][0]["quantity"] == Decimal("105.5")
    released = exact(desk.caller.post(f"{LOAN}/{loan}/release", more))["data"]
    assert released["collaterals"][0]["quantity"] == 105
    failed(desk.caller.post(f"{LOAN}/{loan}/release", more), 400, "insufficient_collateral")


def test_the_same_key_makes_one_loan(desk):
    first = desk.caller.post(LOAN, desk.body(), Idempotency_Key="k")
    again = desk.caller.post(LOAN, desk.body(), Idempotency_Key="k")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert again["Idempotent-Replayed"] == "true"
    assert Loan.objects.count() == 1
    other = desk.caller.post(LOAN, desk.body(reason="x"), Idempotency_Key="k")
    failed(other, 422, "idempotency_key_reused")


def test_a_quote_names_every_rule_and_makes_nothing(desk):
    body = desk.body(duration=13, interest_rate=0.2)
    with nothing_moves():
        data = exact(desk.caller.post(f"{LOAN}/quote", body))["data"]
    assert data["acceptable"] is False
    assert [refusal["code"] for refusal in data["refusals"]] == ["duration_not_offered"]
    good = exact(desk.caller.post(f"{LOAN}/quote", desk.body()))["data"]
    assert (good["acceptable"], good["refusals"]) == (True, [])
    assert good["max_amount"] == 840_000
    assert good["max_repayment_amount"] == 1_596_000


def test_scopes_are_asked_for(desk):
    reader = make_caller(["credit:read"], organisation=desk.world.borrower.organisation)
    failed(reader.post(LOAN, desk.body()), 403, "insufficient_scope")
    writer = make_caller(["credit:write"], organisation=desk.world.borrower.organisation)
    failed(writer.get("/v1/api/credit/loans"), 403, "insufficient_scope")


def test_loans_are_listed_by_state_people_and_time(desk):
    loan = desk.made()
    listed = exact(desk.caller.get("/v1/api/credit/loans", {"status": "active"}))["data"]
    assert list(listed) == ["page", "pages", "count", "total", "loans"]
    assert [row["id"] for row in listed["loans"]] == [loan]
    for nothing in (
        {"status": "COMPLETED"},
        {"user_id": "x"},
        {"shortfall": "true"},
        {"currency": "KES"},
        {"token_id": str(desk.world.borrower.owner_id)},
    ):
        assert exact(desk.caller.get("/v1/api/credit/loans", nothing))["data"]["total"] == 0
    failed(desk.caller.get("/v1/api/credit/loans", {"status": "GONE"}), 400, "invalid_request")


def test_both_sides_are_told_and_the_lender_is_not_told_who_the_member_is(desk):
    loan = desk.made()
    told = {
        event.organisation_id: json.loads(event.body)["data"]
        for event in Event.objects.filter(subject_id=loan, type="loan.created")
    }
    assert told[desk.world.borrower.organisation.id]["user"]["name"]
    assert told[desk.world.creditor.organisation.id]["user"] is None


# --- The date as JavaScript prints it -------------------------------------------------------------

MOMENTS = [
    datetime(2025, 7, 4, 7, 12, 11, 999_000, tzinfo=UTC),
    datetime(2024, 2, 29, 23, 30, 0, tzinfo=UTC),  # next day, and month, in Lagos
    datetime(2025, 12, 31, 23, 0, 0, tzinfo=UTC),  # next year in Lagos
    datetime(2027, 1, 1, 0, 0, 1, tzinfo=UTC),
]


def test_the_date_is_written_as_the_specification_shows_it():
    assert javascript_time(MOMENTS[0]) == (
        "Fri Jul 04 2025 08:12:11 GMT+0100 (West Africa Standard Time)"
    )


def test_the_database_writes_the_date_as_python_does(desk):
    with connection.cursor() as cursor:
        for moment in MOMENTS:
            cursor.execute("SELECT javascript_time(%s)", [moment])
            assert cursor.fetchone()[0] == javascript_time(moment)


@pytest.mark.skipif(which("node") is None, reason="Node is absent")
def test_node_reads_the_date_back_and_prints_the_same_in_lagos():
    texts = [javascript_time(moment) for moment in MOMENTS]
    program = (
        "const t = JSON.parse(process.argv[1]);"
        "console.log(JSON.stringify(t.map(s => [new Date(s).getTime(), new Date(s).toString()])))"
    )
    done = subprocess.run(
        ["node", "-e", program, json.dumps(texts)],
        env={"TZ": "Africa/Lagos", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    for moment, text, (milliseconds, printed) in zip(
        MOMENTS, texts, json.loads(done.stdout), strict=True
    ):
        assert milliseconds == int(moment.timestamp()) * 1000
        # The name in parentheses is the specification's; CLDR 48 and newer say West Africa Time.
        assert printed.replace("West Africa Time", "West Africa Standard Time") == text


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        ((2025, 1, 31), 1, (2025, 2, 28)),
        ((2024, 1, 31), 1, (2024, 2, 29)),
        ((2024, 2, 29), 12, (2025, 2, 28)),
        ((2025, 10, 31), 4, (2026, 2, 28)),
        ((2025, 12, 15), 1, (2026, 1, 15)),
    ],
)
def test_the_end_of_a_month_clamps(start, months, end):
    noon = time(12, tzinfo=UTC)
    added = add_months(datetime.combine(date(*start), noon), months)
    assert added == datetime.combine(date(*end), noon)
