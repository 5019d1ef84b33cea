"""Bodies of a loan configuration that are not right: each field by its name, nothing written.

Every value that a field refuses is in tests/credit/configurations/test_terms_inputs.py.
"""

import pytest

from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import ApiCaller, assert_error
from tests.factories.loan_configurations import make_configuration
from tests.factories.loan_proposals import PATH, body_with_field, put_configuration

pytestmark = pytest.mark.django_db

CATEGORIES = (
    "ETF, Bond, Commercial Paper, Debt Note, Real Estate, Private Business, Startup, Commodities, "
    "Fund, Art, Music, Movie, Charity"
)
# One of each field.
WRONG = [
    ("name", '"a\\u202eb"', "must not contain invisible or direction-changing characters"),
    ("access", '"private"', "must be one of [own, organisations, public]"),
    ("investment_categories", '["Gold"]', f"must be of [{CATEGORIES}]"),
    ("max_amount", '{"NGN": 5.005}', "must not have more than 2 decimals in NGN"),
    ("min_amount", '{"NGN": 2000000.51}', "must not be above max_amount in NGN"),
    ("max_outstanding", '{"NGN": 2000000.49}', "must not be below max_amount in NGN"),
    ("collateral_ratio", "1.00000001", "must be above 0 and not above 1"),
    ("interest_rate", "-0", "must not be negative"),
    ("duration", "601", "must be a whole number of months from 1 to 600"),
    ("grace_period", "366", "must be a whole number of days from 0 to 365"),
    ("grace_period_unit", '"MONTHS"', "must be one of [DAYS]"),
    (
        "organisation_ids",
        '["0197f0c2-7b1e-7c3a-9d55-0d2f6a1b9c10"]',
        "must be empty unless access is organisations",
    ),
]


def test_a_bad_field_is_refused_by_name_and_nothing_is_written(lender: ApiCaller):
    mine = make_configuration(lender.organisation)
    for name, text, told in WRONG:
        with assert_nothing_changes():
            proposed = lender.post(PATH, body_with_field(name, text))
            changed = put_configuration(lender, mine, body_with_field(name, text))
        for response in (proposed, changed):
            assert_error(response, 400, "invalid_request", f"{name} {told}")


def test_a_currency_that_is_none_is_refused_as_everywhere(lender: ApiCaller):
    mine = make_configuration(lender.organisation)
    body = body_with_field("max_amount", '{"EUR": 5}')
    message = "max_amount: Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]"
    with assert_nothing_changes():
        responses = [lender.post(PATH, body), put_configuration(lender, mine, body)]
    for response in responses:
        assert assert_error(response, 400, "invalid_currency").startswith(message)


def test_the_message_names_every_bad_field(lender: ApiCaller):
    assert_error(
        lender.post(PATH, "{}"),
        400,
        "invalid_request",
        "name is required; investment_categories is required; max_amount is required; "
        "collateral_ratio is required; interest_rate is required; duration is required",
    )
