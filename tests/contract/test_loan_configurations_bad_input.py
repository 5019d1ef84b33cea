"""Bodies of a loan configuration that are not right: each field by its name, nothing written."""

from __future__ import annotations

import pytest

from credit.models import ConfigurationVersion
from tests.support.access import ApiCaller, failed, make_organisation
from tests.support.credit import make_configuration
from tests.support.proposing import PATH, body_of, put, written

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
        "null": "must not be null",
        '"' + "x" * 201 + '"': "must have at most 200 characters",
        '"a\\nb"': "must not contain control characters",
        '"a\\u0000b"': "must not contain NUL characters",
        '"a\\u202eb"': "must not contain invisible or direction-changing characters",
    },
    "access": {
        '"private"': "must be one of [own, organisations, public]",
        "true": "must be one of [own, organisations, public]",
        "null": "must not be null",
    },
    "investment_categories": {
        "[]": "must not be empty",
        '"Bond"': "must be an array",
        '["Gold"]': f"must be of [{CATEGORIES}]",
        '["Bond", 5]': f"must be of [{CATEGORIES}]",
        '["Bond", "bond"]': "must not name a category twice",
        "[" + ", ".join(['"ETF"'] * 9000) + "]": "must have at most 13 items",
        "null": "must not be null",
    },
    "max_amount": {
        "{}": "must have at least one currency",
        "[]": "must be an object of amounts by currency",
        "5": "must be an object of amounts by currency",
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
        "null": "must not be null",
    },
    "collateral_ratio": {
        "0": RATIO,
        "1.5": RATIO,
        "1.00000001": RATIO,
        '"0.3"': NOT_A_NUMBER,
        "NaN": NOT_A_NUMBER,
        "true": NOT_A_NUMBER,
        "null": "must not be null",
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
        '["x"]': "must be ids of organisations",
        "[5]": "must be ids of organisations",
        '["0197f0c2-7b1e-7c3a-9d55-0d2f6a1b9c10"]': "must be empty unless access is organisations",
        "[" + ", ".join(["1"] * 10_000) + "]": "must have at most 200 items",
    },
}
CASES = [(name, text) for name, texts in BAD.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), CASES, ids=[f"{n}={t[:24]}" for n, t in CASES])
def test_a_bad_field_is_refused_by_name_and_nothing_is_written(lender: ApiCaller, name, text):
    mine = make_configuration(lender.organisation)
    for response in (
        lender.post(PATH, written(name, text)),
        put(lender, mine, written(name, text)),
    ):
        failed(response, 400, "invalid_request", f"{name} {BAD[name][text]}")
    assert ConfigurationVersion.objects.count() == 1


def test_a_currency_that_is_none_is_refused_as_everywhere(lender: ApiCaller):
    for name in ("min_amount", "max_amount", "max_outstanding"):
        for code in ("EUR", "ngn"):
            response = lender.post(PATH, body_of(**{name: {code: 5}}))
            message = f"{name}: Currency must be one of [{CURRENCIES}]"
            assert failed(response, 400, "invalid_currency").startswith(message)
    assert not ConfigurationVersion.objects.exists()


@pytest.mark.parametrize("text", ['"5"', "true", "null", "-5", "NaN", "1e400", "[]"])
def test_an_amount_that_is_none_is_refused_by_its_currency(lender: ApiCaller, text):
    message = {"-5": "must not be negative", "1e400": "must not be above 1000000000000000"}
    told = failed(
        lender.post(PATH, written("max_amount", f'{{"NGN": {text}}}')),
        400,
        "invalid_request",
    )
    assert told == f"max_amount.NGN {message.get(text, NOT_A_NUMBER)}"


def test_organisations_are_named_once_and_are_needed(lender: ApiCaller):
    here = str(make_organisation().id)
    for ids, told in (
        ([], "must name who may borrow"),
        ([here, here], "must not name an organisation twice"),
    ):
        response = lender.post(PATH, body_of(access="organisations", organisation_ids=ids))
        failed(response, 400, "invalid_request", f"organisation_ids {told}")


def test_the_message_names_every_bad_field(lender: ApiCaller):
    failed(
        lender.post(PATH, "{}"),
        400,
        "invalid_request",
        "name is required; investment_categories is required; max_amount is required; "
        "collateral_ratio is required; interest_rate is required; duration is required",
    )
    told = failed(
        lender.post(PATH, body_of(name="", collateral_ratio=0, interest_rate=True, duration=0)),
        400,
        "invalid_request",
    )
    assert sorted(told.split("; ")) == [
        f"collateral_ratio {RATIO}",
        f"duration {MONTHS}",
        f"interest_rate {NOT_A_NUMBER}",
        "name must not be blank",
    ]
