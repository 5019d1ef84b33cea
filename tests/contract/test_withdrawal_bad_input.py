"""Withdrawals with bodies that are not right: a clear refusal in the envelope, nothing moved.

Every value that a field refuses is in tests/wallets/withdrawals/test_withdrawal_inputs.py.
"""

import json
from typing import Any

import pytest

from exchange.participants.services.api_keys import revoke_api_key
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import TESTER, assert_error, make_caller
from tests.factories.withdrawals import OPERATIONS, WithdrawalApi, body_of

pytestmark = pytest.mark.usefixtures("module_bank_lists")

CURRENCIES = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS]"
NOT_A_NUMBER = "amount must be a number"
EVERY_FIELD = (
    "amount is required; bank_name is required; account_name is required; "
    f"account_number is required; {CURRENCIES}"
)


def changed(**changes: Any) -> str:
    return json.dumps(body_of(**changes))


def with_amount(text: str, **changes: Any) -> str:
    """A body whose amount is written as `text`."""
    return changed(amount="AMOUNT", **changes).replace('"AMOUNT"', text)


# One of each rule of the parser.
WRONG: list[tuple[str | bytes, str]] = [
    ("", EVERY_FIELD),
    ("{}", EVERY_FIELD),
    ("[]", "The body must be a JSON object"),
    ('{"amount": .5}', "The body is not valid JSON: Expecting value (line 1, column 12)"),
    (b'{"amount": 500, "bank_name": "\xff\xfe"}', "The body is not valid UTF-8 (byte 30)"),
    (f'{{"amount": {"[" * 30}{"]" * 30}}}', "The body is nested more than 20 levels deep"),
    (with_amount('"500"'), NOT_A_NUMBER),
    (with_amount("NaN"), NOT_A_NUMBER),
    (with_amount("-0"), "amount must not be negative"),
    (with_amount("1e400"), "amount must not be above 1000000000000000"),
    (with_amount("500.001"), "amount must not have more than 2 decimals"),
    (with_amount("10000.5", currency="UGX"), "amount must not have decimals"),
    (changed(bank_name=None), "bank_name is required"),
    (changed(bank_name="  \u00a0 "), "bank_name must not be blank"),
    (changed(account_name="x" * 201), "account_name must have at most 200 characters"),
    (
        changed(account_name="Ada\u202eObi"),
        "account_name must not contain invisible or direction-changing characters",
    ),
    (
        changed(account_number="069 000 0031"),
        "account_number must be 4 to 34 letters and digits, without spaces or hyphens",
    ),
    (changed(branch_code="a\x00b"), "branch_code must not contain NUL characters"),
    (
        changed(recipient_phone="0821234567"),
        "recipient_phone must be a phone number with its country code, such as +27821234567",
    ),
    (
        changed(amount="1", bank_name="", currency="EUR", recipient_email="nobody"),
        f"{NOT_A_NUMBER}; bank_name must not be blank; {CURRENCIES}; "
        "recipient_email must be an email address",
    ),
]


@pytest.fixture(scope="module")
def rich(module_bank_lists: None) -> WithdrawalApi:
    """A withdrawal_api whose both wallets can afford what the bodies ask for."""
    withdrawal_api = WithdrawalApi()
    for operation in OPERATIONS:
        for currency in ("KES", "UGX"):
            withdrawal_api.fund(operation, currency, "1000000")
    return withdrawal_api


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("body", "message"), WRONG, ids=range(len(WRONG)))
def test_a_body_that_is_not_right_is_refused_by_what_is_wrong(
    rich: WithdrawalApi, operation, body, message
):
    with assert_nothing_changes():
        response = rich.withdraw(operation, body)
    code = "invalid_currency" if CURRENCIES in message else "invalid_request"
    assert_error(response, 400, code, message)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_zero_decimals_written_out_are_no_decimals(rich: WithdrawalApi, operation):
    response = rich.withdraw(operation, with_amount("10000.00", currency="UGX"))
    assert response.status_code == 201, response.content


@pytest.mark.parametrize(
    "name", ["בנק הפועלים", "بنك مصر", "银行", "🏦🏦", "<b>bank</b>", '"', "%s"]
)
def test_a_bank_name_in_any_script_is_simply_not_found(rich: WithdrawalApi, name):
    with assert_nothing_changes():
        response = rich.withdraw("member", changed(bank_name=name))
    message = assert_error(response, 404, "bank_not_found")
    assert message == (
        f'Could not find a bank matching "{name}" for KES. Please check the bank name'
    )


@pytest.mark.parametrize("number", ["1234", "GB33BUKB20201555555555", "A" * 34])
def test_short_and_long_account_numbers_are_taken(rich: WithdrawalApi, number):
    body = changed(account_number=number, account_name="é" * 200)
    response = rich.withdraw("organisation", body)
    assert response.status_code == 201, response.content
    bank = response.json()["data"]["bank"]
    assert (bank["account_number"], bank["account_name"]) == (number, "é" * 200)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_body_beyond_64_kib_is_a_413(rich: WithdrawalApi, operation):
    with assert_nothing_changes():
        response = rich.withdraw(operation, changed(padding="x" * 65536))
    assert_error(response, 413, "body_too_large", "The body is larger than 64 KiB")


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    "content_type",
    ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"],
)
def test_another_content_type_is_a_415(rich: WithdrawalApi, operation, content_type):
    with assert_nothing_changes():
        response = rich.caller.client.post(
            rich.path(operation), changed(), content_type=content_type, headers=rich.caller.headers
        )
    assert_error(
        response,
        415,
        "unsupported_media_type",
        "The body must be JSON (Content-Type: application/json)",
    )


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_another_method_is_a_405(rich: WithdrawalApi, operation, method):
    with assert_nothing_changes():
        response = rich.caller.call(method, rich.path(operation))
    assert_error(response, 405, "method_not_allowed", f"{method} is not allowed here")
    assert response["Allow"] == "POST, OPTIONS"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_without_a_working_token_nothing_happens(rich: WithdrawalApi, operation):
    with assert_nothing_changes():
        response = rich.caller.client.post(
            rich.path(operation), changed(), content_type="application/json"
        )
    assert_error(response, 401, "unauthenticated")
    other = make_caller(organisation=rich.caller.organisation)
    revoke_api_key(key_id=other.key.id, actor=TESTER)
    with assert_nothing_changes():
        response = other.post(rich.path(operation), changed())
    assert_error(response, 401, "invalid_token")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_without_the_scope_nothing_happens(rich: WithdrawalApi, operation):
    reader = make_caller(["wallets:read"], organisation=rich.caller.organisation)
    with assert_nothing_changes():
        response = reader.post(rich.path(operation), changed())
    assert_error(response, 403, "insufficient_scope", "This needs the scope wallets:withdraw")
