"""The interface's error table of withdrawals: exact messages, and which of two wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest

from exchange.core.ids import uuid7
from exchange.core.models import IdempotencyRecord
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import failed, make_caller, make_member
from tests.factories.configuration import set_setting as put_in_force
from tests.factories.withdrawals import (
    OPERATIONS,
    PAYOUT_CURRENCIES,
    WithdrawalApi,
    body_of,
    store_bank_lists,
    warm,
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
def desk(module_bank_lists: None) -> WithdrawalApi:
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
    desk: WithdrawalApi, operation, currency
):
    desk.fund(operation, currency, "5000")
    with assert_nothing_changes():
        response = desk.withdraw(operation, body_of(currency=currency, amount=900000))
    message = f"Insufficient {currency} balance. Available: 5000, requested: 900000"
    failed(response, 400, "insufficient_balance", message)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("memory", ["cold", "warm"])
def test_balance_and_request_are_written_plainly(desk: WithdrawalApi, operation, memory):
    desk.fund(operation, "KES", "100.50")
    if memory == "warm":
        warm("KES")
    with assert_nothing_changes():
        response = desk.withdraw(operation, body_of(amount=2000))
    failed(
        response,
        400,
        "insufficient_balance",
        "Insufficient KES balance. Available: 100.5, requested: 2000",
    )


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("memory", ["cold", "warm"])
def test_a_wallet_that_never_had_the_currency_holds_zero(desk: WithdrawalApi, operation, memory):
    if memory == "warm":
        warm("KES")
    with assert_nothing_changes():
        response = desk.withdraw(operation, body_of())
    failed(
        response,
        400,
        "insufficient_balance",
        "Insufficient KES balance. Available: 0, requested: 500",
    )


@pytest.mark.parametrize("operation", OPERATIONS)
def test_one_hundredth_above_the_balance_is_too_much(desk: WithdrawalApi, operation):
    desk.fund(operation, "KES", "500")
    with assert_nothing_changes():
        response = desk.withdraw(operation, body_of(amount=500.01))
    failed(
        response,
        400,
        "insufficient_balance",
        "Insufficient KES balance. Available: 500, requested: 500.01",
    )


def test_the_organisations_money_does_not_cover_a_members_withdrawal(desk: WithdrawalApi):
    desk.fund("organisation", "KES", "1000")
    with assert_nothing_changes():
        response = desk.withdraw("member", body_of())
    failed(
        response,
        400,
        "insufficient_balance",
        "Insufficient KES balance. Available: 0, requested: 500",
    )


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("currency", PAYOUT_CURRENCIES)
@pytest.mark.parametrize("memory", ["cold", "warm"])
def test_less_than_the_minimum_is_refused(desk: WithdrawalApi, operation, currency, memory):
    desk.fund(operation, currency, "10000")
    if memory == "warm":
        warm(currency)
    minimum = MINIMUMS[currency]
    with assert_nothing_changes():
        response = desk.withdraw(operation, body_of(currency=currency, amount=minimum - 1))
    failed(response, 400, "below_minimum", f"Cannot withdraw less than {minimum} {currency}")
    response = desk.withdraw(operation, body_of(currency=currency, amount=minimum))
    expected = 400 if minimum <= withdrawal_fee(currency) else 201
    assert response.status_code == expected, response.content


@pytest.mark.parametrize("memory", ["cold", "warm"])
@pytest.mark.parametrize("amount", [0, 0.99])
def test_below_one_is_refused_whatever_the_configured_minimum(
    desk: WithdrawalApi, set_setting, amount, memory
):
    set_setting("MINIMUM_WITHDRAWAL_KES", 0)
    desk.fund("organisation", "KES", "10000")
    if memory == "warm":
        warm("KES")
    with assert_nothing_changes():
        response = desk.withdraw("organisation", body_of(amount=amount))
    failed(response, 400, "below_minimum", "Cannot withdraw less than 1 KES")


@pytest.mark.parametrize("memory", ["cold", "warm"])
def test_zero_from_a_wallet_that_never_had_the_currency_is_below_the_minimum(
    desk: WithdrawalApi, memory
):
    if memory == "warm":
        warm("KES")
    with assert_nothing_changes():
        response = desk.withdraw("organisation", body_of(amount=0))
    failed(response, 400, "below_minimum", "Cannot withdraw less than 100 KES")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_another_currency_is_refused_with_exactly_this_message(desk: WithdrawalApi, operation):
    """Every value that is none is in tests/wallets/withdrawals/test_withdrawal_inputs.py."""
    desk.fund(operation, "KES", "10000")
    for currency in ("EUR", "ngn", None):
        with assert_nothing_changes():
            response = desk.withdraw(operation, body_of(currency=currency))
        failed(response, 400, "invalid_currency", CURRENCIES)


def test_an_absent_currency_is_refused_with_the_same_message(desk: WithdrawalApi):
    body = body_of()
    del body["currency"]
    with assert_nothing_changes():
        response = desk.withdraw("organisation", body)
    failed(response, 400, "invalid_currency", CURRENCIES)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_usd_has_wallets_but_no_bank_list(desk: WithdrawalApi, operation):
    desk.fund(operation, "USD", "1000")
    with assert_nothing_changes():
        response = desk.withdraw(operation, body_of(currency="USD"))
    failed(response, 400, "currency_not_supported", UNSUPPORTED)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("currency", PAYOUT_CURRENCIES)
def test_an_unknown_bank_is_not_found(desk: WithdrawalApi, operation, currency):
    desk.fund(operation, currency, "10000")
    with assert_nothing_changes():
        response = desk.withdraw(
            operation, body_of(currency=currency, amount=6000, bank_name="Qqqq Xxxx")
        )
    failed(
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
    desk: WithdrawalApi, name, hint
):
    desk.fund("organisation", "KES", "10000")
    with assert_nothing_changes():
        response = desk.withdraw("organisation", body_of(bank_name=name))
    message = failed(response, 404, "bank_not_found")
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
def test_case_accents_punctuation_and_spaces_do_not_matter(desk: WithdrawalApi, name, found):
    desk.fund("organisation", "KES", "10000")
    response = desk.withdraw("organisation", body_of(bank_name=name))
    assert response.status_code == 201, response.content
    assert response.json()["data"]["bank"]["name"] == found


@pytest.mark.parametrize("make_id", [lambda d: uuid7(), lambda d: foreign_member()])
def test_a_member_that_is_not_the_organisations_does_not_exist(
    desk: WithdrawalApi, make_id: Callable[[WithdrawalApi], Any]
):
    path = f"/v1/api/members/{make_id(desk)}/wallet/withdraw"
    for memory in ("cold", "warm"):
        if memory == "warm":
            warm("KES")
        with assert_nothing_changes():
            response = desk.caller.post(path, body_of())
        failed(response, 404, "user_not_found", "User not found")


def foreign_member() -> Any:
    return make_member(make_caller().organisation).id


@pytest.mark.parametrize(
    "text", ["x", "1", "%00", "a%00b", "null", "..", "%F0%9F%98%80", "{id}", "0" * 36, "9" * 500]
)
def test_a_malformed_member_id_is_an_unknown_one(desk: WithdrawalApi, text):
    with assert_nothing_changes():
        response = desk.caller.post(f"/v1/api/members/{text}/wallet/withdraw", body_of())
    failed(response, 404, "user_not_found", "User not found")


def test_an_id_in_another_spelling_of_uuid_is_unknown(desk: WithdrawalApi):
    desk.fund("member", "KES", "1000")
    for text in (desk.member.id.hex, f"{{{desk.member.id}}}", f"urn:uuid:{desk.member.id}"):
        with assert_nothing_changes():
            response = desk.caller.post(f"/v1/api/members/{text}/wallet/withdraw", body_of())
        failed(response, 404, "user_not_found", "User not found")


@pytest.mark.parametrize("memory", ["cold", "warm"])
@pytest.mark.parametrize("fee", ["500", "500.01"])
def test_a_fee_that_leaves_nothing_is_refused(desk: WithdrawalApi, set_setting, memory, fee):
    set_setting("KES_WITHDRAWAL_FEE", fee)
    desk.fund("organisation", "KES", "10000")
    if memory == "warm":
        warm("KES")
    with assert_nothing_changes():
        response = desk.withdraw("organisation", body_of())
    failed(
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
    desk: WithdrawalApi, set_setting, no_lists, operation, first, second
):
    failing = {first, second}
    currency = "USD" if "no_list" in failing else "KES"
    amount = Decimal("0.5") if "minimum" in failing else Decimal(500)
    desk.fund(operation, currency, "0.25" if "balance" in failing else "10000")
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
    path = desk.path(operation)
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
            warm(currency)
        with assert_nothing_changes():
            response = desk.caller.post(path, body)
        assert (response.status_code, response.json()["message"]) == expected, memory


def test_a_refusal_keeps_no_idempotency_key(desk: WithdrawalApi):
    with assert_nothing_changes():
        refused = desk.withdraw("organisation", body_of(), Idempotency_Key="k")
    failed(refused, 400, "insufficient_balance")
    assert not IdempotencyRecord.objects.filter(organisation=desk.caller.organisation).exists()
    desk.fund("organisation", "KES", "1000")
    response = desk.withdraw("organisation", body_of(), Idempotency_Key="k")
    assert response.status_code == 201
    assert "Idempotent-Replayed" not in response
