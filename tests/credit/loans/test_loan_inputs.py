"""Invalid loan bodies, at their parser: the message of each error.

That the endpoints use it, and that nothing moves, is tested in tests/contract.
"""

import json
from typing import Any
from uuid import UUID

import pytest

from credit.loans.serializers import CollateralInput, LoanInput, RepaymentInput
from tests.assertions.inputs import assert_rejected, body_error

# For the currencies, which are read once.
pytestmark = pytest.mark.django_db

TOKEN = str(UUID(int=1))
BODY = {
    "user_id": str(UUID(int=2)),
    "duration": 3,
    "currency": "NGN",
    "interest_rate": 0.3,
    "amount": "840000",
    "repayment_amount": "1596000",
    "collaterals": [{"token_id": TOKEN, "quantity": 105}],
    "loan_configuration_id": str(UUID(int=3)),
}
OPTIONAL = {"reason": 500, "bank_name": 200, "bank_code": 40, "account_number": 40}
DIGITS = "must be a decimal in digits, without sign, space or exponent"
LARGE = "must not be above 1000000000000000"
AMOUNTS = {
    **{
        json.dumps(text): DIGITS
        for text in ("1e5", "१०", " 5 ", "-5", "", "+5", "5.", ".5", "0x10", "NaN", "1,000")
    },
    json.dumps("1" * 41): DIGITS,
    json.dumps("1." + "1" * 41): DIGITS,
    '"1000000000000000.01"': LARGE,
    '"9999999999999999999999"': LARGE,
    "1000000000000001": LARGE,
    "true": "must be a number",
    "[5]": "must be a number",
    "null": "is required",
    '"0"': "must be above 0",
    '"0.00"': "must be above 0",
    "0": "must be above 0",
    "-5": "must not be negative",
    '"840000.001"': "must not have more than 2 decimals",
    "840000.001": "must not have more than 2 decimals",
}
RATE = "interest_rate must be from 0 to 1"
MONTHS = "duration must be a whole number of months from 1"
FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"interest_rate": 1.5}, RATE),
    ({"interest_rate": 1.00000001}, RATE),
    ({"interest_rate": -0.1}, RATE),
    ({"interest_rate": 10**20}, RATE),
    ({"interest_rate": "0.3"}, "interest_rate must be a number"),
    ({"interest_rate": True}, "interest_rate must be a number"),
    ({"duration": 0}, MONTHS),
    ({"duration": 1.5}, MONTHS),
    ({"duration": "3"}, "duration must be a number"),
    ({"duration": -1}, "duration must not be negative"),
    ({"collaterals": []}, "collaterals must have 1 to 50 items"),
    ({"collaterals": [{"token_id": "x", "quantity": 1}] * 51},
     "collaterals must have 1 to 50 items"),
    ({"collaterals": {}}, "collaterals must be an array"),
    ({"collaterals": None}, "collaterals is required"),
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
        {"collaterals": [{"token_id": TOKEN, "quantity": 0.000000001}]},
        "collaterals item 1: quantity must not have more than 8 decimals",
    ),
    (
        {"collaterals": [{"quantity": 5}, {"token_id": "x"}]},
        "collaterals item 1: token_id must be a string; "
        "collaterals item 2: quantity must be a number",
    ),
    (
        {"collaterals": [{"token_id": TOKEN, "quantity": 1}] * 2},
        "collaterals must not name a token twice",
    ),
    ({"user_id": 5}, "user_id must be a string"),
    ({"currency": "UGX", "amount": "5.5"}, "amount must not have decimals"),
    ({"repayment_amount": "5.001"}, "repayment_amount must not have more than 2 decimals"),
    *(
        case
        for name, most in OPTIONAL.items()
        for case in (
            ({name: 5}, f"{name} must be a string"),
            ({name: "x" * (most + 1)}, f"{name} must have at most {most} characters"),
        )
    ),
]  # fmt: skip


def parse(body: str) -> Any:
    return body_error(LoanInput, body)


def changed(**changes: Any) -> str:
    return json.dumps({**BODY, **changes})


@pytest.mark.parametrize("name", ["amount", "repayment_amount"])
def test_an_invalid_amount_is_named(name):
    frame = changed(**{name: "<>"})
    assert_rejected(
        parse,
        ((frame.replace('"<>"', text), f"{name} {message}") for text, message in AMOUNTS.items()),
    )


def test_a_bad_field_is_named():
    assert_rejected(parse, ((changed(**changes), message) for changes, message in FIELDS))


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_non_finite_numbers_are_rejected(literal):
    body = changed(interest_rate="<>").replace('"<>"', literal)
    assert_rejected(parse, [(body, "interest_rate must be a number")])


def test_an_unknown_currency_is_rejected():
    message = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]"
    wrong: list[Any] = ["EUR", "ngn", "", 5, ["NGN"]]
    assert_rejected(
        parse, ((changed(currency=code), message) for code in wrong), "invalid_currency"
    )


def test_every_missing_field_is_named():
    fields = ("user_id", "duration", "currency", "interest_rate", "amount", "repayment_amount",
              "collaterals", "loan_configuration_id")  # fmt: skip
    assert_rejected(parse, [("{}", "; ".join(f"{name} is required" for name in fields))])


def test_values_at_their_limits_are_accepted():
    fifty = [{"token_id": str(UUID(int=n)), "quantity": 0.00000001} for n in range(1, 51)]
    longest = {name: "x" * most for name, most in OPTIONAL.items()}
    body = changed(interest_rate=1, duration=1, amount="0.01", collaterals=fifty, **longest)
    assert parse(body) is None
    assert parse(changed(amount="1000000000000000", interest_rate=0, repayment_amount=1)) is None


def test_payments_and_pledges_follow_the_same_rules():
    payments = {
        "0": "amount must be above 0",
        '"5"': "amount must be a number",
        "-1": "amount must not be negative",
        "0.000000001": "amount must not have more than 8 decimals",
    }
    assert_rejected(
        lambda body: body_error(RepaymentInput, body),
        ((f'{{"amount": {text}}}', message) for text, message in payments.items()),
    )
    assert_rejected(
        lambda body: body_error(CollateralInput, body),
        [
            ('{"collaterals": []}', "collaterals must have 1 to 50 items"),
            ("{}", "collaterals is required"),
        ],
    )
