"""Wallet, transactions and statement agree on what an owner has and owes."""

from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from tests.factories.api_clients import TESTER, make_caller
from tests.factories.chargebacks import pay_in
from tests.factories.deposits import Owner, make_due
from tests.factories.holds import owe
from tests.factories.wallets import Wallet, make_wallet
from tests.factories.withdrawals import exact_json
from wallets.deposits.tasks import sweep_deposits
from wallets.receivables.services.repayments import collect_due

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("money_at_provider")]

PARTS = ("available", "escrow", "reserved", "lien", "uncleared", "receivable")


def read_all(wallet: Wallet) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the KES record of the wallet and its movements, compared with the statement."""
    caller = make_caller(organisation=wallet.organisation)
    rows = exact_json(caller.get("/v1/api/wallet"))["data"]
    [balance] = [row for row in rows if row["currency"] == "KES"]
    listed = caller.get("/v1/api/wallet/transactions", {"currency": "KES", "limit": 200})
    movements = exact_json(listed)["data"]["transactions"]
    day = f"{timezone.now():%Y-%m-%d}"
    query = {"currency": "KES", "from": day, "to": day}
    statement = exact_json(caller.get("/v1/api/wallet/statement", query))["data"]
    assert statement["closing"] == {name: balance[name] for name in (*PARTS, "total")}
    for part in PARTS:
        moved = sum((m["amount"] for m in movements if m["account"] == part), Decimal(0))
        assert moved == (-balance[part] if part == "receivable" else balance[part]), part
    assert balance["total"] == sum(balance[part] for part in PARTS[:-1]) - balance["receivable"]
    assert balance["total"] == sum((m["amount"] for m in movements), Decimal(0))
    return balance, movements


def test_money_that_has_not_cleared_is_in_all_of_them(sandbox):
    wallet = make_wallet()
    wallet.fund(70)
    deposit = pay_in(sandbox, Owner(wallet.organisation, None), payment_type="card")
    balance, movements = read_all(wallet)
    assert (balance["available"], balance["uncleared"], balance["total"]) == (70, 1000, 1070)
    assert [(m["type"], m["account"]) for m in movements] == [
        ("deposit", "uncleared"),
        ("deposit", "available"),
    ]
    make_due(deposit)
    sweep_deposits()
    balance, movements = read_all(wallet)
    assert (balance["available"], balance["uncleared"], balance["total"]) == (1070, 0, 1070)
    assert {(m["type"], m["account"], m["amount"]) for m in movements[:2]} == {
        ("deposit_clear", "uncleared", -1000),
        ("deposit_clear", "available", 1000),
    }


def test_a_debt_is_in_all_of_them_and_so_is_its_repayment():
    wallet = make_wallet()
    owe(wallet, "3000")
    balance, _ = read_all(wallet)
    assert (balance["available"], balance["receivable"], balance["total"]) == (3000, 3000, 0)
    collect_due(TESTER)
    balance, movements = read_all(wallet)
    assert (balance["available"], balance["receivable"], balance["total"]) == (0, 0, 0)
    assert {(m["type"], m["account"], m["amount"]) for m in movements[:2]} == {
        ("receivable_repay", "available", -3000),
        ("receivable_repay", "receivable", 3000),
    }
