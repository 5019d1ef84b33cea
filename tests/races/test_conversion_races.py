"""Conversions that another request makes impossible after their idempotency key was claimed.

The other request holds what the conversion waits for, and commits while it waits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from django.db import transaction

from tests.assertions.unchanged import assert_nothing_changes, table_fingerprints
from tests.environment.concurrency import start_call
from tests.environment.database import session
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.configuration import set_setting
from tests.factories.conversions import convert, convert_quote, quote, set_rates
from tests.factories.holds import freeze
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet, assert_books_hold
from tests.races.test_new_escrow_account import wait_for_waiting

pytestmark = pytest.mark.django_db(transaction=True)

# What another request does: to the wallet of the member who converts, to another wallet of the
# organisation, with the quote.
Action = Callable[[Wallet, Wallet, str], object]


def spend(wallet: Wallet, other: Wallet, _quote_id: str) -> None:
    transfer(wallet, other, 900_000, currency="NGN")


def use_quote(_wallet: Wallet, other: Wallet, quote_id: str) -> None:
    convert_quote(other, quote_id)


def reach_limit(_wallet: Wallet, other: Wallet, _quote_id: str) -> None:
    convert(other, 150_000)


def freeze_wallet(wallet: Wallet, _other: Wallet, _quote_id: str) -> None:
    assert wallet.member is not None
    freeze(wallet.member)


def replace_rate(wallet: Wallet, _other: Wallet, _quote_id: str) -> None:
    """Freeze another currency too, which the conversion waits for and is not refused by."""
    assert wallet.member is not None
    freeze(wallet.member, "KES")
    set_rates()


@pytest.mark.parametrize(
    ("act", "status", "code", "message"),
    [
        (
            spend,
            400,
            "insufficient_balance",
            "Insufficient NGN balance. Available: 100000, requested: 150000",
        ),
        (
            use_quote,
            409,
            "quote_used",
            "The quote was used by another conversion. Request a new quote",
        ),
        (
            reach_limit,
            409,
            "position_limit_reached",
            "The limit of conversions of NGN is reached. "
            "Convert a smaller amount or try again later",
        ),
        (
            freeze_wallet,
            409,
            "account_frozen",
            "This account is frozen. Contact support",
        ),
        (
            replace_rate,
            409,
            "quote_replaced",
            "A rate of the quote was replaced. Request a new quote",
        ),
    ],
)
@pytest.mark.one_in(3)
def test_a_conversion_refused_by_what_commits_while_it_waits_moves_nothing(
    act: Action, status: int, code: str, message: str
) -> None:
    set_rates()
    set_setting("CONVERSION_POSITION_LIMIT_NGN", 200_000)
    caller = make_caller()
    wallet, other = (
        Wallet(caller.organisation, make_member(caller.organisation)).fund(1_000_000, "NGN")
        for _ in range(2)
    )
    quote_id = quote(wallet, 150_000)["quote_id"]
    body = {"quote_id": quote_id, "user_id": str(wallet.member_id)}
    convert_late = partial(caller.post, "/v1/api/conversions", body, Idempotency_Key="late")
    with session("owner") as watch:
        watch.autocommit = True
        with transaction.atomic():
            act(wallet, other, quote_id)
            committed = table_fingerprints()
            late = start_call(convert_late)
            wait_for_waiting(watch, 1)
    assert_error(late.result(60), status, code, message)
    # The key is free again, so that the repetition is executed, and refused for the same reason.
    assert table_fingerprints() == committed
    with assert_nothing_changes():
        assert_error(convert_late(), status, code, message)
    assert_books_hold()
