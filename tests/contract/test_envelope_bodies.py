"""Bad bodies: a clear refusal in the envelope, nothing done, never a 500."""

import time

import pytest

from exchange.participants.models import Member
from tests.factories.api_clients import assert_error, make_caller

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_views")]

MONEY = "/v1/test/money"

BODIES = [
    ("", "amount is required"),
    ("   ", "The body is empty: a JSON object is needed"),
    ("[]", "The body must be a JSON object"),
    ("null", "The body must be a JSON object"),
    ("1", "The body must be a JSON object"),
    ('"text"', "The body must be a JSON object"),
    ('{"amount": 1', "The body is not valid JSON: "),
    ("{'amount': 1}", "The body is not valid JSON: "),
    ('{"amount": 1,}', "The body is not valid JSON: "),
    ('{"amount": 01}', "The body is not valid JSON: "),
    ('{"amount": +1}', "The body is not valid JSON: "),
    ('{"amount": .5}', "The body is not valid JSON: "),
    ('{"amount": 1} {"amount": 2}', "The body is not valid JSON: "),
    ('\ufeff{"amount": 1}', "The body is not valid JSON: "),
    ('{"note": "a\nb"}', "The body is not valid JSON: "),
    (b'{"note": "\xff"}', "The body is not valid UTF-8 (byte 10)"),
    (b'{"note": "\xed\xa0\x80"}', "The body is not valid UTF-8 (byte 10)"),
    ('{"note": "a\\u0000b"}', "note must not contain NUL characters"),
    ('{"deep": [{"x": "\\u0000"}]}', "deep[0].x must not contain NUL characters"),
    ('{"note": "\\ud800"}', "note must not contain lone surrogates"),
    ('{"note": "\\udc00\\ud800"}', "note must not contain lone surrogates"),
    ('{"\\ud800": 1}', "A field name must not contain lone surrogates"),
    ('{"a\\u0000": 1}', "A field name must not contain NUL characters"),
    ('{"x": ' * 21 + "1" + "}" * 21, "The body is nested more than 20 levels deep"),
    ('{"x": ' + "[" * 30_000 + "]" * 30_000 + "}", "The body is nested more than 20 levels deep"),
    ('{"amount": 1, "note": "a\\u0007b"}', "note must not contain control characters"),
    ('{"amount": 1, "note": "   "}', "note must not be blank"),
    ('{"amount": 1, "note": ""}', "note must not be blank"),
    ('{"amount": 1, "note": "' + "x" * 21 + '"}', "note must have at most 20 characters"),
    ('{"amount": 1, "note": true}', "note must be a string"),
    ('{"amount": 1, "note": ["x"]}', "note must be a string"),
    ('{"amount": 1, "note": {"x": 1}}', "note must be a string"),
]

AMOUNTS = [
    ("null", "amount must not be null"),
    ("true", "amount must be a number"),
    ("false", "amount must be a number"),
    ('"1000"', "amount must be a number"),
    ('""', "amount must be a number"),
    ("[1]", "amount must be a number"),
    ('{"value": 1}', "amount must be a number"),
    ("NaN", "amount must be a number"),
    ("Infinity", "amount must be a number"),
    ("-Infinity", "amount must be a number"),
    ("-0", "amount must not be negative"),
    ("-0.0", "amount must not be negative"),
    ("-1", "amount must not be negative"),
    ("-1e-999999", "amount must not be negative"),
    ("1e400", "amount must not be above 1000000000000000"),
    ("1e999999999999999999999", "amount must not be above 1000000000000000"),
    ("1" + "0" * 30, "amount must not be above 1000000000000000"),
    ("9" * 5000, "amount must not be above 1000000000000000"),
    ("1000000000000000.01", "amount must not be above 1000000000000000"),
    ("0.30000000000000004", "amount must not have more than 2 decimals"),
    ("10.505", "amount must not have more than 2 decimals"),
    ("0." + "3" * 5000, "amount must not have more than 2 decimals"),
    ("1e-400", "amount must not have more than 2 decimals"),
    ("1e-999999999999999999999", "amount must not have more than 2 decimals"),
]


@pytest.mark.parametrize(("body", "message"), BODIES, ids=range(len(BODIES)))
def test_a_bad_body_is_refused_with_a_message_that_names_the_trouble(body, message):
    given = assert_error(make_caller().post(MONEY, body), 400, "invalid_request")
    assert given.startswith(message)
    assert Member.objects.count() == 0


@pytest.mark.parametrize(("amount", "message"), AMOUNTS, ids=range(len(AMOUNTS)))
def test_what_is_not_a_plain_amount_is_refused_by_name(amount, message):
    started = time.thread_time()
    response = make_caller().post(MONEY, f'{{"amount": {amount}, "note": "n"}}')
    assert_error(response, 400, "invalid_request", message)
    assert Member.objects.count() == 0
    assert time.thread_time() - started < 2


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ("90.02", "90.02"),
        ("90.020000", "90.02"),
        ("1e3", "1000"),
        ("1E+2", "100"),
        ("0.1", "0.1"),
        ("100", "100"),
        ("0", "0"),
        ("1000.00", "1000"),
        ("999.99", "999.99"),
    ],
)
def test_amounts_are_read_and_written_exactly(sent, written):
    response = make_caller().post(MONEY, f'{{"amount": {sent}, "note": "n"}}')
    assert response.status_code == 201
    assert response.content == (
        b'{"status":"success","message":"Moved","data":{"amount":%s}}' % written.encode()
    )


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('{"amount": 1, "amount": 2, "note": "n"}', "amount"),
        ('{"amount": 1, "amount": 1, "note": "n"}', "amount"),
        ('{"amount": 1, "note": "n", "x": [{"deep": {"b": 1, "a": 2, "b": null}}]}', "b"),
        ('{"amount": 1, "note": "n", "": 1, "": 2}', ""),
        ('{"amount": 1, "note": "n", "\\ud800": 1, "\\ud800": 2}', "?"),
        (f'{{"{"x" * 500}": 1, "{"x" * 500}": 2}}', "x" * 100),
    ],
)
def test_a_name_that_stands_twice_in_an_object_is_refused(body, name):
    message = f"{name} must be given once"
    assert_error(make_caller().post(MONEY, body), 400, "invalid_request", message)
    assert Member.objects.count() == 0


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
        "junk",
        "",
    ],
)
def test_a_body_that_is_not_declared_json_is_a_415(content_type):
    caller = make_caller()
    response = caller.client.post(
        MONEY, b'{"amount": 1}', content_type=content_type, headers=caller.headers
    )
    message = "The body must be JSON (Content-Type: application/json)"
    assert_error(response, 415, "unsupported_media_type", message)
    assert Member.objects.count() == 0


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON"])
def test_parameters_and_case_of_the_json_type_do_not_matter(content_type):
    caller = make_caller()
    response = caller.client.post(
        MONEY, b'{"amount": 1, "note": "n"}', content_type=content_type, headers=caller.headers
    )
    assert response.status_code == 201


def test_a_body_of_64_kib_is_taken_and_one_byte_more_is_a_413():
    caller = make_caller()
    frame = '{"amount": 1, "note": "n", "x": "%s"}'
    room = 64 * 1024 - len(frame % "")
    assert caller.post(MONEY, frame % ("x" * room)).status_code == 201
    too_much = caller.post(MONEY, frame % ("x" * (room + 1)))
    assert_error(too_much, 413, "body_too_large", "The body is larger than 64 KiB")
    assert Member.objects.count() == 1


def test_unknown_fields_are_ignored():
    response = make_caller().post(MONEY, '{"amount": 1, "note": "n", "x": [1e999999, 1e-999999]}')
    assert response.status_code == 201
    known = make_caller().post(MONEY, '{"amount": 1, "note": "n"}')
    assert response.json()["data"].keys() == known.json()["data"].keys()
    assert Member.objects.count() == 2
