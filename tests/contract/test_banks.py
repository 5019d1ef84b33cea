"""Bank lists, their cache, and the names of accounts, with the provider over real HTTP."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from config.local.sandbox.banks import BANKS_OF_COUNTRY
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.withdrawals import (
    BANKS,
    OPERATIONS,
    PAYOUT_CURRENCIES,
    WithdrawalApi,
    body_of,
    cache_bank_lists,
    exact_json,
    store_bank_lists,
)
from wallets.banks.models import BankAccount, BankList
from wallets.banks.services import clear_bank_cache

UNAVAILABLE = "Could not fetch the bank list from the payment provider. Please try again later"


@pytest.fixture
def fresh_memory(transactional_db: None) -> Any:
    """No bank list is remembered, before or after."""
    clear_bank_cache()
    yield
    clear_bank_cache()


def age(hours: float) -> None:
    BankList.objects.update(fetched_at=timezone.now() - timedelta(hours=hours))
    clear_bank_cache()


def unavailable(response: Any) -> None:
    assert_error(response, 502, "provider_unavailable", UNAVAILABLE)


@pytest.mark.usefixtures("fresh_memory")
@pytest.mark.parametrize("currency", PAYOUT_CURRENCIES)
@pytest.mark.one_in(3)
def test_the_banks_of_a_currency_are_names_and_codes(
    withdrawal_api: WithdrawalApi, provider_sandbox, currency
):
    response = withdrawal_api.caller.get("/v1/api/banks", {"currency": currency})
    assert response.status_code == 200, response.content
    in_small = withdrawal_api.caller.get("/v1/api/banks", {"currency": currency.lower()})
    assert in_small.content == response.content
    body = response.json()
    assert list(body) == ["status", "message", "data"]
    assert len(body["data"]) >= 10
    assert all(list(bank) == ["name", "code"] for bank in body["data"])
    assert all(isinstance(value, str) for bank in body["data"] for value in bank.values())
    if currency == "NGN":
        found = {(bank["name"], bank["code"]) for bank in body["data"]}
        assert found == {(bank.name, bank.code) for bank in BANKS_OF_COUNTRY["NG"]}


@pytest.mark.usefixtures("fresh_memory")
@pytest.mark.parametrize("query", [{}, {"currency": "EUR"}])
def test_banks_of_no_currency_are_refused(withdrawal_api: WithdrawalApi, query):
    assert_error(
        withdrawal_api.caller.get("/v1/api/banks", query),
        400,
        "invalid_currency",
        "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS]",
    )


@pytest.mark.usefixtures("fresh_memory")
def test_usd_has_no_banks(withdrawal_api: WithdrawalApi):
    assert_error(
        withdrawal_api.caller.get("/v1/api/banks", {"currency": "USD"}),
        400,
        "currency_not_supported",
        "Withdrawals with automatic bank resolution are not supported for USD. "
        "Supported currencies: NGN, GHS, KES, ZAR, UGX, TZS",
    )


@pytest.mark.usefixtures("fresh_memory")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_fresh_list_serves_while_the_provider_is_down(withdrawal_api: WithdrawalApi, operation):
    store_bank_lists(age_hours=23.9)
    withdrawal_api.fund(operation, "KES", "1000")
    assert withdrawal_api.withdraw(operation, body_of()).status_code == 201
    listed = withdrawal_api.caller.get("/v1/api/banks", {"currency": "KES"}).json()["data"]
    assert listed == [{"name": bank["name"], "code": bank["code"]} for bank in BANKS]


@pytest.mark.usefixtures("fresh_memory")
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("stored", ["expired", "none"])
@pytest.mark.one_in(3)
def test_without_a_fresh_list_and_with_the_provider_down_it_is_a_502(
    withdrawal_api: WithdrawalApi, operation, stored
):
    if stored == "expired":
        store_bank_lists(age_hours=24.1)
    withdrawal_api.fund(operation, "KES", "1000")
    with assert_nothing_changes():
        unavailable(withdrawal_api.withdraw(operation, body_of()))
    unavailable(withdrawal_api.caller.get("/v1/api/banks", {"currency": "KES"}))


@pytest.mark.usefixtures("fresh_memory")
@pytest.mark.parametrize("fault", ["error_5xx", "malformed", "reset", "rate_limit", "unauthorized"])
@pytest.mark.one_in(3)
def test_whatever_is_wrong_with_the_providers_answer_is_a_502(
    withdrawal_api: WithdrawalApi, provider_sandbox, fault
):
    withdrawal_api.fund("member", "KES", "1000")
    provider_sandbox.fault(fault, times=20, match={"path_prefix": "/v3/banks"})
    with assert_nothing_changes():
        unavailable(withdrawal_api.withdraw("member", body_of(bank_name="KCB Bank Kenya")))
    provider_sandbox.reset()
    response = withdrawal_api.withdraw("member", body_of(bank_name="KCB Bank Kenya"))
    assert response.status_code == 201, response.content


@pytest.mark.usefixtures("fresh_memory")
def test_serving_a_stale_list_is_a_setting(withdrawal_api: WithdrawalApi, settings):
    settings.BANK_LIST_SERVE_STALE = True
    withdrawal_api.fund("member", "KES", "1000")
    with assert_nothing_changes():
        unavailable(withdrawal_api.withdraw("member", body_of()))
    store_bank_lists(age_hours=240)
    assert withdrawal_api.withdraw("member", body_of()).status_code == 201


@pytest.mark.usefixtures("fresh_memory")
def test_an_expired_list_is_fetched_again_and_then_serves_without_the_provider(
    withdrawal_api: WithdrawalApi, provider_sandbox, settings
):
    store_bank_lists(age_hours=24.1)
    withdrawal_api.fund("organisation", "KES", "2000")
    response = withdrawal_api.withdraw("organisation", body_of(bank_name="KCB Bank Kenya"))
    assert response.status_code == 201, response.content
    fetched = BankList.objects.get(currency_id="KES").fetched_at
    assert timezone.now() - fetched < timedelta(minutes=1)
    provider_sandbox.fault("error_5xx", times=20)
    clear_bank_cache()
    again = withdrawal_api.withdraw("organisation", body_of(bank_name="KCB Bank Kenya"))
    assert again.status_code == 201, again.content


@pytest.mark.usefixtures("fresh_memory")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_name_the_provider_resolves_replaces_the_given_one_for_ngn(
    withdrawal_api: WithdrawalApi, operation, provider_sandbox
):
    withdrawal_api.fund(operation, "NGN", "5000")
    body = body_of(
        amount=2000, currency="NGN", bank_name="Access Bank", account_name="Whoever I Say"
    )
    response = withdrawal_api.withdraw(operation, body)
    assert response.status_code == 201, response.content
    assert response.json()["data"]["bank"]["account_name"] == "Forrest Green"
    bank = BankAccount.objects.get()
    assert (bank.account_name, bank.provided_name, bank.name_resolved) == (
        "Forrest Green",
        "Whoever I Say",
        True,
    )


@pytest.mark.usefixtures("fresh_memory")
def test_the_provided_name_stays_when_the_provider_knows_no_such_account(
    withdrawal_api: WithdrawalApi, provider_sandbox
):
    withdrawal_api.fund("member", "NGN", "5000")
    body = body_of(
        amount=2000, currency="NGN", bank_name="Access Bank", account_number="1111111111"
    )
    response = withdrawal_api.withdraw("member", body)
    assert response.status_code == 201, response.content
    assert response.json()["data"]["bank"]["account_name"] == "Forrest Green"
    assert BankAccount.objects.get().name_resolved is False


@pytest.mark.usefixtures("bank_lists")
def test_the_provided_name_stays_while_the_provider_is_down(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("member", "NGN", "5000")
    response = withdrawal_api.withdraw(
        "member", body_of(amount=2000, currency="NGN", account_name="Me")
    )
    assert response.status_code == 201, response.content
    assert response.json()["data"]["bank"]["account_name"] == "Me"


@pytest.mark.usefixtures("fresh_memory")
def test_other_currencies_keep_the_provided_name(withdrawal_api: WithdrawalApi, provider_sandbox):
    withdrawal_api.fund("member", "KES", "5000")
    response = withdrawal_api.withdraw(
        "member", body_of(bank_name="KCB Bank Kenya", account_name="Me")
    )
    assert response.status_code == 201, response.content
    assert response.json()["data"]["bank"]["account_name"] == "Me"


@pytest.mark.usefixtures("fresh_memory")
def test_resolving_an_account_tells_its_holder_and_bank(
    withdrawal_api: WithdrawalApi, provider_sandbox
):
    body = {"bank_name": "access bank", "account_number": "0690000031", "currency": "NGN"}
    response = withdrawal_api.caller.post("/v1/api/banks/resolve", body)
    assert response.status_code == 200, response.content
    assert exact_json(response) == {
        "status": "success",
        "message": "Account resolved",
        "data": {
            "account_number": "0690000031",
            "account_name": "Forrest Green",
            "bank_name": "Access Bank",
            "bank_code": "044",
        },
    }


@pytest.mark.usefixtures("fresh_memory")
@pytest.mark.parametrize(
    ("change", "status", "code", "message"),
    [
        (
            {"account_number": "1111111111"},
            404,
            "account_not_found",
            "Could not resolve an account with this number at this bank",
        ),
        (
            {"currency": "KES", "bank_name": "KCB Bank Kenya"},
            400,
            "resolution_not_supported",
            "Account names cannot be resolved for KES. Supported currencies: NGN",
        ),
        (
            {"bank_name": "Qqqq Xxxx"},
            404,
            "bank_not_found",
            'Could not find a bank matching "Qqqq Xxxx" for NGN. Please check the bank name',
        ),
        (
            {"currency": "USD", "bank_name": "Qqqq Xxxx"},
            400,
            "resolution_not_supported",
            "Account names cannot be resolved for USD. Supported currencies: NGN",
        ),
        (
            {"currency": None, "account_number": 5, "bank_name": ""},
            400,
            "invalid_currency",
            "bank_name must not be blank; account_number must be a string; "
            "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS]",
        ),
    ],
)
def test_what_cannot_be_resolved_is_refused(
    withdrawal_api: WithdrawalApi, provider_sandbox, change, status, code, message
):
    body = {"bank_name": "Access Bank", "account_number": "0690000031", "currency": "NGN"}
    response = withdrawal_api.caller.post("/v1/api/banks/resolve", {**body, **change})
    assert_error(response, status, code, message)


@pytest.mark.usefixtures("bank_lists")
def test_resolving_while_the_provider_is_down_is_a_502(withdrawal_api: WithdrawalApi):
    body = {"bank_name": "Access Bank", "account_number": "0690000031", "currency": "NGN"}
    assert_error(
        withdrawal_api.caller.post("/v1/api/banks/resolve", body),
        502,
        "provider_unavailable",
        "Could not resolve the account with the payment provider. Please try again later",
    )


@pytest.mark.usefixtures("fresh_memory")
def test_banks_need_the_scope_to_read_wallets(transactional_db):
    caller = make_caller(["wallets:withdraw"])
    for response in (
        caller.get("/v1/api/banks", {"currency": "NGN"}),
        caller.post("/v1/api/banks/resolve", {}),
    ):
        assert_error(response, 403, "insufficient_scope", "This needs the scope wallets:read")


def test_a_bank_that_another_process_fetched_is_known_at_once(
    withdrawal_api: WithdrawalApi, bank_lists: None
):
    withdrawal_api.fund("organisation", "KES", "700")
    cache_bank_lists("KES")
    newer = [*BANKS, {"id": 9, "name": "Newest Bank", "code": "099"}]
    BankList.objects.filter(currency_id="KES").update(banks=newer, fetched_at=timezone.now())
    answer = withdrawal_api.withdraw("organisation", body_of(bank_name="Newest Bank"))
    assert answer.status_code == 201
    assert answer.json()["data"]["bank"]["code"] == "099"
