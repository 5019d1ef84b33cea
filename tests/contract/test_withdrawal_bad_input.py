"""Withdrawals with bodies that are not right: a clear refusal in the envelope, nothing moved."""

from __future__ import annotations

import json
from typing import Any

import pytest

from exchange.services.access import revoke_api_key
from tests.support.access import TESTER, failed, make_caller
from tests.support.withdrawals import OPERATIONS, Desk, body_of, nothing_moves

pytestmark = pytest.mark.usefixtures("bank_lists")

CURRENCIES = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS]"
NOT_A_NUMBER = "amount must be a number"
NEGATIVE = "amount must not be negative"
TOO_LARGE = "amount must not be above 1000000000000000"
TOO_FINE = "amount must not have more than 2 decimals"
ACCOUNT_NUMBER = "account_number must be 4 to 34 letters and digits, without spaces or hyphens"
INVISIBLE = "must not contain invisible or direction-changing characters"
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


def with_amount(text: str, **changes: Any) -> str:
    """A body whose amount is written as `text`."""
    return json.dumps(body_of(amount="AMOUNT", **changes)).replace('"AMOUNT"', text)


def without(name: str) -> str:
    body = body_of()
    del body[name]
    return json.dumps(body)


def changed(**changes: Any) -> str:
    return json.dumps(body_of(**changes))


AMOUNTS = {
    '"500"': NOT_A_NUMBER,
    '"abc"': NOT_A_NUMBER,
    '""': NOT_A_NUMBER,
    "true": NOT_A_NUMBER,
    "false": NOT_A_NUMBER,
    "null": "amount must not be null",
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
BROKEN = {
    "": EVERY_FIELD,
    "   ": "The body is empty: a JSON object is needed",
    "[]": "The body must be a JSON object",
    "null": "The body must be a JSON object",
    '"text"': "The body must be a JSON object",
    "5": "The body must be a JSON object",
    "{}": EVERY_FIELD,
    '{"amount": .5}': "The body is not valid JSON: Expecting value (line 1, column 12)",
    "amount=500&currency=KES": "The body is not valid JSON: Expecting value (line 1, column 1)",
}


def refused(desk: Desk, body: Any, message: str) -> None:
    """Asserts that both operations refuse `body` with `message`, and that nothing moves."""
    for operation in OPERATIONS:
        with nothing_moves():
            response = desk.withdraw(operation, body)
        code = "invalid_currency" if CURRENCIES in message else "invalid_request"
        failed(response, 400, code, message)


@pytest.fixture
def rich(desk: Desk) -> Desk:
    """A desk whose both wallets can afford what the bodies ask for."""
    for operation in OPERATIONS:
        for currency in ("KES", "UGX"):
            desk.fund(operation, currency, "1000000")
    return desk


@pytest.mark.parametrize("written", AMOUNTS, ids=lambda text: text[:24])
def test_an_amount_that_is_none_is_refused(rich: Desk, written):
    refused(rich, with_amount(written), AMOUNTS[written])


@pytest.mark.parametrize(
    ("currency", "written", "message"),
    [
        ("UGX", "10000.5", "amount must not have decimals"),
        ("UGX", "1000000.01", "amount must not have decimals"),
        *((code, "90.025", TOO_FINE) for code in ("NGN", "KES", "GHS", "ZAR", "TZS", "USD")),
    ],
)
def test_more_decimals_than_the_currency_has_are_refused(rich: Desk, currency, written, message):
    refused(rich, with_amount(written, currency=currency), message)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_zero_decimals_written_out_are_no_decimals(rich: Desk, operation):
    response = rich.withdraw(operation, with_amount("10000.00", currency="UGX"))
    assert response.status_code == 201, response.content


@pytest.mark.parametrize("body", BROKEN, ids=lambda text: text[:16] or "empty")
def test_a_body_that_is_no_object_is_refused(rich: Desk, body):
    refused(rich, body, BROKEN[body])


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_required_and_not_null(rich: Desk, name):
    absent = CURRENCIES if name == "currency" else f"{name} is required"
    null = CURRENCIES if name == "currency" else f"{name} must not be null"
    refused(rich, without(name), absent)
    refused(rich, changed(**{name: None}), null)


@pytest.mark.parametrize("name", ["bank_name", "account_name", "account_number", *OPTIONAL])
def test_a_text_must_be_a_string_of_one_line(rich: Desk, name):
    for value in (5, 5.5, True, ["x"], {"x": 1}):
        refused(rich, changed(**{name: value}), f"{name} must be a string")
    refused(rich, changed(**{name: "a\nb"}), f"{name} must not contain control characters")
    refused(rich, changed(**{name: "a\x7fb"}), f"{name} must not contain control characters")
    refused(rich, changed(**{name: "a\x00b"}), f"{name} must not contain NUL characters")
    refused(rich, changed(**{name: "a\ud800b"}), f"{name} must not contain lone surrogates")


@pytest.mark.parametrize(
    "phone",
    ["0821234567", "27821234567", "+0821234567", "+27 821234567", "+2782", "+27821234567890123",
     "+27٨21234567", "phone"],
)  # fmt: skip
def test_a_phone_number_has_its_country_code(rich: Desk, phone):
    told = "recipient_phone must be a phone number with its country code, such as +27821234567"
    refused(rich, changed(recipient_phone=phone), told)


@pytest.mark.parametrize("name", ["bank_name", "account_name"])
def test_a_name_has_one_to_two_hundred_characters(rich: Desk, name):
    refused(rich, changed(**{name: ""}), f"{name} must not be blank")
    refused(rich, changed(**{name: "  \u00a0 "}), f"{name} must not be blank")
    refused(rich, changed(**{name: "x" * 201}), f"{name} must have at most 200 characters")
    response = rich.withdraw("member", changed(account_name="é" * 200))
    assert response.status_code == 201, response.content


@pytest.mark.parametrize(
    "character", ["\u200b", "\u200d", "\ufeff", "\u00ad", "\u202e", "\u200f", "\u2066", "\u2028"]
)
@pytest.mark.parametrize("name", ["bank_name", "account_name"])
def test_invisible_and_direction_changing_characters_are_refused(rich: Desk, name, character):
    refused(rich, changed(**{name: f"Guaranty{character} Trust Bank"}), f"{name} {INVISIBLE}")


@pytest.mark.parametrize(
    "name", ["בנק הפועלים", "بنك مصر", "银行", "🏦🏦", "<b>bank</b>", '"', "%s"]
)
def test_a_bank_name_in_any_script_is_simply_not_found(rich: Desk, name):
    with nothing_moves():
        response = rich.withdraw("member", changed(bank_name=name))
    message = failed(response, 404, "bank_not_found")
    assert message == (
        f'Could not find a bank matching "{name}" for KES. Please check the bank name'
    )


@pytest.mark.parametrize(
    "number",
    [
        "069 000 0031",
        "069-000-0031",
        "123",
        "1" * 35,
        "٠٦٩٠٠٠٠٠٣١",
        "\uff10\uff16\uff19\uff10",
        "0690000031 ",
        "a.bc",
    ],
)
def test_an_account_number_is_letters_and_digits(rich: Desk, number):
    refused(rich, changed(account_number=number), ACCOUNT_NUMBER)


@pytest.mark.parametrize("number", ["1234", "GB33BUKB20201555555555", "A" * 34])
def test_short_and_long_account_numbers_are_taken(rich: Desk, number):
    response = rich.withdraw("organisation", changed(account_number=number))
    assert response.status_code == 201, response.content
    assert response.json()["data"]["bank"]["account_number"] == number


def test_the_message_names_every_bad_field(rich: Desk):
    refused(rich, "{}", EVERY_FIELD)
    body = changed(amount="1", bank_name="", currency="EUR", recipient_email="nobody")
    refused(
        rich,
        body,
        f"{NOT_A_NUMBER}; bank_name must not be blank; {CURRENCIES}; "
        "recipient_email must be an email address",
    )


def test_a_body_nested_too_deep_is_refused(rich: Desk):
    deep = "[" * 30 + "]" * 30
    refused(
        rich,
        f'{{"amount": {deep}}}',
        "The body is nested more than 20 levels deep",
    )
    refused(
        rich,
        '{"a":' * 5000 + "1" + "}" * 5000,
        "The body is nested more than 20 levels deep",
    )


def test_invalid_utf8_is_refused(rich: Desk):
    refused(
        rich,
        b'{"amount": 500, "bank_name": "\xff\xfe"}',
        "The body is not valid UTF-8 (byte 30)",
    )


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_body_beyond_64_kib_is_a_413(rich: Desk, operation):
    with nothing_moves():
        response = rich.withdraw(operation, changed(padding="x" * 65536))
    failed(response, 413, "body_too_large", "The body is larger than 64 KiB")


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    "content_type",
    ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"],
)
def test_another_content_type_is_a_415(rich: Desk, operation, content_type):
    with nothing_moves():
        response = rich.caller.client.post(
            rich.path(operation), changed(), content_type=content_type, headers=rich.caller.headers
        )
    failed(
        response,
        415,
        "unsupported_media_type",
        "The body must be JSON (Content-Type: application/json)",
    )


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_another_method_is_a_405(rich: Desk, operation, method):
    with nothing_moves():
        response = rich.caller.call(method, rich.path(operation))
    failed(response, 405, "method_not_allowed", f"{method} is not allowed here")
    assert response["Allow"] == "POST, OPTIONS"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_without_a_working_token_nothing_happens(rich: Desk, operation):
    with nothing_moves():
        response = rich.caller.client.post(
            rich.path(operation), changed(), content_type="application/json"
        )
    failed(response, 401, "unauthenticated")
    revoke_api_key(key_id=rich.caller.key.id, actor=TESTER)
    with nothing_moves():
        response = rich.withdraw(operation, changed())
    failed(response, 401, "invalid_token")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_without_the_scope_nothing_happens(rich: Desk, operation):
    reader = make_caller(["wallets:read"], organisation=rich.caller.organisation)
    with nothing_moves():
        response = reader.post(rich.path(operation), changed())
    failed(response, 403, "insufficient_scope", "This needs the scope wallets:withdraw")
