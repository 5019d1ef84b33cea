"""Asking for a withdrawal below the edges: what is refused first, what is answered, and when the
provider is asked.
"""

from __future__ import annotations

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
from wallets.ledger.errors import InsufficientBalance
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import BankAccount, Withdrawal
from wallets.withdrawals.services import requests

pytestmark = pytest.mark.django_db


@pytest.fixture
def bank_lists(db: None) -> None:
    """This process knows them: only for the name of an account in NGN is the provider asked."""
    store_bank_lists()
    cache_bank_lists("KES", "NGN")


def claim_of(wallet: Wallet) -> IdempotencyClaim:
    return IdempotencyClaim(wallet.organisation.id, "POST", "/withdraw", "key", "hash")


def ask(
    wallet: Wallet, amount: str | int, currency: str = "KES", bank: str = BANK, **more: Any
) -> StoredResponse:
    with transaction.atomic():
        return wallet.submit_request(amount, currency=currency, bank=bank, **more)


def refusal(*order: Any, **more: Any) -> tuple[str, str]:
    """The code and the message that a request is refused with; nothing moves."""
    with assert_nothing_changes(), pytest.raises(DomainError) as refused:
        ask(*order, **more)
    return refused.value.code, refused.value.message


@pytest.mark.usefixtures("bank_lists")
def test_a_request_is_answered_and_workers_are_woken_for_its_event(
    task_notifications, django_capture_on_commit_callbacks
):
    wallet = make_member_wallet(1000)
    with django_capture_on_commit_callbacks(execute=True):
        response = ask(wallet, 1000)
    assert (response.status_code, response.message, response.replayed) == (
        201, "Withdrawal request created", False,
    )  # fmt: skip
    made = Withdrawal.objects.get()
    assert json.loads(response.data)["withdrawalRequest"]["_id"] == str(made.pk)
    assert (made.bank.name, made.bank.account_name, made.bank.name_resolved) == (
        BANK, "Ada Obi", False,
    )  # fmt: skip
    wait_until(
        lambda: task_notifications == ["exchange.tasks.deliver_events"], "events are delivered", 10
    )
    assert_books_hold()


# KES with a bank that is known goes to PostgreSQL at once; else it is checked before the network.
WAYS = [("KES", BANK), ("KES", "No such bank"), ("NGN", BANK)]


@pytest.mark.usefixtures("bank_lists")
@pytest.mark.parametrize(("currency", "bank"), WAYS)
def test_a_request_is_refused_for_the_same_reasons_in_the_same_order_on_every_way(currency, bank):
    set_setting(f"MINIMUM_WITHDRAWAL_{currency}", 100)
    wallet, member = make_wallet(120, currency=currency), make_member_wallet(5, currency=currency)
    make_member(wallet.organisation)
    insufficient = f"Insufficient {currency} balance. Available: {{}}, requested: {{}}"
    for other in (member.member, make_member(make_organisation()), Member(id=uuid7())):
        of_another = Wallet(wallet.organisation, other)
        assert refusal(of_another, "1", currency, bank) == ("user_not_found", "User not found")
    assert refusal(wallet, "120.01", currency, bank) == (
        "insufficient_balance", insufficient.format(120, "120.01"),
    )  # fmt: skip
    assert refusal(member, "5.01", currency, bank) == (
        "insufficient_balance", insufficient.format(5, "5.01"),
    )  # fmt: skip
    assert refusal(wallet, "99.99", currency, bank) == (
        "below_minimum", f"Cannot withdraw less than 100 {currency}",
    )  # fmt: skip
    if bank != BANK:
        assert refusal(wallet, "120", currency, bank)[0] == "bank_not_found"
        return
    set_setting(f"{currency}_WITHDRAWAL_FEE", 110)
    assert refusal(wallet, "110", currency, bank) == (
        "fee_exceeds_amount",
        f"The withdrawal fee of 110 {currency} leaves nothing to pay out of 110 {currency}",
    )
    # All there is can be asked for, and the smallest amount.
    set_setting(f"{currency}_WITHDRAWAL_FEE", 1)
    wallet.fund(100, currency)
    for amount in ("100", "120"):
        assert ask(wallet, amount, currency, bank).status_code == 201
    assert wallet.balance("available", currency) == 0
    assert wallet.balance("escrow", currency) == 220


@pytest.mark.usefixtures("bank_lists")
def test_a_currency_that_is_not_paid_out_has_no_banks():
    code, message = refusal(make_wallet(100, currency="USD"), 50, "USD")
    assert code == "currency_not_supported"
    assert message.startswith("Withdrawals with automatic bank resolution are not supported for ")


def test_the_payee_in_naira_has_the_name_that_the_provider_tells(sandbox):
    store_bank_lists()
    cache_bank_lists("NGN")
    wallet = make_member_wallet(5000, currency="NGN")
    ask(wallet, 1000, "NGN", account="0690000040")
    # Nobody has this number.
    ask(wallet, 1000, "NGN", account="1111111111")
    found = BankAccount.objects.order_by("id").values_list(
        "account_name", "given_name", "name_resolved"
    )
    assert list(found) == [("Alexis Sanchez", "Ada Obi", True), ("Ada Obi", "Ada Obi", False)]


@pytest.mark.usefixtures("bank_lists")
def test_the_first_answer_under_a_claim_is_given_again_though_the_money_is_gone():
    for currency in ("KES", "NGN"):
        wallet = make_wallet(1000, currency=currency)
        claim = claim_of(wallet)
        first = ask(wallet, 1000, currency, claim=claim)
        again = ask(wallet, 1000, currency, claim=claim)
        assert (first.replayed, again.replayed, again.data) == (False, True, first.data)
        code, _ = refusal(wallet, 1000, currency)
        assert code == "insufficient_balance"
    assert Withdrawal.objects.count() == 2


@pytest.mark.usefixtures("bank_lists")
@pytest.mark.parametrize("claimed", [True, False])
def test_a_refusal_is_the_first_answer_under_the_claim_that_was_given_meanwhile(claimed):
    """Between the look for an answer and the look at the wallet, whose money it took."""
    wallet = make_member_wallet(100, currency="NGN")
    claim = claim_of(wallet)
    first = StoredResponse(201, "Done", '{"first": true}')
    kept: list[IdempotencyClaim] = []

    def answer_the_first(execute: Any, sql: str, *rest: Any) -> Any:
        found = execute(sql, *rest)
        if "exchange_idempotencyrecord" in sql and not kept:
            kept.append(claim)
            claim_key(claim)
            store_response(claim, first)
        return found

    if not claimed:
        assert refusal(wallet, 500, "NGN")[0] == "insufficient_balance"
        return
    assert refusal(wallet, 500, "NGN", claim=claim)[0] == "insufficient_balance"
    with connection.execute_wrapper(answer_the_first):
        found = ask(wallet, 500, "NGN", claim=claim)
    assert kept == [claim]
    assert found == replace(first, replayed=True)


@pytest.mark.usefixtures("bank_lists")
def test_a_request_that_is_to_ask_the_provider_keeps_nobody_waiting():
    wallet = make_wallet()
    with requests.expected_request():
        assert requests._batcher._expected == 1
        assert refusal(wallet, 500, "NGN")[0] == "insufficient_balance"
        assert requests._batcher._expected == 0


@pytest.mark.usefixtures("bank_lists")
@pytest.mark.parametrize("currency", ["KES", "NGN"])
def test_a_refusal_leaves_the_transaction_around_it_usable(currency):
    wallet = make_wallet(1000, currency=currency)
    with transaction.atomic():
        with pytest.raises(InsufficientBalance):
            wallet.submit_request(1001, currency=currency, bank=BANK)
        wallet.submit_request(1000, currency=currency, bank=BANK)
    assert Withdrawal.objects.get().amount == 1000


@pytest.mark.usefixtures("bank_lists")
def test_what_the_database_cannot_keep_is_no_refusal():
    wallet = make_wallet(1000)
    with assert_nothing_changes(), pytest.raises(DataError):
        ask(wallet, 500, account="0" * 200)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("bank_lists")
def test_only_requests_outside_of_a_transaction_go_with_others(monkeypatch):
    wallet = make_wallet(1000)
    arrived: list[Decimal] = []

    def gather(commands: list[RequestWithdrawal]) -> list[StoredResponse | None]:
        arrived.extend(command.amount for command in commands)
        return [None if c.amount == 300 else StoredResponse(201, "Done", "{}") for c in commands]

    monkeypatch.setattr(requests, "_batcher", Batcher(gather))
    ask(wallet, 200)
    assert arrived == []
    # What is left by the others is asked for alone.
    wallet.submit_request(300, bank=BANK)
    assert wallet.submit_request(400, bank=BANK) == StoredResponse(201, "Done", "{}")
    assert arrived == [300, 400]
    assert wallet.kes == (Decimal(500), Decimal(500))
