"""Files for finance: the columns of withdrawals, payouts, deposits, trades and accounts."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.contrib import admin
from django.urls import reverse
from django.utils import timezone

from config.back_office.exports import SOURCES
from config.back_office.roles import ADMINISTRATOR
from exchange.exports.admin import Exportable
from tests.environment.owner import without_guards
from tests.factories.back_office import signed_in_client, text_of
from tests.factories.exports import file_bytes, read_csv, read_xlsx, request_export
from tests.factories.traders import make_trader
from tests.factories.wallets import (
    FAILING_ACCOUNT,
    Wallet,
    make_approved_withdrawal,
    make_member_wallet,
    make_staff,
    store_bank_list,
)
from wallets.deposits.models import Deposit
from wallets.deposits.services import manual as deposits
from wallets.ledger.models import Account, AccountKind
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus

pytestmark = pytest.mark.django_db


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_member_wallet(50_000)


def by(column: str, rows: list[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    return {row[column]: row for row in rows}


def become(withdrawal: Withdrawal, status: str) -> None:
    """`withdrawal` has come to `status`, however: a file only reads."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_withdrawal SET status = %s WHERE id = %s", [status, withdrawal.pk]
        )


@pytest.mark.parametrize("model", ["wallets_withdrawal", "wallets_payout"])
def test_paid_out_is_filled_for_what_was_paid_and_stayed_paid(wallet, finance, model):
    for status in WithdrawalStatus:
        become(make_approved_withdrawal(wallet, 500), status)
    rows, _ = read_csv(
        file_bytes(request_export(finance, model, "status=all" if "withdrawal" in model else ""))
    )
    found = by("Status", rows)
    assert set(found) == set(WithdrawalStatus.values)
    for status, row in found.items():
        assert Decimal(row["Net to bank"]) == Decimal(row["Amount"]) - Decimal(row["Fee"])
        assert row["Paid out"] == (row["Net to bank"] if status == "Completed" else "")


def test_times_are_date_cells_in_xlsx_and_iso_in_csv(wallet, finance):
    made = wallet.request(500)
    [row], _ = read_xlsx(file_bytes(request_export(finance, "wallets_withdrawal", form="xlsx")))
    assert isinstance(row["Created (UTC)"], datetime)
    there = made.created_at.replace(
        tzinfo=None, microsecond=made.created_at.microsecond // 1000 * 1000
    )
    assert row["Created (UTC)"] == there
    [row], _ = read_csv(file_bytes(request_export(finance, "wallets_withdrawal")))
    assert row["Created (UTC)"] == there.isoformat(timespec="milliseconds") + "Z"


def test_withdrawals_have_the_clients_own_references(wallet, finance):
    wallet.request(500)
    metadata = {"team": "a", "invoice": "=1+1"}
    wallet.request(501, client_reference="=2+2", metadata=metadata)
    rows, _ = read_csv(file_bytes(request_export(finance, "wallets_withdrawal", "status=all")))
    found = {row["Amount"]: (row["Client reference"], row["Metadata"]) for row in rows}
    assert found == {"500": ("", ""), "501": ("'=2+2", "team: a; invoice: =1+1")}


def test_payouts_have_amount_and_payee(wallet, finance):
    sent = make_approved_withdrawal(wallet, "700.5", account=FAILING_ACCOUNT)
    [row], _ = read_xlsx(file_bytes(request_export(finance, "wallets_payout", form="xlsx")))
    assert (row["Reference"], row["Withdrawal ID"]) == (sent.reference, str(sent.pk))
    assert (row["Amount"], row["Net to bank"]) == (700.5, float(sent.disburse_amount))
    assert (row["Account name"], row["Account number"]) == ("Ada Obi", FAILING_ACCOUNT)
    assert (row["Owner ID"], row["Status"]) == (str(wallet.member_id), "Approved")
    rows, _ = read_csv(file_bytes(request_export(finance, "wallets_payout", f"q={sent.reference}")))
    assert len(rows) == 1
    rows, _ = read_csv(
        file_bytes(request_export(finance, "wallets_payout", "withdrawal__status__exact=Failed"))
    )
    assert rows == []


def test_deposits_say_who_entered_and_who_decided(wallet, finance):
    maker = make_staff("add_deposit")
    payment = deposits.IncomingPayment(
        organisation_id=wallet.organisation.pk,
        member_id=wallet.member_id,
        currency="KES",
        amount=Decimal("12500.50"),
        reference="=1+1",
        note="",
    )
    deposits.enter(payment=payment, user=maker)
    rows, _ = read_csv(
        file_bytes(request_export(finance, "wallets_deposit", "status__exact=Pending"))
    )
    [row] = rows
    assert row["Reference"] == "'=1+1"
    assert (row["Amount"], row["Currency"]) == ("12500.5", "KES")
    assert (row["Entered by"], row["Decided by"]) == (str(maker), "")
    assert (row["Owner type"], row["Owner ID"]) == ("Member", str(wallet.member_id))
    assert (
        len(read_csv(file_bytes(request_export(finance, "wallets_deposit")))[0])
        == Deposit.objects.count()
        == 2
    )


def test_trades_have_both_sides(finance):
    issuer, buyer = make_trader(), make_trader(10_000, member=True)
    token = issuer.issue(buy_fee=Decimal(2), sell_fee=Decimal(1))
    sold = issuer.place(token, "Sell", 100, 10)
    bought = buyer.place(token, "Buy", 100, 4)
    [row], _ = read_xlsx(file_bytes(request_export(finance, "orders_trade", form="xlsx")))
    assert (row["Token"], row["Units"], row["Price per unit"]) == (token.symbol, 4, 100)
    assert (row["Buyer ID"], row["Seller ID"]) == (str(buyer.owner_id), str(issuer.owner_id))
    assert (row["Buy order ID"], row["Sell order ID"]) == (str(bought), str(sold))
    assert (row["Buyer value"], row["Buyer fee"]) == (400, 8)
    assert (row["Seller value"], row["Seller fee"]) == (400, 4)
    assert (row["Market"], row["Taker side"]) == ("secondary", "Buy")
    assert isinstance(row["Time (UTC)"], datetime)


def test_accounts_have_their_balances_and_take_no_days(wallet, finance):
    wallet.request(500)
    asked = finance.get(reverse("admin:wallets_account_export"))
    assert "From day" not in text_of(asked)
    today = str(timezone.now().date())
    rows, _ = read_xlsx(
        file_bytes(request_export(finance, "wallets_account", form="xlsx", first=today))
    )
    accounts = by("Account ID", rows)
    assert set(accounts) == {str(pk) for pk in Account.objects.values_list("pk", flat=True)}
    own = by("Account", [row for row in rows if row["Owner ID"] == str(wallet.member_id)])
    assert (own["available"]["Balance"], own["escrow"]["Balance"]) == (49_500, 500)
    [ours] = Account.objects.filter(kind=AccountKind.CLEARING, asset="KES")
    row = accounts[str(ours.pk)]
    assert (row["Owner"], row["Owner type"], row["Balance"]) == ("The exchange", "Exchange", 50_000)
    rows, _ = read_csv(
        file_bytes(request_export(finance, "wallets_account", f"owner_id={wallet.member_id}"))
    )
    assert len(rows) == 2


def test_the_exports_are_those_of_every_exportable_list_and_of_reports():
    lists = {
        model._meta.label_lower
        for model, page in admin.site._registry.items()
        if isinstance(page, Exportable)
    }
    assert len(lists) == 14
    assert set(SOURCES) == lists | {"wallets.reconciliation"}


@pytest.mark.parametrize(
    "model", ["wallets_deposit", "wallets_payout", "wallets_account", "orders_trade"]
)
def test_a_role_without_exports_is_offered_none(wallet, model, finance):
    administrator = signed_in_client(ADMINISTRATOR)
    listed = administrator.get(reverse(f"admin:{model}_changelist"))
    assert f"{model.replace('_', '/')}/export/" not in listed.content.decode()
    listed = finance.get(reverse(f"admin:{model}_changelist"))
    assert f"{model.replace('_', '/')}/export/" in listed.content.decode()
