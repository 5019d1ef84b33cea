"""The interface's error table of withdrawals: exact messages, and which of two wins."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest

from exchange.core.ids import uuid7
from exchange.core.models import IdempotencyRecord
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.configuration import set_setting as put_in_force
from tests.factories.withdrawals import (
    OPERATIONS,
    PAYOUT_CURRENCIES,
    WithdrawalApi,
    body_of,
    cache_bank_lists,
    store_bank_lists,
)
from wallets.banks.models import BankList
from wallets.banks.services import clear_bank_cache
from wallets.fees.selectors import withdrawal_fee

pytestmark = pytest.mark.usefixtures("module_bank_lists")

CURRENCIES = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS]"
MINIMUMS = {"NGN": 1000, "KES": 100, "GHS": 20, "ZAR": 50, "UGX": 5000, "TZS": 2500}
UNSUPPORTED = (
    "Withdrawals with automatic bank resolution are not supported for USD. "
    "Supported currencies: NGN, GHS, KES, ZAR, UGX, TZS"
)
UNAVAILABLE = "Could not fetch the bank list from the payment provider. Please try again later"
# Figures that tests change, as migrations put them in force.
FIGURES = {"KES_WITHDRAWAL_FEE": 30, "MINIMUM_WITHDRAWAL_KES": 100}


@pytest.fixture
def withdrawal_api(module_bank_lists: None) -> WithdrawalApi:
    """An organisation with a key and a member; nothing that a test makes is undone after it."""
    return WithdrawalApi()


@pytest.fixture
def set_setting() -> Iterator[Callable[[str, int | str], None]]:
    """Puts a figure in force for one test."""
    changed = set()

    def change(key: str, value: int | str) -> None:
        changed.add(key)
        put_in_force(key, value)

    yield change
    for key in changed:
        put_in_force(key, FIGURES[key])


@pytest.fixture
def no_lists() -> Iterator[Callable[[], None]]:
    """Takes the bank lists away for one test; the provider's address is a closed port."""

    def take_away() -> None:
        BankList.objects.all().delete()
        clear_bank_cache()

    yield take_away
    if not BankList.objects.exists():
        store_bank_lists()


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("currency", PAYOUT_CURRENCIES)
def test_more_than_the_balance_is_refused_naming_both_amounts(
    withdrawal_api: WithdrawalApi, operation, currency
):
    withdrawal_api.fund(operation, currency, "5000")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw(operation, body_of(currency=currency, amount=900000))
    message = f"Insufficient {currency} balance. Available: 5000, requested: 900000"
    assert_error(response, 400, "insufficient_balance", message)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("memory", ["cold", "warm"])
def test_balance_and_request_are_written_plainly(withdrawal_api: WithdrawalApi, operation, memory):
    withdrawal_api.fund(operation, "KES", "100.50")
    if memory == "warm":
        cache_bank_lists("KES")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw(operation, body_of(amount=2000))
    assert_error(
        response,
        400,
        "insufficient_balance",
        "Insufficient KES balance. Available: 100.5, requested: 2000",
    )


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("memory", ["cold", "warm"])
def test_a_wallet_that_never_had_the_currency_holds_zero(
    withdrawal_api: WithdrawalApi, operation, memory
):
    if memory == "warm":
        cache_bank_lists("KES")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw(operation, body_of())
    assert_error(
        response,
        400,
        "insufficient_balance",
        "Insufficient KES balance. Available: 0, requested: 500",
    )


@pytest.mark.parametrize("operation", OPERATIONS)
def test_one_hundredth_above_the_balance_is_too_much(withdrawal_api: WithdrawalApi, operation):
    withdrawal_api.fund(operation, "KES", "500")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw(operation, body_of(amount=500.01))
    assert_error(
        response,
        400,
        "insufficient_balance",
        "Insufficient KES balance. Available: 500, requested: 500.01",
    )


def test_the_organisations_money_does_not_cover_a_members_withdrawal(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("organisation", "KES", "1000")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw("member", body_of())
    assert_error(
        response,
        400,
        "insufficient_balance",
        "Insufficient KES balance. Available: 0, requested: 500",
    )


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("currency", PAYOUT_CURRENCIES)
@pytest.mark.parametrize("memory", ["cold", "warm"])
def test_less_than_the_minimum_is_refused(
    withdrawal_api: WithdrawalApi, operation, currency, memory
):
    withdrawal_api.fund(operation, currency, "10000")
    if memory == "warm":
        cache_bank_lists(currency)
    minimum = MINIMUMS[currency]
    with assert_nothing_changes():
        response = withdrawal_api.withdraw(
            operation, body_of(currency=currency, amount=minimum - 1)
        )
    assert_error(response, 400, "below_minimum", f"Cannot withdraw less than {minimum} {currency}")
    response = withdrawal_api.withdraw(operation, body_of(currency=currency, amount=minimum))
    expected = 400 if minimum <= withdrawal_fee(currency) else 201
    assert response.status_code == expected, response.content


@pytest.mark.parametrize("memory", ["cold", "warm"])
@pytest.mark.parametrize("amount", [0, 0.99])
def test_below_one_is_refused_whatever_the_configured_minimum(
    withdrawal_api: WithdrawalApi, set_setting, amount, memory
):
    set_setting("MINIMUM_WITHDRAWAL_KES", 0)
    withdrawal_api.fund("organisation", "KES", "10000")
    if memory == "warm":
        cache_bank_lists("KES")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw("organisation", body_of(amount=amount))
    assert_error(response, 400, "below_minimum", "Cannot withdraw less than 1 KES")


@pytest.mark.parametrize("memory", ["cold", "warm"])
def test_zero_from_a_wallet_that_never_had_the_currency_is_below_the_minimum(
    withdrawal_api: WithdrawalApi, memory
):
    if memory == "warm":
        cache_bank_lists("KES")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw("organisation", body_of(amount=0))
    assert_error(response, 400, "below_minimum", "Cannot withdraw less than 100 KES")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_another_currency_is_refused_with_exactly_this_message(
    withdrawal_api: WithdrawalApi, operation
):
    """Every value that is none is in tests/wallets/withdrawals/test_withdrawal_inputs.py."""
    withdrawal_api.fund(operation, "KES", "10000")
    for currency in ("EUR", "ngn", None):
        with assert_nothing_changes():
            response = withdrawal_api.withdraw(operation, body_of(currency=currency))
        assert_error(response, 400, "invalid_currency", CURRENCIES)


def test_an_absent_currency_is_refused_with_the_same_message(withdrawal_api: WithdrawalApi):
    body = body_of()
    del body["currency"]
    with assert_nothing_changes():
        response = withdrawal_api.withdraw("organisation", body)
    assert_error(response, 400, "invalid_currency", CURRENCIES)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_usd_has_wallets_but_no_bank_list(withdrawal_api: WithdrawalApi, operation):
    withdrawal_api.fund(operation, "USD", "1000")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw(operation, body_of(currency="USD"))
    assert_error(response, 400, "currency_not_supported", UNSUPPORTED)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("currency", PAYOUT_CURRENCIES)
def test_an_unknown_bank_is_not_found(withdrawal_api: WithdrawalApi, operation, currency):
    withdrawal_api.fund(operation, currency, "10000")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw(
            operation, body_of(currency=currency, amount=6000, bank_name="Qqqq Xxxx")
        )
    assert_error(
        response,
        404,
        "bank_not_found",
        f'Could not find a bank matching "Qqqq Xxxx" for {currency}. Please check the bank name',
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("GTB", " (did you mean Guaranty Trust Bank?)"),
        ("Zenith", " (did you mean Zenith Bank?)"),
        ("Zenit Bank", " (did you mean Zenith Bank?)"),
        ("Access", " (did you mean Access Bank or Access Bank (Diamond)?)"),
        ("Access Ban", " (did you mean Access Bank or Access Bank (Diamond)?)"),
        ("Guaranty Trust Bank Plc", " (did you mean Guaranty Trust Bank?)"),
    ],
)
def test_a_short_or_misspelt_name_is_not_found_but_close_names_are_told(
    withdrawal_api: WithdrawalApi, name, hint
):
    withdrawal_api.fund("organisation", "KES", "10000")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw("organisation", body_of(bank_name=name))
    message = assert_error(response, 404, "bank_not_found")
    stem = f'Could not find a bank matching "{name}" for KES. Please check the bank name'
    assert message.startswith(stem + hint[:-2])
    assert message.count(" or ") <= 2


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("guaranty trust BANK", "Guaranty Trust Bank"),
        ("  Guaranty   Trust Bank ", "Guaranty Trust Bank"),
        ("Guaranty-Trust Bank.", "Guaranty Trust Bank"),
        ("Guaranty\u00a0Trust Bank", "Guaranty Trust Bank"),
        ("Societe Generale", "Société Générale"),
        ("SOCIE\u0301TE\u0301 GE\u0301NE\u0301RALE", "Société Générale"),
        ("Access Bank", "Access Bank"),
        ("access bank diamond", "Access Bank (Diamond)"),
    ],
)
def test_case_accents_punctuation_and_spaces_do_not_matter(
    withdrawal_api: WithdrawalApi, name, found
):
    withdrawal_api.fund("organisation", "KES", "10000")
    response = withdrawal_api.withdraw("organisation", body_of(bank_name=name))
    assert response.status_code == 201, response.content
    assert response.json()["data"]["bank"]["name"] == found


@pytest.mark.parametrize("make_id", [lambda d: uuid7(), lambda d: foreign_member()])
def test_a_member_that_is_not_the_organisations_does_not_exist(
    withdrawal_api: WithdrawalApi, make_id: Callable[[WithdrawalApi], Any]
):
    path = f"/v1/api/members/{make_id(withdrawal_api)}/wallet/withdraw"
    for memory in ("cold", "warm"):
        if memory == "warm":
            cache_bank_lists("KES")
        with assert_nothing_changes():
            response = withdrawal_api.caller.post(path, body_of())
        assert_error(response, 404, "user_not_found", "User not found")


def foreign_member() -> Any:
    return make_member(make_caller().organisation).id


@pytest.mark.parametrize(
    "text", ["x", "1", "%00", "a%00b", "null", "..", "%F0%9F%98%80", "{id}", "0" * 36, "9" * 500]
)
def test_a_malformed_member_id_is_an_unknown_one(withdrawal_api: WithdrawalApi, text):
    with assert_nothing_changes():
        response = withdrawal_api.caller.post(f"/v1/api/members/{text}/wallet/withdraw", body_of())
    assert_error(response, 404, "user_not_found", "User not found")


def test_an_id_in_another_spelling_of_uuid_is_unknown(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("member", "KES", "1000")
    for text in (
        withdrawal_api.member.id.hex,
        f"{{{withdrawal_api.member.id}}}",
        f"urn:uuid:{withdrawal_api.member.id}",
    ):
        with assert_nothing_changes():
            response = withdrawal_api.caller.post(
                f"/v1/api/members/{text}/wallet/withdraw", body_of()
            )
        assert_error(response, 404, "user_not_found", "User not found")


@pytest.mark.parametrize("memory", ["cold", "warm"])
@pytest.mark.parametrize("fee", ["500", "500.01"])
def test_a_fee_that_leaves_nothing_is_refused(
    withdrawal_api: WithdrawalApi, set_setting, memory, fee
):
    set_setting("KES_WITHDRAWAL_FEE", fee)
    withdrawal_api.fund("organisation", "KES", "10000")
    if memory == "warm":
        cache_bank_lists("KES")
    with assert_nothing_changes():
        response = withdrawal_api.withdraw("organisation", body_of())
    assert_error(
        response,
        400,
        "fee_exceeds_amount",
        f"The withdrawal fee of {fee} KES leaves nothing to pay out of 500 KES",
    )


# The checks in their order. Each name makes its check fail; of two, the earlier must win.
CHECKS = ("body", "user", "balance", "minimum", "no_list", "provider", "bank", "fee")


PAIRS = [
    (operation, first, second)
    for operation in OPERATIONS
    for first, second in combinations(CHECKS, 2)
    if operation == "member" or first != "user" != second
]


@pytest.mark.parametrize(("operation", "first", "second"), PAIRS)
def test_of_two_failing_checks_the_earlier_one_wins(
    withdrawal_api: WithdrawalApi, set_setting, no_lists, operation, first, second
):
    failing = {first, second}
    currency = "USD" if "no_list" in failing else "KES"
    amount = Decimal("0.5") if "minimum" in failing else Decimal(500)
    withdrawal_api.fund(operation, currency, "0.25" if "balance" in failing else "10000")
    if "fee" in failing and currency == "KES":  # nothing is paid out in USD: it has no fee
        set_setting("KES_WITHDRAWAL_FEE", 600)
    if "provider" in failing:
        no_lists()
    body = body_of(
        currency=currency,
        amount=float(amount),
        account_number=690000031 if "body" in failing else "0690000031",
        bank_name="Qqqq Xxxx" if "bank" in failing else "Zenith Bank",
    )
    path = withdrawal_api.path(operation)
    if "user" in failing:
        path = f"/v1/api/members/{uuid7()}/wallet/withdraw"
    minimum = "1 USD" if currency == "USD" else "100 KES"
    expected = {
        "body": (400, "account_number must be a string"),
        "user": (404, "User not found"),
        "balance": (
            400,
            f"Insufficient {currency} balance. Available: 0.25, requested: {amount}",
        ),
        "minimum": (400, f"Cannot withdraw less than {minimum}"),
        "no_list": (400, UNSUPPORTED),
        "provider": (502, UNAVAILABLE),
        "bank": (
            404,
            'Could not find a bank matching "Qqqq Xxxx" for KES. Please check the bank name',
        ),
    }[first]
    for memory in ("cold", "warm"):
        if memory == "warm":
            if failing & {"provider", "no_list"}:
                break  # no list, no memory of it
            cache_bank_lists(currency)
        with assert_nothing_changes():
            response = withdrawal_api.caller.post(path, body)
        assert (response.status_code, response.json()["message"]) == expected, memory


def test_a_refusal_keeps_no_idempotency_key(withdrawal_api: WithdrawalApi):
    with assert_nothing_changes():
        refused = withdrawal_api.withdraw("organisation", body_of(), Idempotency_Key="k")
    assert_error(refused, 400, "insufficient_balance")
    assert not IdempotencyRecord.objects.filter(
        organisation=withdrawal_api.caller.organisation
    ).exists()
    withdrawal_api.fund("organisation", "KES", "1000")
    response = withdrawal_api.withdraw("organisation", body_of(), Idempotency_Key="k")
    assert response.status_code == 201
    assert "Idempotent-Replayed" not in response
