"""Plausibility: the bands, and the reasons that both people give."""

from decimal import Decimal

import pytest

from exchange.core.errors import InvalidRequest, Rejected
from exchange.core.text import clean_reason, is_reason
from exchange.staff.plausibility import ProposedNumber, explain, explain_approval, find_notices

REASON = "Compared with the central bank"
NOTICES = ["Rate: 129.5 → 12.95"]


@pytest.mark.parametrize(
    ("current", "proposed", "beyond"),
    [
        ("129.5", "155.4", False),
        ("129.5", "155.40000001", True),
        ("129.5", "103.6", False),
        ("129.5", "103.59999999", True),
        ("129.5", "12.95", True),
        ("0", "0", False),
        ("0", "0.00000001", True),
        ("5", "0", True),
    ],
)
def test_a_change_beyond_the_band_is_one_by_more_than_its_percentage(current, proposed, beyond):
    change = ProposedNumber("Rate", Decimal(current), Decimal(proposed), "rate")
    assert change.exceeds_band is beyond
    assert find_notices([change]) == ([change.notice] if beyond else [])


def test_a_slip_of_the_decimal_point_is_shown_as_what_it_is():
    change = ProposedNumber("Rate to USD, KES", Decimal("129.5"), Decimal("12.95"), "rate")
    assert change.notice == (
        "Rate to USD, KES: 129.5 → 12.95 (-90.00 %). Usual is a change of at most 20 %."
        " Check for a misplaced decimal point"
    )


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("abcdefg hijklmno", True),
        ("abcdefg hijklmn", False),
        ("abcdefghijklmnopq", False),
        ("1234 5678 9012 3456", False),
        ("x", False),
        ("Überprüft mit Bank", True),
        ("проверено банком", True),
        ("   a                       b   ", False),
    ],
)
def test_a_reason_has_at_least_fifteen_letters_and_two_words(text, valid):
    assert is_reason(text) is valid
    if valid:
        assert clean_reason(f" {text} ", missing="Enter one") == text
    else:
        with pytest.raises(InvalidRequest, match="at least 15 letters and two words"):
            clean_reason(text, missing="Enter one")


def test_the_first_person_explains_what_is_beyond_the_band():
    assert explain([], " Q3 ") == "Q3"
    assert explain(NOTICES, f" {REASON} ") == REASON
    for text, code in (("", "reason_required"), (" ", "reason_required"), ("x", "invalid_request")):
        with pytest.raises(InvalidRequest) as refused:
            explain(NOTICES, text, field="note")
        assert (refused.value.code, list(refused.value.fields)) == (code, ["note"])


def test_the_second_person_explains_it_too_and_not_in_place_of_the_first():
    assert explain_approval([], "", first="") == ""
    assert explain_approval(NOTICES, REASON, first=REASON) == REASON
    assert explain_approval(NOTICES, REASON, first=None) == REASON
    with pytest.raises(InvalidRequest) as missing:
        explain_approval(NOTICES, "", first=REASON)
    assert missing.value.code == "reason_required"
    with pytest.raises(Rejected, match="was proposed without a reason") as unexplained:
        explain_approval(NOTICES, REASON, first="Q3")
    assert unexplained.value.code == "reason_required"
