"""Races of transfers and conversions: no wallet below zero, no money made, each quote once."""

import json
from collections import Counter

import pytest

from tests.environment.concurrency import Call, send_concurrently
from tests.environment.services import Service
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.factories.conversions import quote, set_rates
from tests.factories.wallets import BANK, PAID_ACCOUNT, Wallet, assert_books_hold, store_bank_list
from wallets.conversions.models import Conversion
from wallets.transfers.models import WalletTransfer

pytestmark = pytest.mark.django_db(transaction=True)

TRANSFERS, CONVERSIONS = "/v1/api/transfers", "/v1/api/conversions"


@pytest.fixture
def caller(transactional_db: None) -> ApiCaller:
    store_bank_list()
    return make_caller()


@pytest.mark.slow
def test_transfers_and_withdrawals_of_one_wallet_never_overdraw_it(
    live_service: Service, caller: ApiCaller
):
    """Money goes around three wallets while one of them pays out."""
    own = Wallet(caller.organisation).fund(5_000)
    members = [Wallet(caller.organisation, make_member(caller.organisation)) for _ in range(2)]
    names = [{"wallet": "organisation"}, *({"user_id": str(m.member_id)} for m in members)]
    calls = []
    for n in range(150):
        body = {"from": names[n % 3], "to": names[(n + 1 + n % 2) % 3], "amount": 400 + n % 7,
                "currency": "KES"}  # fmt: skip
        calls.append(Call(TRANSFERS, json.dumps(body), caller.headers, tag=1))
        if n % 3 == 0:
            request = {"amount": 700, "bank_name": BANK, "account_name": "Ada Obi",
                       "account_number": PAID_ACCOUNT, "currency": "KES"}  # fmt: skip
            path = "/v1/api/wallet/withdraw"
            calls.append(Call(path, json.dumps(request), caller.headers, tag=2))
    replies = send_concurrently(live_service.base_url, calls, 48)
    assert {reply.status for reply in replies} == {201, 400}
    refused = [reply.json["message"] for reply in replies if reply.status == 400]
    assert all(message.startswith("Insufficient KES balance.") for message in refused)
    moved = [reply for reply in replies if reply.tag == 1 and reply.status == 201]
    assert WalletTransfer.objects.count() == len(moved)
    wallets = [own, *members]
    assert min(wallet.balance() for wallet in wallets) >= 0
    assert sum(sum(wallet.kes) for wallet in wallets) == 5_000
    assert_books_hold()


def test_sixteen_conversions_by_one_quote_convert_once(live_service: Service, caller: ApiCaller):
    set_rates()
    wallet = Wallet(caller.organisation).fund(10_000_000, "NGN")
    quotes = [quote(wallet, 150_000)["quote_id"] for _ in range(5)]
    calls = [
        Call(CONVERSIONS, json.dumps({"quote_id": quote_id}), caller.headers)
        for quote_id in quotes
        for _ in range(16)
    ]
    replies = send_concurrently(live_service.base_url, calls, 48)
    assert Counter(reply.status for reply in replies) == {201: 5, 409: 75}
    assert {reply.json["message"] for reply in replies if reply.status == 409} == {
        "The quote was used by another conversion. Request a new quote"
    }
    assert Conversion.objects.count() == 5
    assert [wallet.balance(currency="NGN"), wallet.balance(currency="USD")] == [9_250_000, 495]
    assert_books_hold()


def test_a_client_reference_is_used_by_one_of_sixteen(live_service: Service, caller: ApiCaller):
    own = Wallet(caller.organisation).fund(5_000)
    member = Wallet(caller.organisation, make_member(caller.organisation))
    body = {"from": {"wallet": "organisation"}, "to": {"user_id": str(member.member_id)},
            "amount": 100, "currency": "KES", "client_reference": "once"}  # fmt: skip
    calls = [Call(TRANSFERS, json.dumps(body), caller.headers) for _ in range(16)]
    replies = send_concurrently(live_service.base_url, calls, 16)
    assert Counter(reply.status for reply in replies) == {201: 1, 409: 15}
    assert [own.balance(), member.balance()] == [4_900, 100]
    assert_books_hold()
