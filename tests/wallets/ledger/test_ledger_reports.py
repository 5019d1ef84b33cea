"""The trial balance and the general ledger: figures of the ledger, to the last digit."""

import csv
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.db.models import Sum
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import AUDITOR
from config.books import WALLET_CHECKS
from exchange.core.currencies import format_money
from exchange.core.errors import InvalidRequest
from tests.environment.owner import as_owner, without_guards
from tests.factories.back_office import signed_in_client, text_of, user_of
from tests.factories.conversions import convert, set_rates
from tests.factories.lending import make_lending
from tests.factories.loans import repay_loan
from tests.factories.payouts import settle_at_bank
from tests.factories.treasury import make_debt, move, system_balance, terms
from tests.factories.wallets import (
    make_approved_withdrawal,
    make_member_wallet,
    make_wallet,
    store_bank_list,
)
from wallets.ledger.admin import general_ledger as general_ledger_page
from wallets.ledger.models import AccountKind, BooksProof, Entry
from wallets.ledger.posting import system_account
from wallets.ledger.proof import prove_and_store
from wallets.ledger.selectors import general_ledger, trial_balance
from wallets.ledger.selectors.general_ledger import read_general_ledger
from wallets.ledger.selectors.trial_balance import read_trial_balance
from wallets.payouts.services import execution as payouts

pytestmark = pytest.mark.django_db

TRIAL_BALANCE = "admin:wallets_account_trial_balance"
GENERAL_LEDGER = "admin:wallets_entry_general_ledger"
DAY = timedelta(days=1)
ZERO = Decimal(0)

# Debit and credit; equal to whole numbers as well.
Balances = dict[tuple[str, str, str], tuple[Any, Any]]


@pytest.fixture
def client() -> Client:
    return signed_in_client(AUDITOR)


@pytest.fixture
def fee(provider_sandbox: Any) -> Decimal:
    """Deposits, a paid withdrawal, a conversion and a top-up; return the withdrawal's fee."""
    store_bank_list()
    set_rates()
    withdrawal = make_approved_withdrawal(make_wallet(5000), 1000)
    payouts.send_payout(withdrawal.pk)
    settle_at_bank(provider_sandbox, withdrawal)
    payouts.check_status(withdrawal.pk)
    convert(make_member_wallet(1_000_000, currency="NGN"), 150_000)
    move(terms("top_up", 1000, charge=Decimal("5.5")))
    return Decimal(withdrawal.fee)


def balances() -> Balances:
    return {
        (each.currency, each.kind, each.owner): (each.side.debit, each.side.credit)
        for totals in read_trial_balance().currencies
        for each in totals.balances
    }


def sums_of_entries() -> Balances:
    """Return the balances as the sums of all entries."""
    found: dict[tuple[str, str, str], Decimal] = {}
    rows = Entry.objects.order_by().values_list(
        "asset_id", "account__kind", "account__organisation", "account__member"
    )
    for currency, kind, organisation, member, amount in rows.annotate(Sum("amount")):
        owner = "user" if member else "organisation" if organisation else "exchange"
        key = (currency, kind, owner)
        found[key] = found.get(key, ZERO) + amount
    return {key: (max(-sum_, ZERO), max(sum_, ZERO)) for key, sum_ in found.items() if sum_}


def csv_rows(client: Client, name: str, **query: Any) -> list[list[str]]:
    response = client.get(reverse(name), {**query, "form": "csv"})
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert "no-store" in response["Cache-Control"]
    _, *rows, last = csv.reader(response.content.decode("utf-8-sig").splitlines())
    assert last[0].startswith(f"Complete: {len(rows)} row")
    return rows


def page_rows(client: Client, name: str, **query: Any) -> list[list[str]]:
    """Return the cells of the page's tables as plain text."""
    response = client.get(reverse(name), query)
    assert response.status_code == 200
    sections = response.context["sections"]
    return [[section.title, *map(str, row)] for section in sections for row in section.rows]


def printed(amount: str, currency: str) -> str:
    return format_money(Decimal(amount), currency) if amount else ""


def totals_at(before: UUID) -> BooksProof:
    """Store a proof whose totals are those of the entries below `before`."""
    rows = Entry.objects.filter(id__lt=before, account__balance=None).order_by()
    sums = rows.values_list("account").annotate(Sum("amount"))
    return BooksProof.objects.create(
        ran_at=timezone.now(),
        passed=True,
        milliseconds=1,
        totals={str(account): str(amount) for account, amount in sums},
        totals_before=before,
    )


def ledger_of(kind: AccountKind, currency: str = "KES") -> Any:
    """Return the ledger of yesterday and today, in case midnight has passed."""
    today = timezone.now().date()
    return read_general_ledger(kind, currency, today - DAY, today)


# --- trial balance ---


def test_debits_and_credits_are_those_of_the_ledger(fee):
    assert balances() == {
        ("NGN", "available", "user"): (0, 850_000),
        ("NGN", "clearing", "exchange"): (1_000_000, 0),
        ("NGN", "position", "exchange"): (0, 150_000),
        ("KES", "available", "organisation"): (0, 4000),
        ("KES", "clearing", "exchange"): (3900 + fee + Decimal("994.5"), 0),
        ("KES", "fees", "exchange"): (0, fee),
        ("KES", "expenses", "exchange"): (Decimal("105.5"), 0),
        ("KES", "treasury", "exchange"): (0, 1000),
        ("USD", "available", "user"): (0, 99),
        ("USD", "fees", "exchange"): (0, 1),
        ("USD", "position", "exchange"): (100, 0),
    }
    found = read_trial_balance()
    assert [(each.currency, each.debit) for each in found.currencies] == [
        ("NGN", 1_000_000),
        ("KES", 5000 + fee),
        ("USD", 100),
    ]
    assert all(each.debit == each.credit for each in found.currencies)


def test_what_an_owner_owes_is_a_debit():
    make_debt(100)
    assert balances()["KES", "receivable", "user"] == (100, 0)
    assert balances() == sums_of_entries()


def test_the_form_suggests_this_month(client):
    today = timezone.now().date()
    page = client.get(reverse(GENERAL_LEDGER)).content.decode()
    for name, day in (("first", today.replace(day=1)), ("last", today)):
        assert f'name="{name}" value="{day}"' in page


@pytest.mark.parametrize("share", [0, 2, 3, 1])
@pytest.mark.one_in(3)
def test_it_starts_from_the_last_proof_wherever_that_stands(fee, share):
    expected = sums_of_entries()
    ids = list(Entry.objects.order_by("id").values_list("id", flat=True))
    marks = [ids[0], ids[len(ids) // 3], ids[len(ids) // 2], UUID(int=ids[-1].int + 1)]
    kept = totals_at(marks[share])
    assert balances() == expected
    assert read_trial_balance().proved_at == kept.ran_at
    # The totals are used, not summed again.
    account = str(system_account("KES", AccountKind.CLEARING))
    total = Decimal(kept.totals.get(account, "0")) - 1
    with without_guards():
        BooksProof.objects.update(totals={**kept.totals, account: str(total)})
    debit, _ = expected["KES", "clearing", "exchange"]
    assert balances()["KES", "clearing", "exchange"] == (debit + 1, 0)


def test_too_many_entries_show_no_balance(client, monkeypatch):
    make_wallet(100).fund(5)
    monkeypatch.setattr(trial_balance, "MAX_SUMMED_ENTRIES", 2)
    assert read_trial_balance().complete
    assert balances()["KES", "clearing", "exchange"] == (105, 0)
    monkeypatch.setattr(trial_balance, "MAX_SUMMED_ENTRIES", 1)
    found = read_trial_balance()
    assert (found.complete, found.currencies) == (False, [])
    response = client.get(reverse(TRIAL_BALANCE), {"form": "csv"})
    assert "Available after the first ledger integrity check." in text_of(response)
    prove_and_store(WALLET_CHECKS)
    shown = text_of(client.get(reverse(TRIAL_BALANCE)))
    assert "entries since the last ledger integrity check. Available after the next" in shown
    assert "Download CSV" not in shown


def test_the_page_and_its_csv_have_the_same_figures(client, fee):
    rows = csv_rows(client, TRIAL_BALANCE)
    assert ["USD", "Position", "The exchange", "100", ""] in rows
    assert ["KES", "Expenses", "The exchange", "105.5", ""] in rows
    assert ["NGN", "Available", "Members", "", "850000"] in rows
    assert ["NGN", "Total", "", "1000000", "1000000"] in rows
    shown = [
        [code, account.rpartition("</a>")[0].rpartition(">")[2] or account, *others]
        for code, account, *others in page_rows(client, TRIAL_BALANCE)
    ]
    assert shown == [
        [code, account, owner, printed(debit, code), printed(credit, code)]
        for code, account, owner, debit, credit in rows
    ]


def test_a_difference_is_a_warning(client):
    wallet = make_wallet(100)
    totals_at(UUID(int=Entry.objects.order_by("-id")[0].pk.int + 1))
    account = str(system_account("KES", AccountKind.CLEARING))
    with without_guards():
        BooksProof.objects.update(totals={account: "-99.5"})
    shown = client.get(reverse(TRIAL_BALANCE))
    assert shown.context["warnings"] == ["KES: debits and credits differ by 0.50 KES."]
    assert wallet.balance() == 100


# --- general ledger ---


def test_movements_lead_from_opening_to_closing_balance(fee):
    found = ledger_of(AccountKind.EXPENSES)
    assert found.opening == 0
    assert [(m.kind, m.side.debit, m.side.credit, m.balance) for m in found.movements] == [
        ("provider_charge", 100, 0, -100),
        ("treasury", Decimal("5.5"), 0, Decimal("-105.5")),
    ]
    assert (found.debit, found.credit, found.closing) == (
        Decimal("105.5"), 0, system_balance("expenses", "KES"),
    )  # fmt: skip
    clearing = ledger_of(AccountKind.CLEARING)
    assert [m.amount for m in clearing.movements] == [-5000, 1000 - fee, 100, Decimal("-994.5")]
    assert clearing.closing == system_balance("clearing", "KES")
    assert ledger_of(AccountKind.UNMATCHED).closing == 0


def test_loans_have_a_running_balance_that_includes_earned_interest(client):
    lending = make_lending()
    loan = lending.lend()
    for amount in (210_000, 500_000):
        loan = repay_loan(loan, amount)
    found = ledger_of(AccountKind.LOANS, loan.currency_id)
    assert [(m.kind, m.amount, m.balance) for m in found.movements] == [
        ("loan_disburse", -840_000, -840_000),
        ("loan_repay", -210_000, -1_050_000),
        ("loan_repay", -500_000, -1_550_000),
    ]
    assert found.closing == -(loan.amount - loan.principal_repaid + loan.interest_repaid)
    assert found.closing == system_balance("loans", loan.currency_id)
    today = timezone.now().date()
    query = {"kind": "loans", "currency": loan.currency_id, "first": today, "last": today}
    title = page_rows(client, GENERAL_LEDGER, **query)[0][0]
    assert title.startswith(f"Loans and earned interest {loan.currency_id}, ")
    assert "Loans and earned interest" in text_of(client.get(reverse(TRIAL_BALANCE)))


@pytest.mark.parametrize("share", [0, 1, 2])
def test_the_opening_balance_is_that_before_the_first_day(fee, share):
    balance = system_balance("clearing", "KES")
    ids = list(Entry.objects.order_by("id").values_list("id", flat=True))
    totals_at([ids[0], ids[len(ids) // 2], UUID(int=ids[-1].int + 1)][share])
    today = timezone.now().date()

    def edges(first: date, last: date) -> tuple[Any, ...]:
        found = read_general_ledger(AccountKind.CLEARING, "KES", first, last)
        return found.opening, len(found.movements), found.closing

    assert edges(today - DAY, today) == (0, 4, balance)
    assert edges(today - 30 * DAY, today) == (0, 4, balance)
    assert edges(today - 3 * DAY, today - 2 * DAY) == (0, 0, 0)
    assert edges(today + DAY, today + DAY) == (balance, 0, balance)


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        (date(2026, 3, 2), date(2026, 3, 1), "must not be before the first"),
        (date(2026, 3, 1), date(2026, 4, 1), "must be at most 31 days"),
    ],
)
def test_a_period_is_in_order_and_no_longer_than_a_month(client, first, last, message):
    with pytest.raises(InvalidRequest, match=message):
        read_general_ledger(AccountKind.FEES, "KES", first, last)
    query = {"kind": "fees", "currency": "KES", "first": first, "last": last, "form": "csv"}
    response = client.get(reverse(GENERAL_LEDGER), query)
    assert message in text_of(response)
    assert "sections" not in response.context


def test_too_many_entries_since_the_first_day_are_refused(client, monkeypatch):
    make_wallet(100).fund(5)
    monkeypatch.setattr(general_ledger, "MAX_SUMMED_ENTRIES", 2)
    assert ledger_of(AccountKind.CLEARING).closing == -105
    monkeypatch.setattr(general_ledger, "MAX_SUMMED_ENTRIES", 1)
    with pytest.raises(InvalidRequest, match="More than 1 entries of this account since this day"):
        ledger_of(AccountKind.CLEARING)


def test_the_ledger_page_and_its_csv_have_the_same_figures(client, fee, monkeypatch):
    today = timezone.now().date()
    query = {"kind": "clearing", "currency": "KES", "first": today - DAY, "last": today}
    rows = csv_rows(client, GENERAL_LEDGER, **query)
    opening, *movements, closing = page_rows(client, GENERAL_LEDGER, **query)
    assert opening[1:] == ["", "Opening balance", "", "", "", "0.00 KES"]
    assert len(rows) == len(movements) + 2 == 6
    for cells, row in zip(movements, rows[1:-1], strict=True):
        _, reference, kind, debit, credit, balance, side, subject, transfer = row
        assert cells[3:] == [
            kind, printed(debit, "KES"), printed(credit, "KES"),
            f"{printed(balance, 'KES')} {side}",
        ]  # fmt: skip
        assert reference in cells[2]
        assert reverse("admin:wallets_transfer_change", args=[transfer]) in cells[2]
        assert subject
    assert closing[4:] == [
        printed(rows[-1][3], "KES"), printed(rows[-1][4], "KES"),
        f"{printed(rows[-1][5], 'KES')} debit",
    ]  # fmt: skip
    assert Decimal(rows[-1][5]) == -system_balance("clearing", "KES")
    monkeypatch.setattr(general_ledger_page, "MOVEMENTS_SHOWN", 2)
    assert len(page_rows(client, GENERAL_LEDGER, **query)) == 4
    shown = text_of(client.get(reverse(GENERAL_LEDGER), query))
    assert "First 2 of 4 movements. The CSV has all." in shown
    assert len(csv_rows(client, GENERAL_LEDGER, **query)) == 6


# --- access, cost, navigation ---


@pytest.mark.parametrize("bad", [{"kind": "available"}, {"currency": "X"}, {"first": "0001-01-01"}])
def test_a_query_that_is_not_valid_shows_the_form(client, bad):
    query = {"kind": "fees", "currency": "KES", "first": "2026-03-01", "last": "2026-03-02"}
    response = client.get(reverse(GENERAL_LEDGER), {**query, **bad})
    assert response.status_code == 200
    assert response.context["form"].errors.keys() >= bad.keys()
    assert "sections" not in response.context


@pytest.mark.parametrize("name", [TRIAL_BALANCE, GENERAL_LEDGER])
def test_the_pages_are_for_who_may_view_the_ledger(client, name):
    assert client.post(reverse(name)).status_code == 405
    group = user_of(client).groups.get()
    hidden = group.permissions.filter(codename__in=["view_account", "view_entry"])
    with as_owner():
        group.permissions.remove(*hidden)
    for query in ({}, {"form": "csv"}):
        assert client.get(reverse(name), query).status_code == 403
    assert reverse(name) not in client.get(reverse("admin:index")).content.decode()


def test_the_sidebar_leads_to_both_and_marks_where_one_is(client):
    for name, title in ((TRIAL_BALANCE, "Trial balance"), (GENERAL_LEDGER, "General ledger")):
        groups = client.get(reverse(name)).context["sidebar_navigation"]
        (ledger,) = (group for group in groups if group["title"] == "Ledger")
        assert [item["title"] for item in ledger["items"] if item["active"]] == [title]


def test_each_page_reads_the_ledger_in_one_query(client, fee):
    today = timezone.now().date()
    ledger = {"kind": "clearing", "currency": "KES", "first": today - DAY, "last": today}
    for name, query in ((TRIAL_BALANCE, {}), (GENERAL_LEDGER, ledger)):
        address = reverse(name)
        client.get(address, query)
        with CaptureQueriesContext(connection) as made:
            client.get(address, query)
        read = [each["sql"] for each in made if "wallets_entry" in each["sql"]]
        assert len(read) == 1, name
        assert "LIMIT 100000 + 1" in read[0]
        make_wallet(10)
        with CaptureQueriesContext(connection) as more:
            client.get(address, query)
        assert len(more) == len(made), name
