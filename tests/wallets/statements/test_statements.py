"""Statements against the ledger: any history, any period; words, limits, the longest one."""

import csv
import io
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from exchange.core.errors import InvalidRequest
from exchange.core.ids import uuid7
from exchange.core.numbers import format_grouped
from exchange.pdf.document import make_pdf
from orders.book.errors import OrderNotActive
from tests.environment.owner import without_guards
from tests.environment.property_tests import examples
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.tokens import give_units, make_token
from tests.factories.traders import Trader
from tests.factories.wallets import Wallet, balance_of, make_wallet, store_bank_list
from wallets.ledger.models import Entry, Transfer, TransferKind
from wallets.ledger.selectors.wallets import WALLET_KINDS
from wallets.statements.files import to_csv, to_printout, to_wire
from wallets.statements.period import Period
from wallets.statements.selectors import (
    Balance,
    Movement,
    Statement,
    StatementOwner,
    TooManyMovements,
    get_statement_owner,
    read_statement,
)
from wallets.statements.wording import _WORDS
from wallets.withdrawals.services.decisions import cancel

NOW = datetime(2025, 8, 1, 12, tzinfo=UTC)
EVER = timedelta(days=1)
actions = st.lists(
    st.sampled_from(["deposit", "withdraw", "cancel", "buy", "sell", "cancel order", "look"]),
    min_size=3,
    max_size=14,
)


def owner_of(wallet: Wallet) -> StatementOwner:
    return get_statement_owner(wallet.organisation.id, wallet.member_id)


def period(begins: datetime, ends: datetime) -> Period:
    return Period(begins, begins, ends)


def clock() -> datetime:
    """Return the database's time, which stamps transfers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment


def text_of(pdf: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)


class History:
    """A member that deposits, withdraws and trades, and the moments in between."""

    def __init__(self) -> None:
        store_bank_list()
        self.token = make_token(currency="KES", buy_fee=Decimal("0.37"), sell_fee=Decimal("0.73"))
        organisation = make_organisation()
        self.wallet = Wallet(organisation, make_member(organisation))
        self.trader = Trader(self.wallet)
        self.other = Trader(Wallet(make_organisation()).fund(100_000))
        for wallet in (self.wallet, self.other.wallet):
            give_units(self.token, wallet, 100)
        self.moments = [clock()]
        self.steps = 0
        self.orders: list[UUID] = []

    def act(self, action: str) -> None:
        self.steps += 1
        amount = Decimal(600) + Decimal(self.steps) / 4
        if action == "deposit":
            self.wallet.fund(amount)
        elif action in {"withdraw", "cancel"} and self.wallet.balance() >= amount:
            made = self.wallet.request(amount)
            if action == "cancel":
                cancel(withdrawal_id=made.id, organisation_id=made.organisation_id, actor=TESTER)
        elif action in {"buy", "sell", "cancel order"}:
            side, counter = ("Sell", "Buy") if action == "sell" else ("Buy", "Sell")
            if side == "Buy" and self.wallet.balance() < 300:
                return
            price = Decimal("99.25") + self.steps % 3
            order = self.trader.place(self.token, side, price, "1.7")
            if action == "cancel order":
                # It may have met an order of the same owner.
                with suppress(OrderNotActive):
                    self.trader.cancel(order)
            else:
                self.other.place(self.token, counter, price, "0.9")
        self.moments.append(clock())


@pytest.mark.standalone
@examples("STATEMENTS", 3)
@given(actions)
@pytest.mark.slow
def test_statements_of_any_history_have_the_figures_of_the_ledger(transactional_db, sequence):
    history = History()
    for action in sequence:
        history.act(action)
    owner, now = owner_of(history.wallet), clock()
    whole = read_statement(owner, "KES", period(history.moments[0], now), now)
    ledger = {kind: balance_of(owner.id, "KES", kind) for kind in WALLET_KINDS}
    assert whole.closing.parts == ledger
    assert whole.opening.total == 0
    assert whole.money_in - whole.money_out == whole.closing.total
    legs = Entry.objects.filter(account__owner_id=owner.id, asset_id="KES")
    assert {m.id for m in whole.movements} == set(legs.values_list("transfer_id", flat=True))
    for movement in whole.movements:
        own = legs.filter(transfer_id=movement.id)
        for kind, amount in movement.change.parts.items():
            assert amount == sum(own.filter(account__kind=kind).values_list("amount", flat=True))
    # Periods that follow each other have all movements, and each opens where the last one closed.
    middle = history.moments[len(history.moments) // 2]
    early = read_statement(owner, "KES", period(history.moments[0], middle), now)
    late = read_statement(owner, "KES", period(middle, now), now)
    assert [*early.movements, *(m.id for m in late.movements)] == [
        *whole.movements[: len(early.movements)],
        *(m.id for m in whole.movements[len(early.movements) :]),
    ]
    assert late.opening == early.closing
    assert late.closing == whole.closing
    assert_files_agree(whole)
    assert_files_agree(late)


def assert_files_agree(statement: Statement) -> None:
    """Every figure of JSON, CSV and PDF is that of the statement, line by line."""
    wire = to_wire(statement)
    assert (
        wire["opening"]["total"] + sum(m["amount"] for m in wire["movements"])
        == (wire["closing"]["total"])
    )
    assert (
        wire["opening"]["available"] + sum(m["available_change"] for m in wire["movements"])
        == (wire["closing"]["available"])
    )
    table = list(csv.DictReader(io.StringIO(to_csv(statement).decode("utf-8-sig"))))
    opening, *lines, closing = table
    for line, balance in ((opening, statement.opening), (closing, statement.closing)):
        assert Decimal(line["Balance"]) == balance.total
        assert Decimal(line["Available"]) == balance.available
    for line, movement in zip(lines, wire["movements"], strict=True):
        assert Decimal(line["Amount"]) == movement["amount"]
        assert Decimal(line["Change of available"]) == movement["available_change"]
        assert Decimal(line["Balance"]) == movement["balance"]
        assert Decimal(line["Available"]) == movement["available"]
        assert (line["Details"], line["Reference"]) == (
            movement["description"],
            movement["reference"],
        )
    printed = text_of(make_pdf(to_printout(statement))).splitlines()
    for balance, words in ((statement.opening, "Opening"), (statement.closing, "Closing")):
        total, available = (format_grouped(a, 2) for a in (balance.total, balance.available))
        assert [line for line in printed if line.endswith(f"{words} balance {total} {available}")]
    for movement in statement.movements:
        amount = movement.change.total
        figures = [abs(amount)] if amount else []
        figures += [movement.after.total, movement.after.available]
        shown = " ".join(format_grouped(figure, 2) for figure in figures)
        assert any(line.endswith(shown) for line in printed), shown


@pytest.mark.django_db
def test_every_movement_of_an_owner_has_words():
    """Kinds without words never touch an account of a statement."""
    silent = {
        "adjustment",
        "provider_charge",
        "payment_unmatched",
        "payment_refund",
        "units_issue",
        "units_retire",
        "loan_pledge",
        "loan_release",
        "loan_liquidate",
        "loan_write_off",
        "treasury",
    }
    assert set(TransferKind.values) <= set(_WORDS) | silent
    with connection.cursor() as cursor:
        cursor.execute("SELECT kind, leaves || enters FROM wallets_transferrule")
        owned = {"available", "escrow", "reserved", "uncleared", "receivable"}
        touching = {kind for kind, accounts in cursor.fetchall() if owned & set(accounts)}
    # Units and their pledges use `available` too, of a token and not of a currency.
    assert touching - set(_WORDS) <= silent


@pytest.mark.parametrize(
    ("first", "last", "field", "message"),
    [
        ("2025-07-02", "2025-07-01", "to", "to must not be before from"),
        ("2025-08-02", "2025-08-03", "from", "from must not be in the future"),
        ("2025-07-02", "2025-08-02", "to", "to must not be in the future"),
        ("2024-07-30", "2025-07-31", "to", "to must be at most 366 days after from"),
        ("2015-01-01", "2025-01-01", "to", "to must be at most 366 days after from"),
    ],
)
def test_a_period_that_is_wrong_names_its_field(first, last, field, message):
    wrong = Period.of_days(*(datetime.fromisoformat(day).date() for day in (first, last)))
    with pytest.raises(InvalidRequest) as refused:
        wrong.check(NOW)
    assert refused.value.message == message
    assert refused.value.fields == {field: message}


def test_today_and_a_leap_year_are_periods():
    for first, last, shown in (
        ("2025-08-01", "2025-08-01", "1 August 2025"),
        ("2024-01-01", "2024-12-31", "1 January 2024 to 31 December 2024"),
    ):
        fine = Period.of_days(*(datetime.fromisoformat(day).date() for day in (first, last)))
        fine.check(NOW)
        assert str(fine) == shown


def test_the_edges_of_a_period_belong_to_it():
    moment = timedelta(milliseconds=1)
    midnight = datetime(2025, 8, 1, tzinfo=UTC)
    day = Period.of_days(midnight.date(), midnight.date())
    assert (day.begins, day.last, day.ends) == (midnight, midnight, midnight + EVER)
    assert day.to == datetime(2025, 8, 1, 23, 59, 59, 999000, tzinfo=UTC)
    assert day.file_part == "2025-08-01-2025-08-01"
    day.check(midnight)
    with pytest.raises(InvalidRequest, match="from must not be in the future"):
        day.check(midnight - moment)
    Period(NOW, NOW, NOW + moment).check(NOW)
    with pytest.raises(InvalidRequest, match="to must not be before from"):
        period(NOW, NOW).check(NOW)
    noon = "1 August 2025, 12:00:00 UTC"
    for begins, ends, shown in (
        (midnight, NOW + moment, f"1 August 2025, 00:00:00 UTC to {noon}"),
        (NOW, midnight + EVER, f"{noon} to 1 August 2025, 23:59:59 UTC"),
    ):
        assert str(period(begins, ends)) == shown


@pytest.mark.django_db
def test_entries_made_before_or_after_the_time_of_their_transfer_are_found():
    """An id is made within an hour of the time that decides which period a transfer is in."""
    make_wallet(3)
    wallet = make_wallet("0.25")
    minutes = timedelta(minutes=1)
    made = Transfer.objects.get(entries__account__owner_id=wallet.owner_id).created_at
    other = Wallet(wallet.organisation, make_member(wallet.organisation, "Bola"))
    make_member(wallet.organisation, "Ada")
    owner = owner_of(other)
    assert (owner.name, owner.model) == ("Bola", "user")
    owner = owner_of(wallet)
    assert (owner.name, owner.model) == (wallet.organisation.name, "organisation")
    for stamped in (made - 50 * minutes, made + 50 * minutes):
        with without_guards() as cursor:
            cursor.execute("UPDATE wallets_transfer SET created_at = %s", [stamped])
        for begins, ends, opening, moved in (
            (stamped - 10 * minutes, stamped, 0, []),
            (stamped - 10 * minutes, stamped + 10 * minutes, 0, [Decimal("0.25")]),
            (stamped, stamped + 10 * minutes, 0, [Decimal("0.25")]),
            (stamped + 10 * minutes, stamped + 20 * minutes, Decimal("0.25"), []),
        ):
            found = read_statement(owner, "KES", period(begins, ends), made + EVER)
            assert found.opening.total == opening
            assert [movement.change.total for movement in found.movements] == moved
            assert found.money_in == sum(moved)
            assert found.money_out == 0


@pytest.mark.django_db
def test_more_movements_than_the_limit_are_refused(monkeypatch):
    monkeypatch.setattr("wallets.statements.selectors.MAX_MOVEMENTS", 3)
    wallet = Wallet(make_organisation())
    for _ in range(3):
        wallet.fund(10)
    span = period(timezone.now() - EVER, timezone.now() + EVER)
    assert len(read_statement(owner_of(wallet), "KES", span, timezone.now()).movements) == 3
    wallet.fund(10)
    with pytest.raises(TooManyMovements, match="more than 10000 movements between from and to"):
        read_statement(owner_of(wallet), "KES", span, timezone.now())


@pytest.mark.django_db
def test_a_statement_costs_one_query():
    wallet = Wallet(make_organisation())
    wallet.fund(10)
    owner, now = owner_of(wallet), timezone.now()
    with CaptureQueriesContext(connection) as captured:
        read_statement(owner, "KES", period(now - EVER, now + EVER), now)
    assert len(captured) == 1


def longest(count: int) -> Statement:
    """Return a statement of `count` movements that is in no database."""
    nothing: dict[str, Decimal] = {str(kind): Decimal(0) for kind in WALLET_KINDS}
    change = Balance({**nothing, "available": Decimal("1234.56")})
    after, movements = Balance(nothing), []
    for number in range(count):
        after += change
        movements.append(
            Movement(
                id=uuid7(),
                kind="deposit",
                created_at=NOW - timedelta(days=30) + timedelta(seconds=number),
                reference=f"bank-{number}",
                client_reference=None,
                subject_id=None,
                memo="",
                units=Decimal(0),
                fee=Decimal(0),
                bank="",
                change=change,
                after=after,
            )
        )
    owner = StatementOwner(uuid7(), "user", "Ọláyínká Ṣódiípọ̀", "አበበ ቢቂላ")
    span = Period.of_days(date(2025, 7, 1), date(2025, 7, 31))
    return Statement(owner, "KES", span, NOW, Balance(nothing), movements)


@pytest.mark.standalone
@pytest.mark.django_db
@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_statement_of_thousands_of_movements_is_printed_whole(count):
    file = make_pdf(to_printout(longest(count)))
    assert len(file) < 200 * count
    reader = PdfReader(io.BytesIO(file))
    assert count / 50 < len(reader.pages) < count / 22
    first, last = reader.pages[0].extract_text(), reader.pages[-1].extract_text()
    assert f"Page {len(reader.pages)} of {len(reader.pages)}" in last
    total = f"{count * Decimal('1234.56'):,}"
    assert total in first
    assert f"Closing balance {total} {total}" in last
    assert f"bank-{count - 1}" in last


@pytest.mark.django_db
def test_an_empty_period_says_so_on_one_page():
    reader = PdfReader(io.BytesIO(make_pdf(to_printout(longest(0)))))
    [page] = reader.pages
    text = page.extract_text()
    assert "No movements in this period" in text
    assert "Opening balance 0.00 0.00" in text
    assert "Closing balance 0.00 0.00" in text
    assert "Ọláyínká Ṣódiípọ̀" in text
    assert "አበበ ቢቂላ" in text
    assert reader.metadata is not None
    assert reader.metadata.title == "Account statement"
