"""`Idempotency-Key` on withdrawals and cancellations: one effect, one answer."""

import json
from datetime import timedelta

import pytest
from django.db.models import F

from exchange.core.models import IdempotencyRecord
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.withdrawals import (
    BANK,
    OPERATIONS,
    WithdrawalApi,
    body_of,
    cache_bank_lists,
)
from wallets.withdrawals.models import Withdrawal


@pytest.fixture
def withdrawal_api(module_bank_lists: None) -> WithdrawalApi:
    """An organisation with a key and a member; nothing that a test makes is undone after it."""
    return WithdrawalApi()


def withdrawals_of(*desks: WithdrawalApi) -> int:
    organisations = [withdrawal_api.caller.organisation for withdrawal_api in desks]
    return Withdrawal.objects.filter(organisation__in=organisations).count()


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("memory", ["cold", "warm"])
@pytest.mark.parametrize("currency", ["KES", "NGN"])
def test_the_same_key_and_body_give_the_same_bytes_and_no_second_effect(
    withdrawal_api: WithdrawalApi, operation, memory, currency
):
    # The wallet affords one, so a second effect could not hide behind a refusal either.
    withdrawal_api.fund(operation, currency, "1500")
    if memory == "warm":
        cache_bank_lists(currency)
    body = body_of(amount=1000, currency=currency)
    first = withdrawal_api.withdraw(operation, body, Idempotency_Key="key 1")
    assert first.status_code == 201, first.content
    assert "Idempotent-Replayed" not in first
    with assert_nothing_changes():
        again = withdrawal_api.withdraw(operation, body, Idempotency_Key="key 1")
    assert again.status_code == 201
    assert again.content == first.content
    assert again["Idempotent-Replayed"] == "true"
    assert withdrawals_of(withdrawal_api) == 1


def test_field_order_and_number_spelling_do_not_make_another_body(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("member", "KES", "5000")
    first = withdrawal_api.withdraw("member", json.dumps(body_of(amount=500)), Idempotency_Key="k")
    turned = dict(reversed(body_of().items()))
    text = json.dumps(turned).replace("500", "5.000e2", 1)
    again = withdrawal_api.withdraw("member", text, Idempotency_Key="k")
    assert again.content == first.content
    assert again["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("currency", ["KES", "NGN"])
@pytest.mark.parametrize("change", [{"amount": 1001}, {"note": "x"}, {"bank_name": BANK.upper()}])
def test_the_same_key_with_another_body_is_a_422(
    withdrawal_api: WithdrawalApi, operation, currency, change
):
    withdrawal_api.fund(operation, currency, "5000")
    body = body_of(amount=1000, currency=currency)
    assert withdrawal_api.withdraw(operation, body, Idempotency_Key="k").status_code == 201
    with assert_nothing_changes():
        response = withdrawal_api.withdraw(operation, {**body, **change}, Idempotency_Key="k")
    assert_error(
        response,
        422,
        "idempotency_key_reused",
        "This Idempotency-Key was already used with another request body",
    )


def test_an_id_in_capitals_is_the_same_address(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("member", "KES", "5000")
    first = withdrawal_api.withdraw("member", body_of(amount=1000), Idempotency_Key="k")
    assert first.status_code == 201, first.content
    path = withdrawal_api.path("member").replace(
        str(withdrawal_api.member.id), str(withdrawal_api.member.id).upper()
    )
    with assert_nothing_changes():
        again = withdrawal_api.caller.post(path, body_of(amount=1000), Idempotency_Key="k")
    assert again.content == first.content
    assert again["Idempotent-Replayed"] == "true"
    assert withdrawals_of(withdrawal_api) == 1


def test_a_key_belongs_to_one_organisation_and_one_address(withdrawal_api: WithdrawalApi):
    other = WithdrawalApi(make_caller())
    for owner in (withdrawal_api, other):
        for operation in OPERATIONS:
            owner.fund(operation, "KES", "1000")
            response = owner.withdraw(operation, body_of(), Idempotency_Key="shared")
            assert response.status_code == 201, response.content
            assert "Idempotent-Replayed" not in response
    second = make_member(withdrawal_api.caller.organisation, "Obi")
    path = f"/v1/api/members/{second.id}/wallet/withdraw"
    response = withdrawal_api.caller.post(path, body_of(), Idempotency_Key="shared")
    assert_error(response, 400, "insufficient_balance")
    assert withdrawals_of(withdrawal_api, other) == 4


@pytest.mark.parametrize("currency", ["KES", "NGN"])
@pytest.mark.parametrize("memory", ["cold", "warm"])
@pytest.mark.parametrize("change", [{}, {"amount": 1100}])
def test_a_key_of_more_than_24_hours_ago_stands_for_nothing(
    withdrawal_api: WithdrawalApi, currency, memory, change
):
    """Neither its answer is given again, nor is another body refused for it."""
    withdrawal_api.fund("organisation", currency, "5000")
    if memory == "warm":
        cache_bank_lists(currency)
    body = body_of(amount=1000, currency=currency)
    first = withdrawal_api.withdraw("organisation", body, Idempotency_Key="k")
    assert first.status_code == 201, first.content
    IdempotencyRecord.objects.update(created_at=F("created_at") - timedelta(hours=24, seconds=1))
    second = withdrawal_api.withdraw("organisation", {**body, **change}, Idempotency_Key="k")
    assert second.status_code == 201, second.content
    assert "Idempotent-Replayed" not in second
    assert second.content != first.content
    assert withdrawals_of(withdrawal_api) == 2
    # From now on the key stands for the second one.
    with assert_nothing_changes():
        again = withdrawal_api.withdraw("organisation", {**body, **change}, Idempotency_Key="k")
    assert again.content == second.content


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("currency", ["KES", "NGN"])
@pytest.mark.one_in(3)
def test_each_organisation_gets_its_own_answer_again_under_a_key_that_others_use_too(
    withdrawal_api: WithdrawalApi, operation, currency
):
    desks = [withdrawal_api, WithdrawalApi(make_caller()), WithdrawalApi(make_caller())]
    # One address for all: an organisation's own wallet; members' differ by their ids anyway.
    for each in desks:
        each.fund(operation, currency, "5000")
    body = body_of(amount=1000, currency=currency)
    first = [each.withdraw(operation, body, Idempotency_Key="shared") for each in desks]
    assert [answer.status_code for answer in first] == [201] * 3
    assert len({answer.content for answer in first}) == 3
    with assert_nothing_changes():
        again = [each.withdraw(operation, body, Idempotency_Key="shared") for each in desks]
    assert [answer.content for answer in again] == [answer.content for answer in first]


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "tab\there", "é"])
def test_a_key_that_is_none_is_refused(withdrawal_api: WithdrawalApi, key):
    withdrawal_api.fund("organisation", "KES", "1000")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw("organisation", body_of(), Idempotency_Key=key)
    assert_error(
        response,
        400,
        "invalid_request",
        "Idempotency-Key must be 1 to 255 printable ASCII characters",
    )


def test_cancelling_twice_under_one_key_cancels_once(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("organisation", "KES", "1000")
    made = withdrawal_api.create_withdrawal()
    path = f"/v1/api/withdrawals/{made['_id']}/cancel"
    first = withdrawal_api.caller.post(path, "", Idempotency_Key="c")
    assert first.status_code == 200, first.content
    with assert_nothing_changes():
        again = withdrawal_api.caller.post(path, "", Idempotency_Key="c")
    assert again.content == first.content
    assert again["Idempotent-Replayed"] == "true"
    with assert_nothing_changes():
        assert_error(withdrawal_api.caller.post(path), 409, "state_conflict")
