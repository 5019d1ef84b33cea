"""An order is checked against its own token, currency, member and available balance only."""

from decimal import Decimal

import pytest
from django.db import transaction

from exchange.core.errors import DomainError
from exchange.core.ids import uuid7
from exchange.tokens.models import Token
from tests.environment.owner import as_owner
from tests.environment.sql_functions import Record, call
from tests.factories.traders import Trader, make_trader
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import SYSTEM, Wallet
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account, system_account

pytestmark = pytest.mark.django_db


def refusal(trader: Trader, token: Token, price: str, units: int = 1) -> str:
    """Return the code that rejects a Buy, or None; rolled back."""
    try:
        with transaction.atomic():
            trader.place(token, "Buy", price, units)
            transaction.set_rollback(True)
    except DomainError as error:
        return error.code
    return ""


def test_a_price_has_the_decimals_of_the_tokens_own_currency():
    one, other = make_trader(1000), make_trader(1000, currency="NGN")
    whole, parts = one.issue(), one.issue(currency="NGN")
    with as_owner() as cursor:
        cursor.execute("UPDATE exchange_currency SET decimals = 0 WHERE code = 'KES'")
    buyer = make_trader(1000)
    assert refusal(buyer, whole, "10.5") == "invalid_request"
    assert refusal(buyer, whole, "10") == ""
    assert refusal(other, parts, "10.5") == ""
    assert refusal(other, parts, "10.555") == "invalid_request"


def test_only_the_owners_available_balance_counts():
    token = make_trader().issue()
    nothing, held = make_trader(), make_trader(member=True)
    escrow = open_account(
        "KES",
        AccountKind.ESCROW,
        organisation_id=held.wallet.organisation.id,
        member_id=held.wallet.member_id,
    )
    clearing = system_account("KES", AccountKind.CLEARING)
    post_unjustified(
        kind=TransferKind.DEPOSIT,
        reference="held",
        subject_id=None,
        actor=SYSTEM,
        legs=[Leg(clearing, Decimal(-90)), Leg(escrow, Decimal(90))],
    )
    for trader in (nothing, held):
        assert refusal(trader, token, "10") == "insufficient_balance"
    # All but one shilling is reserved.
    spent = make_trader(100)
    spent.place(token, "Buy", 99, 1)
    assert refusal(spent, token, "2") == "insufficient_balance"
    assert refusal(spent, token, "1") == ""


def test_a_member_is_known_with_and_without_an_account_and_to_its_own_organisation_only():
    token = make_trader().issue()
    member, poor = make_trader(1000, member=True), make_trader(member=True)
    # The stranger has a member too, which is not the one that is named.
    stranger = make_trader(1000)
    make_trader(organisation=stranger.wallet.organisation, member=True)
    assert refusal(member, token, "10") == ""
    assert refusal(poor, token, "10") == "insufficient_balance"
    for known in (member, poor):
        thief = Trader(Wallet(stranger.wallet.organisation, known.wallet.member))
        assert refusal(thief, token, "10") == "user_not_found"


def test_an_order_that_ends_before_it_takes_anything_moves_nothing():
    trader = make_trader(10_000)
    token = trader.issue()
    trader.place(token, "Sell", 90, 5)
    asked = {
        "id": uuid7(), "organisation": trader.wallet.organisation.id, "token": token.id,
        "type": "Buy", "price": 90, "tokens": 5,
        "actor": "system:test",
    }  # fmt: skip
    plan = call("plan_order", Record("order_request", asked), None)
    assert (plan["o"]["status"], plan["fills"], plan["legs"]) == ("Cancelled", [], None)
