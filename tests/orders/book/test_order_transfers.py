"""Justification of order and raise transfers: any other value is rejected."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from orders.book.models import Trade
from tests.environment.owner import as_owner
from tests.factories import lifecycle
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import make_staff
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db


def justified(transfer: Transfer, *changes: str) -> bool:
    """Whether the record justifies its transfer after unchecked changes."""
    with as_owner(rollback=True) as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for change in changes:
            cursor.execute(change)
        cursor.execute(
            "SELECT order_transfer_justified(t) FROM wallets_transfer t WHERE id = %s",
            [transfer.id],
        )
        [found] = cursor.fetchone()
    # The trigger takes only TRUE.
    return found is True


def transfer_of(kind: str, subject: UUID) -> Transfer:
    return Transfer.objects.get(kind=kind, subject_id=subject)


def leg(transfer: Transfer, account: str, change: str) -> str:
    """Change the leg of a transfer on an account of that kind."""
    return (
        f"UPDATE wallets_entry SET {change} WHERE transfer_id = '{transfer.id}' AND account_id IN"
        f" (SELECT id FROM wallets_account WHERE kind = '{account}')"
    )


def on_account_of(trader: Trader, asset: str, kind: str) -> str:
    return (
        "account_id = (SELECT id FROM wallets_account WHERE"
        f" owner_id = '{trader.owner_id}' AND asset_id = '{asset}' AND kind = '{kind}')"
    )


def token_changed(token: Any, change: str) -> str:
    return f"UPDATE exchange_token SET {change} WHERE id = '{token.id}'"


def compared(transfer: Transfer, cases: list[tuple[bool, tuple[str, ...]]]) -> None:
    assert [(justified(transfer, *changes), changes) for _, changes in cases] == cases


def test_a_release_is_the_owners_in_the_asset_that_the_order_gave():
    issuer, buyer = make_trader(1000), make_trader(1000)
    token = issuer.issue()
    make_trader().issue(currency="NGN")
    issuer.place(token, "Sell", 50, 1)
    buyer.place(token, "Buy", 50, 1)
    for trader, side, price, other in (
        (buyer, "Buy", 20, str(token.id)),
        (issuer, "Sell", 200, "KES"),
    ):
        # Another order, which no transfer is measured by.
        third = make_trader(1000)
        third.place(third.issue(currency="KES"), "Sell", 70, 1)
        order = trader.place(token, side, price, 2)
        trader.cancel(order)
        release = transfer_of("order_release", order)
        stranger = make_trader(1)
        this_order, this_transfer = f"WHERE id = '{order}'", f"WHERE id = '{release.id}'"
        turned = "Sell" if side == "Buy" else "Buy"
        compared(
            release,
            [
                (True, ()),
                (False, (leg(release, "available", on_account_of(stranger, "KES", "available")),)),
                (False, (leg(release, "available", f"asset_id = '{other}'"),)),
                (False, (leg(release, "reserved", f"asset_id = '{other}'"),)),
                (False, (f"UPDATE orders_order SET type = '{turned}' {this_order}",)),
                (side == "Sell", (token_changed(token, "currency_id = 'NGN'"),)),
                (False, (f"UPDATE wallets_transfer SET reference = 'x' {this_transfer}",)),
                (False, (f"UPDATE wallets_transfer SET subject_id = new_id() {this_transfer}",)),
                (False, (f"DELETE FROM orders_order {this_order}",)),
            ],
        )


def test_the_proceeds_and_units_of_a_raise_go_to_its_issuer():
    issuer, buyer, stranger = make_trader(1), make_trader(10_000), make_trader(1)
    token = issuer.issue(raise_amount=Decimal(5000))
    stranger.issue(raise_amount=Decimal(5000))
    buyer.place(token, "Buy", 100, 10)
    lifecycle.complete_raise(token_id=token.id, user=make_staff("end_token"))
    done = transfer_of("raise_complete", token.id)
    compared(
        done,
        [
            (True, ()),
            (False, (token_changed(token, "completed_raise = false"),)),
            (False, (token_changed(token, f"issuer_id = '{stranger.owner_id}'"),)),
            (False, (token_changed(token, "currency_id = 'NGN'"),)),
            (False, (leg(done, "raise", "asset_id = 'NGN'"),)),
            (False, (leg(done, "unsold", "asset_id = 'NGN'"),)),
            (False, (leg(done, "raise", on_account_of(stranger, "KES", "available")),)),
            (False, (f"DELETE FROM exchange_token WHERE id = '{token.id}'",)),
        ],
    )


def test_a_sale_in_a_raise_and_its_refund_are_the_trade_and_the_trade_backwards():
    issuer, buyer, stranger = make_trader(10), make_trader(10_000), make_trader(10_000)
    token = issuer.issue(raise_amount=Decimal(5000), price_buy=Decimal(101), buy_fee=Decimal(1))
    units = str(token.id)
    # Another trade of the same token, and one of another raise.
    stranger.place(token, "Buy", 101, 3)
    stranger.place(make_trader().issue(raise_amount=Decimal(5000), currency="KES"), "Buy", 100, 1)
    buyer.place(token, "Buy", 101, 10)
    trade = Trade.objects.get(buy_order__owner_id=buyer.owner_id)
    sale = transfer_of("raise_sale", trade.id)
    this = f"WHERE id = '{trade.id}'"
    own = on_account_of(issuer, "KES", "available")

    def money(whose: Trader, change: str, of: Transfer) -> str:
        return entry(whose, "KES", change, of)

    def entry(whose: Trader, asset: str, change: str, of: Transfer) -> str:
        return (
            f"UPDATE wallets_entry SET {change} WHERE transfer_id = '{of.id}'"
            f" AND asset_id = '{asset}' AND account_id IN"
            f" (SELECT id FROM wallets_account WHERE owner_id = '{whose.owner_id}')"
        )

    def alike(of: Transfer) -> list[tuple[bool, tuple[str, ...]]]:
        """Check what neither of them may be."""
        return [
            (True, ()),
            (False, (f"UPDATE orders_trade SET sell_order_id = new_id() {this}",)),
            (False, (f"UPDATE orders_trade SET tokens = tokens + 1 {this}",)),
            (False, (entry(buyer, units, "amount = amount + 1", of),)),
            (False, (entry(issuer, units, "amount = amount + 1", of),)),
            (False, (entry(buyer, units, "amount = - amount", of),)),
            (False, (entry(issuer, units, "amount = - amount", of),)),
            (False, (leg(of, "fees", "asset_id = 'NGN'"),)),
            (False, (leg(of, "fees", f"asset_id = '{units}'"),)),
            (False, (entry(buyer, units, "asset_id = 'NGN'", of),)),
            (False, (money(buyer, "asset_id = 'NGN'", of),)),
            (False, (money(issuer, "asset_id = 'NGN'", of),)),
            (False, (money(buyer, on_account_of(stranger, "KES", "available"), of),)),
            (False, (token_changed(token, "currency_id = 'NGN'"),)),
            (False, (f"DELETE FROM orders_trade {this}",)),
            (False, (f"DELETE FROM orders_order WHERE id = '{trade.buy_order_id}'",)),
            (False, (f"DELETE FROM exchange_token WHERE id = '{token.id}'",)),
            (False, (f"UPDATE wallets_transfer SET reference = 'x' WHERE id = '{of.id}'",)),
        ]

    compared(
        sale,
        [
            *alike(sale),
            # Money of a sale is held to what is whose; how much is for the proof of books.
            (True, (money(buyer, "amount = amount - 0.01", sale),)),
            (True, (money(issuer, "amount = 0.01", sale),)),
            (True, (money(issuer, "amount = 0.5", sale),)),
            (True, (money(issuer, "amount = 1", sale),)),
            (False, (money(issuer, "amount = -1", sale),)),
            (False, (money(issuer, f"{own}, amount = -1", sale),)),
            (True, (token_changed(token, "cancelled = true"),)),
        ],
    )
    lifecycle.cancel_token(token_id=token.id, user=make_staff("end_token"), reason="over")
    refund = transfer_of("raise_refund", trade.id)
    compared(
        refund,
        [
            *alike(refund),
            (False, (money(buyer, "amount = amount - 0.01", refund),)),
            (False, (money(issuer, "amount = amount - 0.01", refund),)),
            (False, (money(buyer, "amount = - amount", refund),)),
            (False, (f"UPDATE orders_trade SET buyer_value = buyer_value + 1 {this}",)),
            (False, (f"UPDATE orders_trade SET buyer_fee = buyer_fee + 1 {this}",)),
            (False, (f"UPDATE orders_trade SET seller_value = seller_value + 1 {this}",)),
            (False, (token_changed(token, "cancelled = false"),)),
        ],
    )
