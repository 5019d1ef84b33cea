"""Loans refused over HTTP: what is short or not offered, and bodies that are not right."""

import json

import pytest

from credit.configurations.services.configurations import retire
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.borrower_api import LOAN, BorrowerApi
from tests.factories.lending import make_lending
from tests.factories.loan_configurations import make_configuration
from tests.factories.tokens import give_units
from tests.factories.wallets import Wallet, make_staff


@pytest.fixture(scope="module")
def firm(module_database: None) -> BorrowerApi:
    """One for all tests of the module: each is refused."""
    return make_firm()


def make_firm() -> BorrowerApi:
    lending = make_lending()
    return BorrowerApi(lending, make_caller(organisation=lending.borrower.organisation))


def test_104_units_are_too_little_and_1596000_is_the_most_to_repay(firm):
    with assert_nothing_changes():
        short = [{"token_id": str(firm.lending.token.id), "quantity": 104}]
        message = assert_error(firm.create(collaterals=short), 400, "insufficient_collateral")
        assert "832000" in message
        assert_error(
            firm.create(repayment_amount="1596000.01"),
            400,
            "repayment_above_maximum",
            "repayment_amount must not be above 1596000",
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"amount": "1e5"},
            "amount must be a decimal in digits, without sign, space or exponent",
        ),
        ({"amount": "840000.001"}, "amount must not have more than 2 decimals"),
        ({"repayment_amount": True}, "repayment_amount must be a number"),
        ({"interest_rate": 1.5}, "interest_rate must be from 0 to 1"),
        ({"duration": 1.5}, "duration must be a whole number of months from 1"),
        ({"collaterals": None}, "collaterals is required"),
        (
            {"collaterals": [{"quantity": 5}, {"token_id": "x"}]},
            "collaterals item 1: token_id must be a string; collaterals item 2: quantity must be a "
            "number",
        ),
        ({"user_id": 5}, "user_id must be a string"),
    ],
)
def test_a_bad_field_is_named_and_nothing_moves(firm, change, words):
    """Every value that a field refuses is in tests/credit/loans/test_loan_inputs.py."""
    with assert_nothing_changes():
        assert_error(firm.create(**change), 400, "invalid_request", words)


def test_a_currency_that_is_none_is_refused_as_everywhere(firm):
    message = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]"
    with assert_nothing_changes():
        assert_error(firm.create(currency="EUR"), 400, "invalid_currency", message)


def test_every_missing_field_is_named(firm):
    message = assert_error(firm.caller.post(LOAN, "{}"), 400, "invalid_request")
    for name in ("user_id", "duration", "currency", "amount", "collaterals", "interest_rate"):
        assert f"{name} is required" in message


def test_ten_thousand_collaterals_and_a_token_twice_are_refused(firm):
    one = {"token_id": str(firm.lending.token.id), "quantity": 1}
    with assert_nothing_changes():
        assert_error(
            firm.create(collaterals=[{"token_id": "x", "quantity": 1}] * 1000),
            400,
            "invalid_request",
        )
        message = assert_error(firm.create(collaterals=[one, one]), 400, "invalid_request")
        assert "twice" in message


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"user_id": "nobody"}, "user_not_found"),
        ({"loan_configuration_id": "none"}, "loan_configuration_not_found"),
        ({"collaterals": [{"token_id": "none", "quantity": 5}]}, "token_not_found"),
    ],
)
def test_what_does_not_exist_is_not_found(firm, change, code):
    with assert_nothing_changes():
        assert_error(firm.create(**change), 404, code)


def test_what_json_has_no_number_for_is_refused(firm):
    body = json.dumps(firm.body(interest_rate="@")).replace('"@"', "NaN")
    with assert_nothing_changes():
        assert_error(firm.caller.post(LOAN, body), 400, "invalid_request")


def test_only_a_configuration_in_force_lends(module_database):
    """Its creditor is told so; to others one that is not in force does not exist."""
    firm = make_firm()
    creditor = firm.lending.creditor.organisation
    lender = make_caller(["credit:write"], organisation=creditor)
    member = Wallet(creditor, make_member(creditor))
    give_units(firm.lending.token, member, 200)
    waits = make_configuration(creditor, approved=False, access="public")
    for offer, state in ((waits, "Pending"), (firm.lending.offer, "Retired")):
        if state == "Retired":
            retire(configuration_id=offer.id, user=make_staff("decide_configuration"))
        with assert_nothing_changes():
            assert_error(
                firm.create(loan_configuration_id=str(offer.id)),
                404,
                "loan_configuration_not_found",
                "Loan configuration not found",
            )
            assert_error(
                lender.post(
                    LOAN,
                    firm.body(user_id=str(member.owner_id), loan_configuration_id=str(offer.id)),
                ),
                400,
                "configuration_not_approved",
                f"The loan configuration is {state}: only Approved ones make loans",
            )


def test_more_than_is_free_is_refused_with_both_figures(firm):
    with assert_nothing_changes():
        much = [{"token_id": str(firm.lending.token.id), "quantity": 1000.5}]
        message = assert_error(firm.create(collaterals=much), 400, "insufficient_units")
        assert message.endswith("units. Available: 1000, requested: 1000.5")


def test_a_duration_far_beyond_the_longest_is_refused_with_the_longest(firm):
    with assert_nothing_changes():
        assert_error(
            firm.create(duration=10**9),
            400,
            "duration_not_offered",
            "duration must be a whole number of months from 1 to 12",
        )
