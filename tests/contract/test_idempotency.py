"""`Idempotency-Key`: one effect and one answer for one key."""

import time
from datetime import timedelta

import pytest
from django.db.models import F

from exchange.core.models import IdempotencyRecord
from exchange.participants.models import Member
from tests.factories.api_clients import assert_error, make_caller

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_views")]

MONEY = "/v1/test/money"
BODY = '{"amount": 10, "note": "first"}'


def test_the_same_request_again_gets_the_first_answer_and_has_no_second_effect():
    caller = make_caller()
    first = caller.post(MONEY, BODY, Idempotency_Key="k")
    again = caller.post(MONEY, BODY, Idempotency_Key="k")
    assert first.status_code == again.status_code == 201
    assert first.content == again.content
    assert "Idempotent-Replayed" not in first
    assert again["Idempotent-Replayed"] == "true"
    assert Member.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [
        '{"note":"first","amount":10}',
        '{"amount": 10.0, "note": "first"}',
        '{"amount": 1e1, "note": "f\\u0069rst"}',
    ],
)
def test_the_same_body_written_differently_is_the_same_body(body):
    caller = make_caller()
    first = caller.post(MONEY, BODY, Idempotency_Key="k")
    again = caller.post(MONEY, body, Idempotency_Key="k")
    assert (again.status_code, again.content) == (201, first.content)
    assert again["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(
    "body",
    [
        '{"amount": 10.01, "note": "first"}',
        '{"amount": 10, "note": "second"}',
        '{"amount": 10, "note": "first", "x": null}',
        '{"amount": 10, "note": "first", "x": [1, 2]}',
    ],
)
def test_another_body_under_the_same_key_is_a_422(body):
    caller = make_caller()
    caller.post(MONEY, BODY, Idempotency_Key="k")
    response = caller.post(MONEY, body, Idempotency_Key="k")
    assert_error(response, 422, "idempotency_key_reused")
    assert Member.objects.count() == 1


def test_another_key_path_or_organisation_is_another_request():
    caller, other = make_caller(), make_caller()
    assert caller.post(MONEY, BODY, Idempotency_Key="k").status_code == 201
    assert other.post(MONEY, BODY, Idempotency_Key="k").status_code == 201
    members = {"name": "Ada", "email": "ada@example.com"}
    assert caller.post("/v1/api/members", members, Idempotency_Key="k").status_code == 201
    second = '{"amount": 10, "note": "second"}'
    assert caller.post(MONEY, second, Idempotency_Key="K").status_code == 201
    assert Member.objects.count() == 4


def test_each_organisation_gets_its_own_answer_again_under_a_key_that_others_use_too():
    callers = [make_caller() for _ in range(3)]
    bodies = [f'{{"amount": {n}, "note": "note{n}"}}' for n in range(1, 4)]
    first = [
        caller.post(MONEY, body, Idempotency_Key="k")
        for caller, body in zip(callers, bodies, strict=True)
    ]
    assert [answer.json()["data"]["amount"] for answer in first] == [1, 2, 3]
    for caller, body, answer in zip(callers, bodies, first, strict=True):
        again = caller.post(MONEY, body, Idempotency_Key="k")
        assert (again.status_code, again.content) == (201, answer.content)
        assert again["Idempotent-Replayed"] == "true"
    assert_error(
        callers[0].post(MONEY, bodies[1], Idempotency_Key="k"), 422, "idempotency_key_reused"
    )
    assert Member.objects.count() == 3


def test_the_key_belongs_to_the_organisation_whichever_of_its_api_keys_sends_it():
    caller = make_caller()
    sibling = make_caller(organisation=caller.organisation)
    first = caller.post(MONEY, BODY, Idempotency_Key="k")
    assert sibling.post(MONEY, BODY, Idempotency_Key="k").content == first.content
    assert Member.objects.count() == 1


def test_a_query_string_does_not_make_another_request():
    caller = make_caller()
    caller.post(MONEY, BODY, Idempotency_Key="k")
    again = caller.post(f"{MONEY}?try=2", BODY, Idempotency_Key="k")
    assert again["Idempotent-Replayed"] == "true"


def test_a_refusal_rolls_everything_back_and_is_not_kept():
    caller = make_caller()
    body = '{"amount": 5000, "note": "first"}'
    for _ in range(2):
        response = caller.post(MONEY, body, Idempotency_Key="k")
        assert_error(response, 400, "too_much", "Too much")
        assert "Idempotent-Replayed" not in response
    assert Member.objects.count() == 0
    assert IdempotencyRecord.objects.count() == 0
    assert caller.post(MONEY, BODY, Idempotency_Key="k").status_code == 201


def test_a_malformed_body_does_not_use_the_key_up():
    caller = make_caller()
    assert_error(caller.post(MONEY, '{"amount": "x"}', Idempotency_Key="k"), 400, "invalid_request")
    assert IdempotencyRecord.objects.count() == 0
    assert caller.post(MONEY, BODY, Idempotency_Key="k").status_code == 201


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "a\tb", "é", "\x7f"])
def test_a_key_that_is_not_1_to_255_printable_characters_is_refused(key):
    response = make_caller().post(MONEY, BODY, Idempotency_Key=key)
    message = "Idempotency-Key must be 1 to 255 printable ASCII characters"
    assert_error(response, 400, "invalid_request", message)
    assert Member.objects.count() == 0


def test_a_key_of_255_characters_is_taken():
    caller = make_caller()
    first = caller.post(MONEY, BODY, Idempotency_Key="x" * 255)
    again = caller.post(MONEY, BODY, Idempotency_Key="x" * 255)
    assert (first.status_code, again.content) == (201, first.content)
    assert again["Idempotent-Replayed"] == "true"
    assert Member.objects.count() == 1


def test_a_key_counts_as_new_after_24_hours():
    caller = make_caller()
    caller.post(MONEY, BODY, Idempotency_Key="k")
    IdempotencyRecord.objects.update(created_at=F("created_at") - timedelta(hours=25))
    second = caller.post(MONEY, '{"amount": 1, "note": "second"}', Idempotency_Key="k")
    assert second.status_code == 201
    assert "Idempotent-Replayed" not in second
    assert Member.objects.count() == 2


def test_without_a_key_every_request_stands_for_itself():
    caller = make_caller()
    assert caller.post(MONEY, BODY).status_code == 201
    assert_error(caller.post(MONEY, BODY), 409, "email_taken")
    assert IdempotencyRecord.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_duplicate_of_a_request_that_is_still_running_waits_and_is_then_a_409(
    owner_connection, settings
):
    settings.IDEMPOTENCY_WAIT_SECONDS = 1
    caller = make_caller()
    claim = "SELECT claim_idempotency_key(%s, 'POST', %s, 'k', 'hash', 0, interval '1 day')"
    started = time.monotonic()
    with owner_connection.transaction(force_rollback=True):
        owner_connection.execute(claim, [caller.organisation.id, MONEY])
        response = caller.post(MONEY, BODY, Idempotency_Key="k")
    assert_error(response, 409, "request_in_progress")
    assert time.monotonic() - started >= 1
    assert Member.objects.count() == 0
    assert caller.post(MONEY, BODY, Idempotency_Key="k").status_code == 201
    assert Member.objects.count() == 1
