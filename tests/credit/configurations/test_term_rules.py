"""Edge cases of the validation rules of terms."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from credit.configurations.services.terms import default_min_amount, find_errors, validate_terms
from exchange.core.errors import InvalidRequest
from exchange.tokens.models import InvestmentCategory
from tests.factories.loan_configurations import make_terms

# For the currencies, which are read once.
pytestmark = pytest.mark.django_db

IDS = [UUID(int=number) for number in range(1, 202)]
LARGEST = Decimal(10) ** 15
CATEGORIES = ", ".join(InvestmentCategory.values)
NO_NUMBER = [Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity")]
AMOUNT = "must be above 0 and not above 1000000000000000 in NGN"
RATIO = "must be above 0 and not above 1"
RATE = "must be from 0 to 1"
DECIMALS = "must not have more than 8 decimals"
MONTHS = "must be a whole number of months from 1 to 600"
DAYS = "must be a whole number of days from 0 to 365"
UNSEEN = "must not contain control, invisible or direction-changing characters"
FINE: dict[str, list[Any]] = {
    "name": ["x", "x" * 200, "Crédit à terme"],
    "access": ["own", "organisations", "public"],
    "investment_categories": [["Bond"], InvestmentCategory.values],
    "max_amount": [
        {"NGN": Decimal("0.01")}, {"NGN": LARGEST}, {"UGX": Decimal(1), "KES": Decimal("1.5")},
    ],
    "collateral_ratio": [Decimal("0.00000001"), Decimal(1)],
    "interest_rate": [Decimal(0), Decimal("0.12345678"), Decimal(1)],
    "duration": [1, 600],
    "grace_period": [0, 365],
}  # fmt: skip
BAD: dict[str, list[tuple[Any, str]]] = {
    "name": [
        ("", "must not be blank"),
        (" ", "must not be blank"),
        ("x" * 201, "must have at most 200 characters"),
        ("a\u202eb", UNSEEN),
        ("a\nb", UNSEEN),
    ],
    "access": [("private", "must be one of [own, organisations, public]")],
    "investment_categories": [
        ([], "must not be empty"),
        (["Bond", "Gold"], f"must be of [{CATEGORIES}]"),
        (["Bond", "Bond"], "must not name a category twice"),
    ],
    "max_amount": [
        ({}, "must have at least one currency"),
        *(({"NGN": value}, AMOUNT) for value in [*NO_NUMBER, Decimal(0), Decimal(-1)]),
        ({"NGN": LARGEST + Decimal("0.01")}, AMOUNT),
        ({"KES": Decimal(1), "NGN": Decimal("0.001")}, "must not have more than 2 decimals in NGN"),
        ({"UGX": Decimal("1.5")}, "must not have decimals in UGX"),
        (
            {"EUR": Decimal(1)},
            "must only have amounts in [NGN, KES, GHS, ZAR, UGX, TZS, USD]",
        ),
    ],
    "collateral_ratio": [
        *((value, RATIO) for value in [*NO_NUMBER, Decimal(0), Decimal("-0.5")]),
        (Decimal("1.00000001"), RATIO),
        (Decimal("0.123456789"), DECIMALS),
    ],
    "interest_rate": [
        *((value, RATE) for value in [*NO_NUMBER, Decimal("-0.00000001")]),
        (Decimal("1.00000001"), RATE),
        (Decimal("0.000000001"), DECIMALS),
    ],
    "duration": [(0, MONTHS), (601, MONTHS)],
    "grace_period": [(-1, DAYS), (366, DAYS)],
}


@pytest.mark.parametrize("field", BAD)
def test_each_field_is_accepted_up_to_its_limit(field):
    for value in FINE[field]:
        assert find_errors({field: value}) == {}, value
    for value, expected in BAD[field]:
        assert find_errors({field: value}) == {field: expected}, value


def test_organisations_are_named_only_where_required():
    missing = "must name who may borrow"
    cases: list[tuple[str, list[UUID], str | None]] = [
        ("organisations", IDS[:1], None),
        ("organisations", IDS[:200], None),
        ("organisations", IDS, "must have at most 200 items"),
        ("organisations", IDS[:1] * 2, "must not name an organisation twice"),
        ("organisations", [], missing),
        ("own", [], None),
        ("public", IDS[:1], "must be empty unless access is organisations"),
        ("nonsense", IDS[:1], None),
    ]
    for access, ids, expected in cases:
        found = find_errors({"access": access, "organisation_ids": ids})
        assert found.get("organisation_ids") == expected, (access, expected)
    assert find_errors({"organisation_ids": IDS[:1]}) == {}


@pytest.mark.parametrize(
    ("field", "beyond", "expected"),
    [("min_amount", "5.01", "above"), ("max_outstanding", "4.99", "below")],
)
def test_a_limit_needs_a_lent_currency_and_allows_one_loan(field, beyond, expected):
    single = {"NGN": Decimal(5), "KES": Decimal(7)}
    outside = {field: f"must not be {expected} max_amount in NGN"}
    cases = [
        ({}, {}),
        ({"NGN": Decimal(5)}, {}),
        ({"NGN": Decimal(beyond)}, outside),
        ({"KES": Decimal(7), "NGN": Decimal(beyond)}, outside),
        ({"UGX": Decimal(5)}, {field: "must not have UGX, in which max_amount lends nothing"}),
    ]  # fmt: skip
    for bound, found in cases:
        assert find_errors({"max_amount": single, field: bound}) == found
    # Invalid amounts have no second error about the limit.
    assert find_errors({"max_amount": {}, field: {"NGN": Decimal(beyond)}}) == {
        "max_amount": "must have at least one currency"
    }
    assert find_errors({field: {"NGN": Decimal(beyond)}}) == {}


def test_all_invalid_fields_are_named_at_once():
    validate_terms(make_terms())
    with pytest.raises(InvalidRequest) as refused:
        validate_terms(make_terms(name=" ", duration=0, min_amount={"NGN": Decimal(2_000_001)}))
    assert refused.value.message == (
        f"name must not be blank; duration {MONTHS}; min_amount must not be above max_amount in NGN"
    )


@pytest.mark.parametrize(
    ("currency", "rate", "most", "least"),
    [
        ("NGN", "0.3", 100, "0.04"),  # 0.03 brings 0.009 a month, 0.04 brings 0.012
        ("NGN", "0.5", 100, "0.02"),
        ("NGN", "0", 100, "0.01"),
        ("UGX", "0.3", 100, "4"),
        ("UGX", "0", 100, "1"),
        ("NGN", "0.00000001", 100, "100"),
    ],
)
def test_the_default_minimum_earns_one_minor_unit_per_month(currency, rate, most, least):
    assert default_min_amount(currency, Decimal(rate), Decimal(most)) == Decimal(least)
    terms = make_terms(max_amount={currency: Decimal(most)}, interest_rate=Decimal(rate))
    assert terms.minimum_for(currency) == Decimal(least)
    set_by_hand = make_terms(
        max_amount={currency: Decimal(most)}, min_amount={currency: Decimal(50)}
    )
    assert set_by_hand.minimum_for(currency) == 50


def test_terms_that_do_not_say_so_have_no_grace():
    given = make_terms()
    plain = type(given)(
        **{name: getattr(given, name) for name in (
            "name", "investment_categories", "max_amount", "collateral_ratio", "interest_rate",
            "duration",
        )}
    )  # fmt: skip
    assert (plain.grace_period, plain.access, plain.organisation_ids) == (0, "own", ())
