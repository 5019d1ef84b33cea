"""The parser of withdrawal bodies: the message of each rejection.

tests/contract shows that both endpoints use it and that a rejection changes nothing.
"""

import json
from typing import Any

import pytest

from tests.assertions.inputs import assert_rejected, body_error
from tests.factories.withdrawals import body_of
from wallets.withdrawals.serializers import WithdrawalInput

# Loading the currencies needs the database.
pytestmark = pytest.mark.django_db

CURRENCIES = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS]"
NOT_A_NUMBER = "amount must be a number"
NEGATIVE = "amount must not be negative"
TOO_LARGE = "amount must not be above 1000000000000000"
TOO_FINE = "amount must not have more than 2 decimals"
ACCOUNT_NUMBER = "account_number must be 4 to 34 letters and digits, without spaces or hyphens"
INVISIBLE = "must not contain invisible or direction-changing characters"
PHONE = "recipient_phone must be a phone number with its country code, such as +27821234567"
FIELDS = ("amount", "bank_name", "account_name", "account_number", "currency")
OPTIONAL = (
    "branch_code",
    "recipient_first_name",
    "recipient_last_name",
    "recipient_email",
    "recipient_phone",
    "recipient_address",
)
EVERY_FIELD = "; ".join(
    CURRENCIES if name == "currency" else f"{name} is required" for name in FIELDS
)


def parse(body: str) -> Any:
    return body_error(WithdrawalInput, body)


def changed(**changes: Any) -> str:
    return json.dumps(body_of(**changes))


def with_amount(text: str, **changes: Any) -> str:
    """Return a body with the amount written as `text`."""
    return changed(amount="AMOUNT", **changes).replace('"AMOUNT"', text)


AMOUNTS = {
    '"500"': NOT_A_NUMBER,
    '"abc"': NOT_A_NUMBER,
    '""': NOT_A_NUMBER,
    "true": NOT_A_NUMBER,
    "false": NOT_A_NUMBER,
    "null": "amount is required",
    "[500]": NOT_A_NUMBER,
    '{"value":500}': NOT_A_NUMBER,
    "NaN": NOT_A_NUMBER,
    "Infinity": NOT_A_NUMBER,
    "-Infinity": NOT_A_NUMBER,
    "-0": NEGATIVE,
    "-0.0": NEGATIVE,
    "-500": NEGATIVE,
    "-0.01": NEGATIVE,
    "1e400": TOO_LARGE,
    "-1e400": NEGATIVE,
    "1e999999999": TOO_LARGE,
    "1e99999999999999999999": TOO_LARGE,
    "1" + "0" * 30: TOO_LARGE,
    "9" * 5000: TOO_LARGE,
    "1000000000000000.01": TOO_LARGE,
    "0.30000000000000004": TOO_FINE,
    "500.001": TOO_FINE,
    "1e-400": TOO_FINE,
    "0." + "3" * 5000: TOO_FINE,
    "500.0000000000000000001": TOO_FINE,
}


def test_an_invalid_amount_is_rejected():
    assert_rejected(parse, ((with_amount(text), message) for text, message in AMOUNTS.items()))


def test_more_decimals_than_the_currency_has_are_rejected():
    none = "amount must not have decimals"
    cases = [
        ("UGX", "10000.5", none),
        ("UGX", "1000000.01", none),
        *((code, "90.025", TOO_FINE) for code in ("NGN", "KES", "GHS", "ZAR", "TZS", "USD")),
    ]
    assert_rejected(
        parse, ((with_amount(text, currency=code), message) for code, text, message in cases)
    )


def test_a_body_that_is_not_an_object_is_rejected():
    cases = {
        "   ": "The body is empty: a JSON object is needed",
        "[]": "The body must be a JSON object",
        "null": "The body must be a JSON object",
        '"text"': "The body must be a JSON object",
        "5": "The body must be a JSON object",
        '{"amount": .5}': "The body is not valid JSON: Expecting value (line 1, column 12)",
        "amount=500&currency=KES": (
            "The body is not valid JSON: Expecting value (line 1, column 1)"
        ),
        '{"amount": ' + "[" * 30 + "]" * 30 + "}": "The body is nested more than 20 levels deep",
        '{"a":' * 5000 + "1" + "}" * 5000: "The body is nested more than 20 levels deep",
    }
    assert_rejected(parse, cases.items())
    wrong = body_error(WithdrawalInput, b'{"amount": 500, "bank_name": "\xff\xfe"}')
    assert wrong == (400, "invalid_request", "The body is not valid UTF-8 (byte 30)")


def test_every_field_is_required_and_null_counts_as_absent():
    for name in FIELDS[:-1]:
        absent = {key: value for key, value in body_of().items() if key != name}
        cases = [(json.dumps(absent), f"{name} is required"),
                 (changed(**{name: None}), f"{name} is required")]  # fmt: skip
        assert_rejected(parse, cases)


def test_a_currency_without_payouts_is_rejected_with_this_exact_message():
    wrong: list[Any] = ["EUR", "ngn", "", " KES", "NGNN", None, 5, True, ["NGN"], {}]
    absent = {key: value for key, value in body_of().items() if key != "currency"}
    cases = [json.dumps(absent), *(changed(currency=value) for value in wrong)]
    assert_rejected(parse, ((body, CURRENCIES) for body in cases), "invalid_currency")


@pytest.mark.parametrize("name", ["bank_name", "account_name", "account_number", *OPTIONAL])
def test_text_must_be_a_single_line_string(name):
    values: list[Any] = [5, 5.5, True, ["x"], {"x": 1}]
    cases = [
        *((changed(**{name: value}), f"{name} must be a string") for value in values),
        (changed(**{name: "a\nb"}), f"{name} must not contain control characters"),
        (changed(**{name: "a\x7fb"}), f"{name} must not contain control characters"),
        (changed(**{name: "a\x00b"}), f"{name} must not contain NUL characters"),
        (changed(**{name: "a\ud800b"}), f"{name} must not contain lone surrogates"),
    ]
    assert_rejected(parse, cases)


def test_a_phone_number_has_its_country_code():
    phones = ["0821234567", "27821234567", "+0821234567", "+27 821234567", "+2782",
              "+27821234567890123", "+27٨21234567", "phone"]  # fmt: skip
    assert_rejected(parse, ((changed(recipient_phone=phone), PHONE) for phone in phones))


@pytest.mark.parametrize("name", ["bank_name", "account_name"])
def test_a_name_has_one_to_two_hundred_visible_characters(name):
    hidden = ["\u200b", "\u200d", "\ufeff", "\u00ad", "\u202e", "\u200f", "\u2066", "\u2028"]
    cases = [
        ("", "must not be blank"),
        ("  \u00a0 ", "must not be blank"),
        ("x" * 201, "must have at most 200 characters"),
        *((f"Guaranty{character} Trust Bank", INVISIBLE) for character in hidden),
    ]
    assert_rejected(
        parse, ((changed(**{name: text}), f"{name} {message}") for text, message in cases)
    )
    for taken in ("é" * 200, "בנק הפועלים", "بنك مصر", "银行", "🏦🏦", "<b>bank</b>", '"', "%s"):
        assert parse(changed(**{name: taken})) is None


def test_an_account_number_is_4_to_34_letters_and_digits():
    wrong = ["069 000 0031", "069-000-0031", "123", "1" * 35, "٠٦٩٠٠٠٠٠٣١",
             "\uff10\uff16\uff19\uff10", "0690000031 ", "a.bc"]  # fmt: skip
    assert_rejected(parse, ((changed(account_number=number), ACCOUNT_NUMBER) for number in wrong))
    for number in ("1234", "GB33BUKB20201555555555", "A" * 34):
        assert parse(changed(account_number=number)) is None


def test_the_message_names_every_invalid_field():
    several = changed(amount="1", bank_name="", currency="EUR", recipient_email="nobody")
    message = (
        f"{NOT_A_NUMBER}; bank_name must not be blank; {CURRENCIES}; "
        "recipient_email must be an email address"
    )
    assert_rejected(parse, [("{}", EVERY_FIELD), (several, message)], "invalid_currency")


def test_trailing_zero_decimals_are_ignored():
    assert parse(with_amount("10000.00", currency="UGX")) is None
    assert parse(with_amount("1000000000000000", currency="KES")) is None
    assert parse(with_amount("0", currency="KES")) is None
