"""What loans tell of others: nothing of a creditor's wallet, nothing of who is an organisation."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from credit.loans.models import Loan
from exchange.core.ids import uuid7
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import (
    ApiCaller,
    assert_error,
    make_caller,
    make_member,
    make_organisation,
)
from tests.factories.borrower_api import LOAN, BorrowerApi
from tests.factories.loan_configurations import make_configuration
from tests.factories.loan_proposals import PATH, body_of, put_configuration
from tests.factories.tokens import give_units
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, make_wallet
from tests.factories.withdrawals import exact_json

pytestmark = pytest.mark.django_db(transaction=True)

CENT = Decimal("0.01")
BALANCE = Decimal("123456.78")
MOST = Decimal(2_000_000)


def lend_from(firm: BorrowerApi, balance: Decimal, **terms: Any) -> Wallet:
    """The offer is that of a creditor who has `balance`, at no interest."""
    creditor = make_wallet(balance, currency="NGN")
    firm.lending.offer = make_configuration(
        creditor.organisation, access="public", interest_rate=Decimal(0), **terms
    )
    return creditor


def asking(firm: BorrowerApi, amount: Decimal, **changes: Any) -> dict[str, Any]:
    """The body of a request for `amount` at no interest, on ample collateral."""
    more = {"interest_rate": 0, "amount": str(amount), "repayment_amount": str(amount)}
    pledge = {"token_id": str(firm.lending.token.id), "quantity": 1000}
    return firm.body(**more, collaterals=[pledge], **changes)


def quoted(caller: ApiCaller, body: dict[str, Any]) -> dict[str, Any]:
    answer = caller.post(f"{LOAN}/quote", body)
    assert answer.status_code == 200, answer.content
    found = exact_json(answer)["data"]
    assert isinstance(found, dict)
    return found


def test_a_creditors_balance_cannot_be_found_by_halving_through_quotes(firm):
    """The attack: 28 quotes told the balance to the cent."""
    lend_from(firm, BALANCE)
    low = CENT
    while MOST - low > CENT:  # no answer ever makes the attacker look below it
        low = ((low + MOST) / 2).quantize(CENT)
        with assert_nothing_changes():
            found = quoted(firm.caller, asking(firm, low))
        assert (found["acceptable"], found["refusals"]) == (True, [])


def test_quotes_are_the_same_whatever_the_creditor_has(firm):
    def told(balance: Decimal) -> list[Any]:
        lend_from(firm, balance, max_outstanding={"NGN": MOST})
        found = []
        for amount in (CENT, BALANCE, BALANCE + CENT, MOST, MOST + CENT):
            quote = quoted(firm.caller, asking(firm, amount))
            found.append({name: value for name, value in quote.items() if name[-4:] != "date"})
        return found

    poor, rich = told(CENT), told(MOST * 10)
    assert poor == rich
    assert [refusal["code"] for refusal in poor[-1]["refusals"]] == [
        "amount_above_maximum",
        "outstanding_above_maximum",
    ]


def test_a_loan_that_cannot_be_funded_is_refused_without_a_figure(firm):
    creditor = lend_from(firm, BALANCE)
    answers = []
    with assert_nothing_changes():
        for amount in (BALANCE + CENT, BALANCE * 2, MOST):
            refused = firm.caller.post(LOAN, asking(firm, amount))
            assert_error(refused, 400, "not_funded", "The loan cannot be funded")
            answers.append(refused.content)
    assert len(set(answers)) == 1
    assert balance_of(creditor.owner_id, "NGN") == BALANCE
    assert firm.caller.post(LOAN, asking(firm, BALANCE)).status_code == 201
    assert balance_of(creditor.owner_id, "NGN") == 0
    assert_books_hold()


def test_funds_are_looked_at_last_so_that_nothing_else_tells_of_them(firm):
    lend_from(firm, CENT)
    nobodys = str(uuid7())
    with assert_nothing_changes():
        assert_error(
            firm.caller.post(LOAN, asking(firm, MOST, user_id=nobodys)), 404, "user_not_found"
        )
        short = asking(firm, MOST) | {"collaterals": firm.body()["collaterals"]}
        assert_error(firm.caller.post(LOAN, short), 400, "insufficient_collateral")


def test_the_creditor_is_told_by_its_own_quote(firm):
    creditor = lend_from(firm, BALANCE)
    lender = make_caller(organisation=creditor.organisation)
    member = Wallet(creditor.organisation, make_member(creditor.organisation))
    give_units(firm.lending.token, member, 1000)
    mine = {"user_id": str(member.owner_id)}
    assert quoted(lender, asking(firm, BALANCE, **mine))["acceptable"] is True
    refusals = quoted(lender, asking(firm, BALANCE + CENT, **mine))["refusals"]
    message = "The creditor's NGN wallet does not cover the amount"
    assert refusals == [{"code": "not_funded", "message": message}]
    with assert_nothing_changes():
        answer = lender.post(LOAN, asking(firm, BALANCE + CENT, **mine))
        assert_error(answer, 400, "not_funded", message)


def named(lender: ApiCaller, ids: list[str]) -> Any:
    return lender.post(PATH, body_of(access="organisations", organisation_ids=ids))


def normal(answer: Any, *ids: str) -> str:
    """The answer without what is another for every configuration."""
    text: str = answer.content.decode()
    for value in (answer.json()["data"]["id"], *ids):
        text = text.replace(value, "ID")
    return text


def test_an_id_of_no_organisation_answers_like_any_other(lender: ApiCaller):
    known, unknown = str(make_organisation().id), str(uuid7())
    answers, costs = [], []
    for other in (known, unknown):
        with CaptureQueriesContext(connection) as queries:
            made = named(lender, [other])
        assert made.status_code == 201, made.content
        assert made.json()["data"]["organisation_ids"] == [other]
        read = lender.get(f"{PATH}/{made.json()['data']['id']}")
        again = put_configuration(lender, made.json()["data"]["id"], read.json()["data"])
        assert again.json()["data"] == read.json()["data"]
        answers.append([normal(answer, other) for answer in (made, read, again)])
        costs.append([query["sql"].split()[0] for query in queries.captured_queries])
    assert answers[0] == answers[1]
    assert costs[0] == costs[1]


def test_an_id_of_no_organisation_lets_nobody_borrow(firm):
    here = firm.lending.borrower.organisation.id
    strangers: list[UUID] = [uuid7(), uuid7()]
    creditor = firm.lending.creditor.organisation
    terms: dict[str, Any] = {"access": "organisations", "organisation_ids": strangers}
    closed = make_configuration(creditor, **terms)
    with assert_nothing_changes():
        body = firm.body(loan_configuration_id=str(closed.id))
        assert_error(firm.caller.post(LOAN, body), 404, "loan_configuration_not_found")
    shared = make_configuration(creditor, **terms | {"organisation_ids": [*strangers, here]})
    firm.create_loan(loan_configuration_id=str(shared.id))
    assert Loan.objects.get().configuration_id == shared.id
    seen = firm.caller.get(f"{PATH}/{shared.id}").json()["data"]
    assert "organisation_ids" not in seen
