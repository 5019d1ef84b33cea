"""The request service: order of rejections, responses, and queries to the provider."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import DataError, connection, transaction

from exchange.core.batching import Batcher
from exchange.core.errors import DomainError
from exchange.core.idempotency import IdempotencyClaim, StoredResponse, claim_key, store_response
from exchange.core.ids import uuid7
from exchange.participants.models import Member
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.processes import wait_until
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.configuration import set_setting
from tests.factories.wallets import Wallet, assert_books_hold, make_member_wallet, make_wallet
from tests.factories.withdrawals import BANK, cache_bank_lists, store_bank_lists
from wallets.banks.models import BankAccount
from wallets.ledger.errors import InsufficientBalance
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import requests

pytestmark = pytest.mark.django_db


@pytest.fixture
def bank_lists(db: None) -> None:
    """Cache bank lists, so that only account names in NGN query the provider."""
    store_bank_lists()
    cache_bank_lists("KES", "NGN")


def claim_of(wallet: Wallet) -> IdempotencyClaim:
    return IdempotencyClaim(wallet.organisation.id, "POST", "/withdraw", "key", "hash")


def submit(
    wallet: Wallet, amount: str | int, currency: str = "KES", bank: str = BANK, **more: Any
) -> StoredResponse:
    with transaction.atomic():
        return wallet.submit_request(amount, currency=currency, bank=bank, **more)


def rejection(*order: Any, **more: Any) -> tuple[str, str]:
    """Assert that the request is rejected and changes nothing; return code and message."""
    with assert_nothing_changes(), pytest.raises(DomainError) as error:
        submit(*order, **more)
    return error.value.code, error.value.message


@pytest.mark.usefixtures("bank_lists")
def test_a_request_gets_a_response_and_notifies_workers_of_its_event(
    task_notifications, django_capture_on_commit_callbacks
):
    wallet = make_member_wallet(1000)
    with django_capture_on_commit_callbacks(execute=True):
        response = submit(wallet, 1000)
    assert (response.status_code, response.message, response.replayed) == (
        201, "Withdrawal request created", False,
    )  # fmt: skip
    made = Withdrawal.objects.get()
    assert json.loads(response.data)["withdrawalRequest"]["_id"] == str(made.pk)
    assert (made.bank.name, made.bank.account_name, made.bank.name_resolved) == (
        BANK, "Ada Obi", False,
    )  # fmt: skip
    wait_until(
        lambda: task_notifications == ["exchange.tasks.deliver_events"], "events are delivered"
    )
    assert_books_hold()


# KES with a known bank goes straight to PostgreSQL; others are validated before the network.
WAYS = [("KES", BANK), ("KES", "No such bank"), ("NGN", BANK)]


@pytest.mark.usefixtures("bank_lists")
@pytest.mark.parametrize(("currency", "bank"), WAYS)
def test_every_path_rejects_for_the_same_reasons_in_the_same_order(currency, bank):
    set_setting(f"MINIMUM_WITHDRAWAL_{currency}", 100)
    wallet, member = make_wallet(120, currency=currency), make_member_wallet(5, currency=currency)
    make_member(wallet.organisation)
    insufficient = f"Insufficient {currency} balance. Available: {{}}, requested: {{}}"
    for other in (member.member, make_member(make_organisation()), Member(id=uuid7())):
        of_another = Wallet(wallet.organisation, other)
        assert rejection(of_another, "1", currency, bank) == ("user_not_found", "User not found")
    assert rejection(wallet, "120.01", currency, bank) == (
        "insufficient_balance", insufficient.format(120, "120.01"),
    )  # fmt: skip
    assert rejection(member, "5.01", currency, bank) == (
        "insufficient_balance", insufficient.format(5, "5.01"),
    )  # fmt: skip
    assert rejection(wallet, "99.99", currency, bank) == (
        "below_minimum", f"Cannot withdraw less than 100 {currency}",
    )  # fmt: skip
    if bank != BANK:
        assert rejection(wallet, "120", currency, bank)[0] == "bank_not_found"
        return
    set_setting(f"{currency}_WITHDRAWAL_FEE", 110)
    assert rejection(wallet, "110", currency, bank) == (
        "fee_exceeds_amount",
        f"The withdrawal fee of 110 {currency} leaves nothing to pay out of 110 {currency}",
    )
    # The whole balance and the smallest amount are accepted.
    set_setting(f"{currency}_WITHDRAWAL_FEE", 1)
    wallet.fund(100, currency)
    for amount in ("100", "120"):
        assert submit(wallet, amount, currency, bank).status_code == 201
    assert wallet.balance("available", currency) == 0
    assert wallet.balance("escrow", currency) == 220


@pytest.mark.usefixtures("bank_lists")
def test_a_currency_without_payouts_has_no_banks():
    code, message = rejection(make_wallet(100, currency="USD"), 50, "USD")
    assert code == "currency_not_supported"
    assert message.startswith("Withdrawals with automatic bank resolution are not supported for ")


def test_a_payee_in_naira_gets_the_name_resolved_by_the_provider(sandbox):
    store_bank_lists()
    cache_bank_lists("NGN")
    wallet = make_member_wallet(5000, currency="NGN")
    submit(wallet, 1000, "NGN", account="0690000040")
    # No account has this number.
    submit(wallet, 1000, "NGN", account="1111111111")
    found = BankAccount.objects.order_by("id").values_list(
        "account_name", "provided_name", "name_resolved"
    )
    assert list(found) == [("Alexis Sanchez", "Ada Obi", True), ("Ada Obi", "Ada Obi", False)]


@pytest.mark.usefixtures("bank_lists")
def test_the_first_response_is_replayed_after_the_money_is_spent():
    for currency in ("KES", "NGN"):
        wallet = make_wallet(1000, currency=currency)
        claim = claim_of(wallet)
        first = submit(wallet, 1000, currency, claim=claim)
        again = submit(wallet, 1000, currency, claim=claim)
        assert (first.replayed, again.replayed, again.data) == (False, True, first.data)
        code, _ = rejection(wallet, 1000, currency)
        assert code == "insufficient_balance"
    assert Withdrawal.objects.count() == 2


@pytest.mark.usefixtures("bank_lists")
@pytest.mark.parametrize("claimed", [True, False])
def test_a_rejection_gives_way_to_a_concurrent_response_with_the_same_key(claimed):
    """The other request commits between the key lookup and the balance check."""
    wallet = make_member_wallet(100, currency="NGN")
    claim = claim_of(wallet)
    first = StoredResponse(201, "Done", '{"first": true}')
    claims: list[IdempotencyClaim] = []

    def respond_first(execute: Any, sql: str, *rest: Any) -> Any:
        found = execute(sql, *rest)
        if "exchange_idempotencyrecord" in sql and not claims:
            claims.append(claim)
            claim_key(claim)
            store_response(claim, first)
        return found

    if not claimed:
        assert rejection(wallet, 500, "NGN")[0] == "insufficient_balance"
        return
    assert rejection(wallet, 500, "NGN", claim=claim)[0] == "insufficient_balance"
    with connection.execute_wrapper(respond_first):
        found = submit(wallet, 500, "NGN", claim=claim)
    assert claims == [claim]
    assert found == replace(first, replayed=True)


@pytest.mark.usefixtures("bank_lists")
def test_a_request_that_queries_the_provider_does_not_delay_the_batch():
    wallet = make_wallet()
    with requests.expected_request():
        assert requests._batcher._expected == 1
        assert rejection(wallet, 500, "NGN")[0] == "insufficient_balance"
        assert requests._batcher._expected == 0


@pytest.mark.usefixtures("bank_lists")
@pytest.mark.parametrize("currency", ["KES", "NGN"])
def test_a_rejection_leaves_the_outer_transaction_usable(currency):
    wallet = make_wallet(1000, currency=currency)
    with transaction.atomic():
        with pytest.raises(InsufficientBalance):
            wallet.submit_request(1001, currency=currency, bank=BANK)
        wallet.submit_request(1000, currency=currency, bank=BANK)
    assert Withdrawal.objects.get().amount == 1000


@pytest.mark.usefixtures("bank_lists")
def test_a_value_that_the_database_cannot_store_is_not_a_rejection():
    wallet = make_wallet(1000)
    with assert_nothing_changes(), pytest.raises(DataError):
        submit(wallet, 500, account="0" * 200)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("bank_lists")
def test_only_requests_outside_a_transaction_are_batched(monkeypatch):
    wallet = make_wallet(1000)
    arrived: list[Decimal] = []

    def execute_batch(commands: list[RequestWithdrawal]) -> list[StoredResponse | None]:
        arrived.extend(command.amount for command in commands)
        return [None if c.amount == 300 else StoredResponse(201, "Done", "{}") for c in commands]

    monkeypatch.setattr(requests, "_batcher", Batcher(execute_batch))
    submit(wallet, 200)
    assert arrived == []
    # A request that the batch skips runs alone.
    wallet.submit_request(300, bank=BANK)
    assert wallet.submit_request(400, bank=BANK) == StoredResponse(201, "Done", "{}")
    assert arrived == [300, 400]
    assert wallet.kes == (Decimal(500), Decimal(500))
