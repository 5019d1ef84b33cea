"""The treasury page: float, cover and position of each currency, and the charts of one."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.back_office.roles import AUDITOR
from exchange.admin.chart import format_compact
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    signed_in_client,
)
from tests.factories.conversions import convert, set_rates
from tests.factories.treasury import move, terms
from tests.factories.wallets import OVERRIDE, make_staff, make_wallet
from wallets.reconciliation.models import Reconciliation, ReconciliationLine
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

ADDRESS = "/admin/wallets/reconciliation/treasury/"


def sections(client: Any, **query: str) -> list[Any]:
    found: list[Any] = client.get(ADDRESS, query).context["sections"]
    return found


def row_of(client: Any, currency: str) -> list[str]:
    """Return the cells of a currency, as text."""
    rows = sections(client)[0].rows
    [row] = [row for row in rows if f">{currency}<" in str(row[0])]
    return [str(cell) for cell in row[1:]]


def read_balance(days_ago: int, amount: str, currency: str = "KES") -> None:
    """Store a report of a day that read this balance."""
    now = timezone.now()
    with without_guards():
        report = Reconciliation.objects.create(
            day=(now - timedelta(days=days_ago)).date(),
            status="Matched",
            requested_by="system",
            requested_by_label="system",
            # After the end of the day, whatever the hour is.
            created_at=now - timedelta(days=days_ago - 1),
            balances_at=now - timedelta(days=days_ago - 1),
            finished_at=now,
        )
        ReconciliationLine.objects.create(
            report=report,
            kind="Provider balance",
            currency_id=currency,
            their_amount=Decimal(amount),
            our_amount=Decimal(amount),
            position=1,
            is_difference=False,
        )


def complete(withdrawal: Withdrawal, days_ago: int) -> None:
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_withdrawal SET status = 'Completed', updated_at = %s WHERE id = %s",
            [timezone.now() - timedelta(days=days_ago), withdrawal.pk],
        )


def test_cover_is_the_float_less_what_waits_in_days_of_what_is_paid(finance):
    organisation, member = make_participants()
    fund(organisation, member, "KES", "90000")
    read_balance(1, "10000")
    for days_ago in (2, 20):
        complete(make_withdrawal(organisation, member, "KES", "1530"), days_ago)
    first = make_withdrawal(organisation, member, "KES", "4030")
    # Paid out 2 x 1,500 in 30 days: 100 a day. (10,000 - 4,000) / 100, less the fees of 30.
    cells = ["10,000.00", "4,000.00", "-", "60.0"]
    assert row_of(finance, "KES")[:4] == cells
    # Approved, it still waits to leave: the provider may fail, or payouts be on hold.
    decisions.approve(withdrawal_id=first.pk, version=1, approver=make_staff(), override=OVERRIDE)
    assert row_of(finance, "KES")[:4] == cells
    make_withdrawal(organisation, member, "KES", "5830")
    assert row_of(finance, "KES")[3] == '<span class="state state-bad">2.0</span>'
    assert row_of(finance, "GHS")[:4] == ["-", "0.00", "-", "-"]


def test_a_float_below_what_waits_is_red_also_where_nothing_was_paid(finance):
    organisation, member = make_participants()
    fund(organisation, member, "KES", "90000")
    read_balance(1, "1000")
    assert row_of(finance, "KES")[3] == "-"
    make_withdrawal(organisation, member, "KES", "5000")
    assert row_of(finance, "KES")[3] == '<span class="state state-bad">too little</span>'


def test_own_money_and_the_position_are_shown_against_the_limit(finance):
    move(terms("top_up", 2500))
    set_rates(NGN="1500", KES="130")
    assert row_of(finance, "KES")[4:] == ["2,500.00", "0.00", "10,000,000.00", "0 %"]
    wallet = make_wallet(15_000, currency="NGN")
    convert(wallet, "15000", "NGN", "USD")
    position = row_of(finance, "NGN")[5]
    assert Decimal(position.replace(",", "")) == 15_000


def test_charts_and_tables_have_the_same_numbers(finance):
    organisation, member = make_participants()
    fund(organisation, member, "KES", "90000")
    complete(make_withdrawal(organisation, member, "KES", "1530"), 0)
    read_balance(3, "10000")
    read_balance(2, "7519500000")
    _, readings, flows = sections(finance, currency="KES")
    assert [row[1] for row in readings.rows] == ["7,519,500,000.00", "10,000.00"]
    assert readings.chart.description == "2 readings. The last: 7,519,500,000.00 KES."
    assert [level.text for level in readings.chart.levels][-1] == "7.52 bn KES"
    today = f"{timezone.now():%Y-%m-%d}"
    assert flows.rows == [(today, "90,000.00", "1,500.00", "88,500.00")]
    assert flows.chart.description == "90,000.00 KES in, 1,500.00 KES out."
    assert [bar.tooltip for bar in flows.chart.bars] == [
        f"{timezone.now():%d %b}: 90,000 in",
        f"{timezone.now():%d %b}: 1,500 out",
    ]


def test_a_currency_that_is_none_shows_the_first_one(finance):
    for query in ({}, {"currency": "XXX"}):
        assert sections(finance, **query)[1].title == "Float, NGN, last 30 days"


def test_an_auditor_sees_it_in_a_constant_number_of_queries():
    auditor = signed_in_client(AUDITOR)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            auditor.get(ADDRESS)
        return len(captured)

    queries()
    few = queries()
    organisation, member = make_participants()
    for currency in ("NGN", "KES", "GHS"):
        fund(organisation, member, currency, "90000")
    make_withdrawal(organisation, member, "KES", "1530")
    read_balance(2, "10000")
    assert queries() <= few + 2


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0"),
        (9_999, "9,999"),
        (10_000, "10 k"),
        (12_500, "12.5 k"),
        (1_000_000, "1 m"),
        (7_519_500_000, "7.52 bn"),
        (1_234_567_890_123, "1,234.57 bn"),
        (Decimal("90.25"), "90.25"),
        (Decimal("-12500"), "-12.5 k"),
    ],
)
def test_numbers_of_an_axis_are_short(number, words):
    assert format_compact(number) == words
