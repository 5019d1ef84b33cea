"""Invalid terms of a loan configuration, at their parser: every error names its field.

That the endpoints use it, and that nothing is written, is tested in tests/contract.
"""

import json
from typing import Any
from uuid import UUID

import pytest

from credit.configurations.serializers import TermsInput
from tests.assertions.inputs import assert_rejected, body_error
from tests.factories.loan_proposals import body_of, body_with_field

# For the currencies, which are read once.
pytestmark = pytest.mark.django_db

CATEGORIES = (
    "ETF, Bond, Commercial Paper, Debt Note, Real Estate, Private Business, Startup, Commodities, "
    "Fund, Art, Music, Movie, Charity"
)
CURRENCIES = "NGN, KES, GHS, ZAR, UGX, TZS, USD"
NOT_A_NUMBER = "must be a number"
RATIO = "must be above 0 and not above 1"
MONTHS = "must be a whole number of months from 1 to 600"
BAD: dict[str, dict[str, str]] = {
    "name": {
        '""': "must not be blank",
        '"  "': "must not be blank",
        "5": "must be a string",
        "null": "is required",
        '"' + "x" * 201 + '"': "must have at most 200 characters",
        '"a\\nb"': "must not contain control characters",
        '"a\\u0000b"': "must not contain NUL characters",
        '"a\\u202eb"': "must not contain invisible or direction-changing characters",
    },
    "access": {
        '"private"': "must be one of [own, organisations, public]",
        "true": "must be one of [own, organisations, public]",
    },
    "investment_categories": {
        "[]": "must not be empty",
        '"Bond"': "must be an array",
        '["Gold"]': f"must be of [{CATEGORIES}]",
        '["Bond", 5]': f"must be of [{CATEGORIES}]",
        '["Bond", "bond"]': "must not name a category twice",
        "[" + ", ".join(['"ETF"'] * 9000) + "]": "must have at most 13 items",
        "null": "is required",
    },
    "max_amount": {
        "{}": "must have at least one currency",
        "[]": 'must be an object of currencies and amounts, such as {"NGN": 2000000}',
        "5": 'must be an object of currencies and amounts, such as {"NGN": 2000000}',
        '{"NGN": 0}': "must be above 0 and not above 1000000000000000 in NGN",
        '{"NGN": 5.005}': "must not have more than 2 decimals in NGN",
        '{"UGX": 5.5}': "must not have decimals in UGX",
    },
    "min_amount": {
        '{"KES": 5}': "must not have KES, in which max_amount lends nothing",
        '{"NGN": 2000000.51}': "must not be above max_amount in NGN",
        '{"NGN": 0}': "must be above 0 and not above 1000000000000000 in NGN",
        '{"UGX": 1.5}': "must not have decimals in UGX",
    },
    "max_outstanding": {
        '{"KES": 5}': "must not have KES, in which max_amount lends nothing",
        '{"NGN": 2000000.49}': "must not be below max_amount in NGN",
        '{"NGN": 50000000.001}': "must not have more than 2 decimals in NGN",
    },
    "collateral_ratio": {
        "0": RATIO,
        "1.5": RATIO,
        "1.00000001": RATIO,
        '"0.3"': NOT_A_NUMBER,
        "NaN": NOT_A_NUMBER,
        "true": NOT_A_NUMBER,
        "null": "is required",
        "-0.5": "must not be negative",
        "0.123456789": "must not have more than 8 decimals",
        "1e-400": "must not have more than 8 decimals",
    },
    "interest_rate": {
        "1.5": "must be from 0 to 1",
        '"0.3"': NOT_A_NUMBER,
        "NaN": NOT_A_NUMBER,
        "Infinity": NOT_A_NUMBER,
        "true": NOT_A_NUMBER,
        "-0": "must not be negative",
        "0.123456789": "must not have more than 8 decimals",
    },
    "duration": {
        "0": MONTHS,
        "1.5": "must be a whole number",
        "1000000000": MONTHS,
        "601": MONTHS,
        '"12"': NOT_A_NUMBER,
        "true": NOT_A_NUMBER,
        "-1": "must not be negative",
    },
    "grace_period": {
        "366": "must be a whole number of days from 0 to 365",
        "0.5": "must be a whole number",
        "false": NOT_A_NUMBER,
    },
    "grace_period_unit": {'"MONTHS"': "must be one of [DAYS]", "1": "must be one of [DAYS]"},
    "organisation_ids": {
        '"x"': "must be an array",
        '["x"]': "must contain only organisation IDs, which are UUIDs",
        "[5]": "must contain only organisation IDs, which are UUIDs",
        '["0197f0c2-7b1e-7c3a-9d55-0d2f6a1b9c10"]': "must be empty unless access is organisations",
        "[" + ", ".join(["1"] * 10_000) + "]": "must have at most 200 items",
    },
}


def parse(body: str) -> Any:
    return body_error(TermsInput, body)


@pytest.mark.parametrize("name", BAD)
def test_an_invalid_field_is_named(name):
    assert_rejected(
        parse,
        ((body_with_field(name, text), f"{name} {message}") for text, message in BAD[name].items()),
    )


@pytest.mark.parametrize("name", ["min_amount", "max_amount", "max_outstanding"])
def test_an_unknown_currency_is_rejected(name):
    for code in ("EUR", "ngn"):
        found = parse(json.dumps(body_of(**{name: {code: 5}})))
        assert found is not None
        assert found[:2] == (400, "invalid_currency")
        assert found[2].startswith(f"{name}: Currency must be one of [{CURRENCIES}]")


def test_an_invalid_amount_is_named_by_its_currency():
    message = {"-5": "must not be negative", "1e400": "must not be above 1000000000000000"}
    amounts = ('"5"', "true", "null", "-5", "NaN", "1e400", "[]")
    bodies = (
        (
            body_with_field("max_amount", f'{{"NGN": {text}}}'),
            f"max_amount.NGN {message.get(text, NOT_A_NUMBER)}",
        )
        for text in amounts
    )
    assert_rejected(parse, bodies)


def test_organisations_are_named_once_and_are_needed():
    here = str(UUID(int=7))
    cases: list[tuple[list[str], str]] = [
        ([], "organisation_ids must name who may borrow"),
        ([here, here], "organisation_ids must not name an organisation twice"),
    ]
    bodies = (
        (json.dumps(body_of(access="organisations", organisation_ids=ids)), message)
        for ids, message in cases
    )
    assert_rejected(parse, bodies)


def test_the_message_names_every_invalid_field():
    assert_rejected(
        parse,
        [
            (
                "{}",
                "name is required; investment_categories is required; max_amount is required; "
                "collateral_ratio is required; interest_rate is required; duration is required",
            )
        ],
    )
    several = body_of(name="", collateral_ratio=0, interest_rate=True, duration=0)
    found = parse(json.dumps(several))
    assert found is not None
    assert found[:2] == (400, "invalid_request")
    assert sorted(found[2].split("; ")) == [
        f"collateral_ratio {RATIO}",
        f"duration {MONTHS}",
        f"interest_rate {NOT_A_NUMBER}",
        "name must not be blank",
    ]
