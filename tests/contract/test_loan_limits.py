"""The least a loan may be, what may be pledged, and what a loan shows from its first moment."""

from decimal import Decimal

import pytest

from credit.configurations.models import LoanLimit
from credit.loans.models import Valuation
from credit.loans.services import servicing
from exchange.tokens.models import Token
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories import lifecycle
from tests.factories.api_clients import ApiCaller, assert_error, make_caller
from tests.factories.borrower_api import LOAN
from tests.factories.lifecycle import set_flags
from tests.factories.loan_configurations import make_configuration, make_terms
from tests.factories.loan_proposals import PATH, body_of
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import assert_books_hold, balance_of, make_staff
from tests.factories.withdrawals import exact_json

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("currency", "rate", "least"),
    [
        ("NGN", "0.3", "0.04"),
        ("NGN", "0.05", "0.2"),
        ("NGN", "1", "0.01"),
        ("NGN", "0", "0.01"),
        ("UGX", "0.3", "4"),
        ("UGX", "0", "1"),
        ("UGX", "0.07", "15"),
        ("NGN", "0.00000003", "333333.34"),
        # Never above the most of one loan.
        ("NGN", "0.00000001", "900000"),
    ],
)
def test_by_default_a_month_brings_one_minor_unit_of_interest(currency, rate, least):
    terms = make_terms(interest_rate=Decimal(rate), max_amount={currency: Decimal(900_000)})
    assert terms.minimum_for(currency) == Decimal(least)


def test_the_least_of_one_loan_is_proposed_and_shown_beside_the_most(lender: ApiCaller):
    made = lender.post(PATH, body_of(min_amount={"NGN": 1000.5}))
    assert exact_json(made)["data"]["min_amount"] == {"NGN": Decimal("1000.5"), "UGX": 20}
    assert LoanLimit.objects.get(currency="NGN").min_amount == Decimal("1000.5")
    assert b'"min_amount":{"NGN":1000.5,"UGX":20},"max_amount"' in made.content


def test_a_loan_below_the_least_is_refused_with_the_least(firm):
    firm.lending.offer = make_configuration(
        firm.lending.creditor.organisation, access="public", min_amount={"NGN": Decimal(5000)}
    )
    few = {"amount": "4999.99", "repayment_amount": "9499.98"}
    with assert_nothing_changes():
        assert_error(
            firm.create(**few), 400, "amount_below_minimum", "amount must not be below 5000 NGN"
        )
        quote = exact_json(firm.caller.post(f"{LOAN}/quote", firm.body(**few)))["data"]
    assert [refusal["code"] for refusal in quote["refusals"]] == ["amount_below_minimum"]
    firm.create_loan(amount="5000", repayment_amount="9500")


def test_no_loan_is_so_small_that_it_bears_no_interest(firm):
    tiny = {"duration": 1, "amount": "0.03", "repayment_amount": "0.04"}
    with assert_nothing_changes():
        assert_error(firm.create(**tiny), 400, "amount_below_minimum")
    least = {"duration": 1, "amount": "0.04", "repayment_amount": "0.05"}
    firm.create_loan(**least)


def test_a_quote_tells_every_rule_that_would_refuse_whatever_else_fails(firm):
    token = firm.lending.token
    set_flags(token, exited=True, investment_category="Art")
    body = firm.body(
        user_id="nobody",
        currency="KES",
        amount="5",
        repayment_amount="4",
        duration=13,
        interest_rate=0.2,
        collaterals=[{"token_id": str(token.id), "quantity": 1}, {"token_id": "x", "quantity": 1}],
    )
    data = exact_json(firm.caller.post(f"{LOAN}/quote", body))["data"]
    assert [refusal["code"] for refusal in data["refusals"]] == [
        "user_not_found",
        "currency_not_offered",
        "duration_not_offered",
        "interest_rate_differs",
        "repayment_below_amount",
        "repayment_differs",
        "token_exited",
        "category_not_allowed",
        "collateral_currency_differs",
        "token_not_found",
        "insufficient_collateral",
    ]
    assert data["acceptable"] is False


def test_a_quote_tells_that_too_much_would_be_repaid_and_that_it_differs(firm):
    body = firm.body(repayment_amount="1596000.01")
    data = exact_json(firm.caller.post(f"{LOAN}/quote", body))["data"]
    assert [refusal["code"] for refusal in data["refusals"]] == [
        "repayment_above_maximum",
        "repayment_differs",
    ]


def test_collateral_in_another_currency_refuses_and_is_worth_nothing(firm):
    other = make_token(currency="KES", price_sell=Decimal(10_000))
    give_units(other, firm.lending.borrower, 50)
    own = firm.body()["collaterals"]
    both = [*own, {"token_id": str(other.id), "quantity": 50}]
    data = exact_json(firm.caller.post(f"{LOAN}/quote", firm.body(collaterals=both)))["data"]
    assert [refusal["code"] for refusal in data["refusals"]] == ["collateral_currency_differs"]
    assert (data["collateral_value"], data["max_amount"]) == (1_050_000, 840_000)


def test_a_retired_configuration_tells_its_other_rules_too(firm):
    lender = make_caller(organisation=firm.lending.creditor.organisation)
    firm.lending.offer.status = "Retired"
    firm.lending.offer.save(update_fields=["status"])
    body = firm.body(amount="3000000", interest_rate=0.2)
    data = exact_json(lender.post(f"{LOAN}/quote", body))["data"]
    assert [refusal["code"] for refusal in data["refusals"]] == [
        "user_not_found",
        "configuration_not_approved",
        "amount_above_maximum",
        "interest_rate_differs",
        "repayment_below_amount",
        "insufficient_collateral",
    ]


def test_a_loan_shows_its_collaterals_value_and_loan_to_value_from_its_first_moment(firm):
    loan = firm.create_loan(amount="700000", repayment_amount="1330000")
    assert not Valuation.objects.exists()
    detail = exact_json(firm.caller.get(f"{LOAN}/{loan}"))["data"]
    assert (detail["collateral_value"], detail["loan_to_value"]) == (
        1_050_000,
        Decimal("0.66666667"),
    )
    assert servicing.revalue_loans() == 1
    again = exact_json(firm.caller.get(f"{LOAN}/{loan}"))["data"]
    assert again == detail


def test_a_later_valuation_without_a_price_shows_none(firm):
    loan = firm.create_loan()
    Token.objects.filter(id=firm.lending.token.id).update(quoted_at=None)
    servicing.revalue_loans()
    detail = exact_json(firm.caller.get(f"{LOAN}/{loan}"))["data"]
    assert (detail["collateral_value"], detail["loan_to_value"]) == (None, None)


def test_units_bought_in_a_raise_that_is_open_are_not_pledged(firm):
    token = make_token(
        price_buy=Decimal(10_000), price_sell=Decimal(10_000), raise_amount=Decimal(10_000_000)
    )
    firm.lending.borrower.fund(3_000_000, "NGN")
    bought = firm.caller.post(
        "/v1/orders",
        {
            "token_id": str(token.id),
            "type": "Buy",
            "price": 10_000,
            "tokens": 200,
            "user_id": str(firm.lending.borrower.owner_id),
        },
    )
    assert bought.json()["data"]["status"] == "Fulfilled"
    pledge = [{"token_id": str(token.id), "quantity": 105}]
    message = (
        f"{token.symbol} is in its primary raise: its units can be pledged once it is complete"
    )
    with assert_nothing_changes():
        assert_error(firm.create(collaterals=pledge), 400, "raise_open", message)
        quote = exact_json(firm.caller.post(f"{LOAN}/quote", firm.body(collaterals=pledge)))["data"]
    assert quote["refusals"] == [{"code": "raise_open", "message": message}]

    loan = firm.create_loan()
    before = balance_of(firm.lending.borrower.owner_id, token.id)
    added = firm.caller.post(f"{LOAN}/{loan}/collateral", {"collaterals": pledge})
    assert_error(added, 400, "raise_open", message)
    assert balance_of(firm.lending.borrower.owner_id, token.id) == before == 200

    # So a raise with nothing else in its way can always be cancelled; this one completes.
    lifecycle.complete_raise(token_id=token.id, user=make_staff("end_token"))
    assert firm.create(collaterals=pledge).status_code == 201
    assert_books_hold()
