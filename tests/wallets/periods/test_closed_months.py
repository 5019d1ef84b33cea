"""What is dated into a closed month is refused, whoever posts and whenever it began."""

import csv
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from exchange.core.errors import (
    StateConflict,
)
from tests.assertions.unchanged import assert_no_table_changes, assert_nothing_changes
from tests.environment.concurrency import start_call
from tests.environment.database import session
from tests.environment.owner import without_guards
from tests.environment.processes import wait_until
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.periods import (
    MONTH,
    close_unchecked,
    closer,
    date_transfers,
    store_proof,
)
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, make_member_wallet
from wallets.ledger.models import Entry, PeriodClose
from wallets.ledger.periods import Period
from wallets.periods.services import (
    confirm_close,
    propose_close,
)

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def this_month() -> Period:
    return Period.month_of(timezone.now().date())


def rows_of(close: PeriodClose) -> list[list[str]]:
    _, *rows, last = csv.reader(bytes(close.csv).decode("utf-8-sig").splitlines())
    assert last[0] == (
        f"Complete: {len(rows)} rows, as of"
        f" {Period.month_of(close.month).ends:%Y-%m-%dT%H:%M:%S.000Z}"
    )
    return rows


def ledger_sums(kind: str, before: datetime) -> Decimal:
    """Return the sum of the entries of system accounts in KES of one kind, dated before."""
    rows = Entry.objects.filter(account__kind=kind, account__organisation=None, asset_id="KES")
    amounts = rows.filter(transfer__created_at__lt=before).values_list("amount")
    return sum((amount for (amount,) in amounts), Decimal(0))


def signed(debit: str, credit: str) -> Decimal:
    return Decimal(credit or 0) - Decimal(debit or 0)


# --- the figures ---


def test_a_clock_that_is_behind_dates_nothing_into_a_closed_month():
    wallet = make_member_wallet(100)
    # As if the month had been closed before the clock went back.
    close_unchecked(this_month())
    with (
        assert_no_table_changes(),
        pytest.raises(OperationalError, match="closed month: check the clock of the server"),
        transaction.atomic(),
    ):
        wallet.fund(5)


@pytest.mark.django_db(transaction=True)
def test_a_request_that_a_clock_dates_into_a_closed_month_can_be_repeated():
    caller = make_caller()
    Wallet(caller.organisation).fund(100)
    member = make_member(caller.organisation)
    close = close_unchecked(this_month())
    body = {
        "from": {"wallet": "organisation"},
        "to": {"user_id": str(member.id)},
        "amount": 5,
        "currency": "KES",
    }
    with assert_nothing_changes():
        refused = caller.post("/v1/api/transfers", body, Idempotency_Key="one")
    assert_error(refused, 503, "not_ready")
    assert refused.headers["Retry-After"] == "1"
    # The clock is right again.
    with without_guards():
        PeriodClose.objects.filter(pk=close.pk).delete()
    assert caller.post("/v1/api/transfers", body, Idempotency_Key="one").status_code == 201
    assert balance_of(member.id, "KES") == 5


@pytest.mark.parametrize("status", ["Pending", "Rejected"])
def test_a_month_that_is_not_closed_takes_transfers(status):
    wallet = make_member_wallet(100)
    close = close_unchecked(this_month())
    with without_guards():
        PeriodClose.objects.filter(pk=close.pk).update(status=status)
    wallet.fund(5)
    assert wallet.balance() == 105


def test_the_month_after_a_closed_one_takes_transfers():
    close_unchecked(this_month().previous)
    assert make_member_wallet(100).balance() == 100


def test_what_is_before_a_closed_month_is_closed_too():
    wallet = make_member_wallet(100)
    close_unchecked(Period.month_of(this_month().last + timedelta(days=1)))
    with pytest.raises(OperationalError, match="closed month"), transaction.atomic():
        wallet.fund(5)


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_began_before_the_close_dates_nothing_into_it():
    wallet = make_member_wallet(100)

    def post_late() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            # It has a snapshot and an id.
            cursor.execute("SELECT txid_current()")
            start_call(partial(close_unchecked, this_month())).result(60)
            wallet.fund(5)

    with pytest.raises(OperationalError, match="closed month"):
        post_late()
    assert wallet.balance() == 100


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_a_close_waits_for_who_posts_and_who_posts_waits_for_a_close():
    store_proof()
    wallet = make_member_wallet(100)
    date_transfers([MONTH.begins])
    proposed, person = propose_close(month=MONTH.first, user=closer()), closer()
    with transaction.atomic():
        wallet.fund(5)
        # Longer than it waits.
        with pytest.raises(StateConflict, match="Transfers are being posted"):
            start_call(partial(confirm_close, close_id=proposed.pk, user=person)).result(60)
    with transaction.atomic():
        confirm_close(close_id=proposed.pk, user=person)
        late = start_call(partial(wallet.fund, 5))
        wait_until(is_waiting, "the posting waits for the close")
    late.result(60)
    assert wallet.balance() == 110
    assert_books_hold()


def is_waiting() -> bool:
    """Return whether a session of this database waits for an advisory lock."""
    with session("owner") as watch:
        row = watch.execute(
            "SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE NOT l.granted AND l.locktype = 'advisory' AND d.datname = current_database())"
        ).fetchone()
    assert row is not None
    return bool(row[0])


@pytest.mark.django_db(transaction=True)
def test_of_two_confirmations_at_once_one_closes():
    store_proof()
    make_member_wallet(100)
    date_transfers([MONTH.begins])
    proposed = propose_close(month=MONTH.first, user=closer())
    calls = [
        start_call(partial(confirm_close, close_id=proposed.pk, user=person))
        for person in (closer(), closer())
    ]
    results = []
    for call in calls:
        try:
            results.append(call.result(60).status)
        except StateConflict as error:
            results.append(error.message.partition(" by ")[0])
    assert sorted(results) == ["Already approved", "Approved"]
