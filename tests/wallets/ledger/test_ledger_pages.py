"""The ledger to read: lists, filters, totals of system accounts, what transfers are about."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.contrib.admin import site
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import AUDITOR
from config.books import WALLET_CHECKS
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    signed_in_client,
    text_of,
)
from tests.factories.lending import make_lending
from tests.factories.payouts import settle_at_bank
from tests.factories.traders import Trader
from tests.factories.wallets import make_approved_withdrawal, make_wallet, store_bank_list
from wallets.ledger.admin.accounts import AccountAdmin
from wallets.ledger.admin.formatting import format_account_amount
from wallets.ledger.admin.signs import SIGN
from wallets.ledger.admin.transfers import SUBJECTS
from wallets.ledger.models import Account, AccountKind, BooksProof, Entry, Transfer, TransferKind
from wallets.ledger.posting import system_account
from wallets.ledger.proof import prove_and_store
from wallets.ledger.selectors import ledger
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.models import Payout

pytestmark = pytest.mark.django_db

ACCOUNTS, TRANSFERS, ENTRIES = (
    "admin:wallets_account_changelist",
    "admin:wallets_transfer_changelist",
    "admin:wallets_entry_changelist",
)


@pytest.fixture
def client() -> Client:
    return signed_in_client(AUDITOR)


def rows(client: Client, name: str, **narrowed: Any) -> list[Any]:
    response = client.get(reverse(name), narrowed)
    assert response.status_code == 200
    return list(response.context["cl"].result_list)


def clearing(currency: str = "NGN") -> Account:
    return Account.objects.get(pk=system_account(currency, AccountKind.CLEARING))


def total(account: Account) -> ledger.SystemBalance:
    return ledger.system_balances([account])[account.pk]


def test_every_kind_of_transfer_leads_to_what_it_is_about():
    # Income has no page of its own: that of its distribution lists the largest.
    of_income = {TransferKind.DISTRIBUTION_PAY, TransferKind.DISTRIBUTION_RECOVER}
    assert set(SUBJECTS) == {*TransferKind.values} - of_income
    for name, _ in SUBJECTS.values():
        assert reverse(f"admin:{name}_change", args=["00000000-0000-7000-8000-000000000000"])


def test_from_a_withdrawal_to_its_transfer_and_back(client):
    store_bank_list()
    organisation, member = make_participants()
    fund(organisation, member, "KES", "5000")
    made = make_withdrawal(organisation, member, "KES", "1000")
    (hold,) = rows(client, TRANSFERS, q=made.reference)
    assert hold == Transfer.objects.get(kind="withdrawal_hold")
    page = client.get(reverse("admin:wallets_transfer_change", args=[hold.pk]))
    about = page.context["tools"][0]
    assert about.label == "The withdrawal"
    assert about.url == reverse("admin:wallets_withdrawal_change", args=[made.pk])
    assert client.get(about.url).status_code == 200
    assert len(rows(client, ENTRIES, q=made.reference)) == 2
    assert len(rows(client, ENTRIES, q=str(made.pk))) == 2
    assert rows(client, TRANSFERS, q="withdrawal:nothing") == []
    assert "1,000.00 KES" in text_of(page)


def test_a_deposits_own_reference_finds_its_transfer(client):
    organisation, _ = make_participants()
    fund(organisation, None, "NGN", "10")
    fund(organisation, None, "KES", "20")
    (found,) = rows(client, TRANSFERS, q=f"in-{organisation.pk}-NGN")
    assert found == Entry.objects.filter(asset="NGN")[0].transfer


def test_entries_are_narrowed_by_day_amount_asset_and_account(client):
    organisation, member = make_participants()
    fund(organisation, member, "NGN", "100")
    fund(organisation, member, "KES", "2500.50")
    today = timezone.now().date()
    yesterday, tomorrow = today - timedelta(days=1), today + timedelta(days=1)
    every = rows(client, ENTRIES)
    assert len(every) == 4
    assert rows(client, ENTRIES, day_from=yesterday, day_to=tomorrow) == every
    assert rows(client, ENTRIES, day_to=yesterday) == []
    assert rows(client, ENTRIES, day_from=tomorrow) == []
    for narrowed in ({"amount_from": "2500.5"}, {"amount_from": "101", "amount_to": "2500.50"}):
        assert {e.amount for e in rows(client, ENTRIES, **narrowed)} == {
            Decimal("2500.5"),
            Decimal("-2500.5"),
        }
    assert rows(client, ENTRIES, amount_to="99.99") == []
    assert {e.asset_id for e in rows(client, ENTRIES, counts="KES")} == {"KES"}
    assert {e.account for e in rows(client, ENTRIES, account_kind="clearing", counts="NGN")} == {
        clearing()
    }
    assert len(rows(client, TRANSFERS, day_from=today - timedelta(days=1))) == 2


@pytest.mark.parametrize("bad", [{"day_from": "today"}, {"amount_from": "-1"}, {"amount_to": "x"}])
def test_a_range_that_cannot_be_read_shows_nothing(client, bad):
    organisation, member = make_participants()
    fund(organisation, member, "NGN", "100")
    assert rows(client, ENTRIES, **bad) == []


def test_a_system_account_is_added_up_from_the_last_proof_on(client):
    organisation, member = make_participants()
    fund(organisation, member, "NGN", "100")
    account = clearing()
    assert total(account) == ledger.SystemBalance(Decimal(-100), None)
    page = client.get(reverse("admin:wallets_account_change", args=[account.pk]))
    assert "100.00 NGN (sum of entries)" in text_of(page)
    kept = prove_and_store(WALLET_CHECKS)
    assert kept.totals == {}  # entries younger than an hour are added up on the page
    # As a proof of tomorrow would keep it.
    last = Entry.objects.order_by("-id")[0]
    with without_guards():
        BooksProof.objects.filter(pk=kept.pk).update(
            totals={str(account.pk): "-100"}, totals_before=UUID(int=last.pk.int + 1)
        )
    fund(organisation, None, "NGN", "11.25")
    assert total(account) == ledger.SystemBalance(Decimal("-111.25"), kept)
    page = client.get(reverse("admin:wallets_account_change", args=[account.pk]))
    assert "111.25 NGN (balance at the proof of" in text_of(page)


def test_a_page_does_not_add_up_more_than_its_bound(client, monkeypatch):
    monkeypatch.setattr(ledger, "MAX_SUMMED_ENTRIES", 1)
    organisation, member = make_participants()
    fund(organisation, member, "NGN", "100")
    fund(organisation, None, "NGN", "5")
    assert total(clearing()) == ledger.SystemBalance(None, None, complete=False)
    address = reverse("admin:wallets_account_change", args=[clearing().pk])
    assert "available after the first ledger integrity check" in text_of(client.get(address))
    kept = prove_and_store(WALLET_CHECKS)
    with without_guards():
        BooksProof.objects.filter(pk=kept.pk).update(
            totals={str(clearing().pk): "-42"}, totals_before=UUID(int=0)
        )
    assert total(clearing()) == ledger.SystemBalance(Decimal(-42), kept, complete=False)
    for page in (client.get(address), client.get(reverse(ACCOUNTS))):
        assert "42.00 NGN (as of the proof of" in text_of(page)
        assert "-42.00 NGN" not in text_of(page)


def test_every_account_shows_its_balance_positive_for_what_it_normally_holds(
    client, provider_sandbox
):
    store_bank_list()
    withdrawal = make_approved_withdrawal(make_wallet(5000), 1000)
    payouts.send_payout(withdrawal.pk)
    settle_at_bank(provider_sandbox, withdrawal)
    payouts.check_status(withdrawal.pk)
    assert Payout.objects.get().provider_fee == 100
    shown = {}
    for account in rows(client, ACCOUNTS, counts="KES"):
        page = text_of(client.get(reverse("admin:wallets_account_change", args=[account.pk])))
        listed = AccountAdmin(Account, site).balance_display(account)
        shown[account.kind] = listed
        if account.balance is None:
            assert f"{listed} (sum of entries)" in page
        entry = account.entries.order_by("-id").first()
        if entry is not None and account.kind in {"clearing", "expenses"}:
            assert format_account_amount(entry.amount, account) in page
    fee = withdrawal.fee
    assert shown["available"] == "4,000.00 KES"
    assert shown["escrow"] == "0.00 KES"
    assert shown["fees"] == f"{fee:,.2f} KES"
    assert shown["expenses"] == "100.00 KES"
    assert shown["clearing"] == f"{5000 - (1000 - fee) - 100:,.2f} KES"
    settlement = Transfer.objects.get(kind="withdrawal_settle")
    legs = client.get(reverse("admin:wallets_transfer_change", args=[settlement.pk]))
    section = legs.context["sections"][0]
    assert [str(row[2]) for row in section.rows if "Clearing" in str(row[0])] == [
        f"-{1000 - fee:,.2f} KES"
    ]
    assert SIGN in text_of(legs)
    assert SIGN in text_of(client.get(reverse(ACCOUNTS)))


def test_no_account_is_shown_below_zero_where_a_loan_is_out_and_units_are_issued(client):
    make_lending().lend()
    model_admin = AccountAdmin(Account, site)
    shown = [(row.kind, model_admin.balance_display(row)) for row in rows(client, ACCOUNTS)]
    assert {kind for kind, _ in shown} > {"available", "clearing", "issuance", "lien"}
    assert {("principal", "840,000.00 NGN"), ("loans", "840,000.00 NGN")} <= set(shown)
    assert [(kind, balance) for kind, balance in shown if balance.startswith("-")] == []


def test_a_transfer_shows_how_much_of_what_it_moved(client):
    lending = make_lending()
    Trader(lending.borrower).place(lending.token, "Sell", 10_000, 2)
    Trader(make_wallet(100_000, currency="NGN")).place(lending.token, "Buy", 10_000, 1)
    text = text_of(client.get(reverse(TRANSFERS)))
    trade = Transfer.objects.filter(kind="trade").latest("id")
    page = text_of(client.get(reverse("admin:wallets_transfer_change", args=[trade.pk])))
    for shown in (text, page):
        assert f"1 {lending.token.symbol}" in shown
        assert "10,000.00 NGN" in shown


def test_a_transfer_of_a_withdrawal_shows_its_payee(client):
    store_bank_list()
    organisation, member = make_participants()
    fund(organisation, member, "KES", "5000")
    withdrawal = make_withdrawal(organisation, member, "KES", "400", account_name="Grace Njeri")
    hold = Transfer.objects.get(subject_id=withdrawal.pk)
    text = text_of(client.get(reverse(TRANSFERS)))
    assert f"400.00 KES Grace Njeri {withdrawal.reference}" in text
    assert text.count("Grace Njeri") == 1
    page = text_of(client.get(reverse("admin:wallets_transfer_change", args=[hold.pk])))
    assert "Payee Grace Njeri" in page


def test_accounts_are_found_by_the_name_of_their_owner(client):
    organisation, member = make_participants()
    fund(organisation, member, "NGN", "100")
    fund(organisation, None, "NGN", "100")
    assert {a.member for a in rows(client, ACCOUNTS, q="ada")} == {member}
    assert {a.owner_id for a in rows(client, ACCOUNTS, q="acm")} == {organisation.pk}
    assert {a.owner_id for a in rows(client, ACCOUNTS, q=str(member.pk))} == {member.pk}


def test_lists_take_the_same_few_queries_whatever_they_hold(client):
    organisation, member = make_participants()
    counts = []
    for currency in ("NGN", "KES", "GHS"):
        fund(organisation, member, currency, "100")
        for name in (ACCOUNTS, TRANSFERS, ENTRIES):
            with CaptureQueriesContext(connection) as made:
                client.get(reverse(name))
            counts.append(len(made))
    assert counts[3:6] == counts[6:]
    assert max(counts[3:]) <= 10
