"""What is due is judged by the clock: a transaction may have waited for a lock since it began.

Each transaction here begins, and another commits before it acts: `now()` is still its beginning.
What commands lock is here too.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from exchange.core.database import violated_constraint
from exchange.participants.models import Member
from orders.book.models import Order, Trade
from tests.environment.concurrency import start_call
from tests.environment.database import Connection
from tests.environment.row_locks import locked_rows
from tests.factories.configuration import set_setting
from tests.factories.conversions import convert_quote, quote, set_rates
from tests.factories.plain_sql import Books, books
from tests.factories.traders import make_trader
from tests.factories.wallets import (
    SYSTEM,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_member_wallet,
    make_wallet,
    store_bank_list,
)
from tests.wallets.ledger.test_approval_requirement import ASKED, totals_with, withdrawal
from wallets.conversions.errors import QuoteExpired, QuoteReplaced
from wallets.conversions.models import Conversion
from wallets.deposits.services.manual import IncomingPayment, book_deposit
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import circuit
from wallets.payouts.services.holds import hold_payouts
from wallets.withdrawals.models import Payout, Withdrawal
from wallets.withdrawals.selectors.approvals import approval_requirement

__all__ = ["books"]
pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def waiting(meanwhile: Callable[[], object]) -> Iterator[None]:
    """Open a transaction, and do something in another one that commits first."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        start_call(meanwhile).result()
        yield


def past_guards(owner: Connection, statement: str) -> None:
    with owner.transaction():
        owner.execute("SET LOCAL session_replication_role = replica")
        assert owner.execute(statement).rowcount == 1


@pytest.fixture
def wallet() -> Wallet:
    set_rates()
    return make_member_wallet(3000, currency="NGN")


@pytest.fixture
def payout() -> Withdrawal:
    store_bank_list()
    return make_approved_withdrawal(make_wallet(1000))


def test_a_quote_lives_from_when_it_is_made(wallet):
    with waiting(lambda: None), connection.cursor() as cursor:
        made = quote(wallet, 1500)["quote_id"]
        cursor.execute(
            "SELECT now() < created_at, expires_at - created_at = interval '60 seconds'"
            " FROM wallets_conversionquote WHERE id = %s",
            [made],
        )
        assert cursor.fetchone() == (True, True)


def test_a_quote_that_expires_while_its_conversion_waits_is_not_used(wallet, owner_connection):
    quoted = quote(wallet, 1500)["quote_id"]
    expire = "UPDATE wallets_conversionquote SET expires_at = clock_timestamp()"
    with waiting(lambda: past_guards(owner_connection, expire)), pytest.raises(QuoteExpired):
        convert_quote(wallet, quoted)
    assert not Conversion.objects.exists()
    assert wallet.balance(currency="NGN") == 3000
    assert_books_hold()


def test_a_rate_that_is_replaced_while_the_conversion_waits_is_not_used(wallet):
    quoted = quote(wallet, 1500)["quote_id"]
    with waiting(lambda: set_setting("NGN_USD_RATE", 1600)), pytest.raises(QuoteReplaced):
        convert_quote(wallet, quoted)
    assert not Conversion.objects.exists()
    assert wallet.balance(currency="NGN") == 3000


def test_an_order_that_trades_while_its_cancellation_waits_is_closed_after_the_trade():
    buyer, seller = make_trader(1000), make_trader()
    token = seller.issue()
    order = buyer.place(token, "Buy", 98, 5)
    with waiting(lambda: seller.place(token, "Sell", 98, 2)):
        buyer.cancel(order)
    [trade], closed = Trade.objects.all(), Order.objects.get(pk=order)
    assert (closed.status, closed.filled) == ("Cancelled", Decimal(2))
    assert closed.closed_at is not None
    assert closed.closed_at > trade.created_at


def post(withdrawal: Withdrawal) -> str | None:
    """Mark the payout for posting, as a worker does; return the rule that refuses it."""
    try:
        with transaction.atomic():
            Payout.objects.filter(pk=withdrawal.pk).update(posted_at=timezone.now())
    except IntegrityError as error:
        return violated_constraint(error)
    return ""


def test_a_worker_that_waits_for_a_hold_sees_it(payout):
    with waiting(lambda: hold_payouts(reason="Suspected fraud")):
        assert post(payout) == "payout_circuit_open"
        assert not circuit.acquire_permit(payout.pk)
    assert Payout.objects.get(pk=payout.pk).posted_at is None


def test_a_hold_waits_for_marks_that_are_under_way(payout):
    """And they for it: both lock the circuit."""
    assert locked_rows(lambda: hold_payouts(reason="Suspected fraud"), [PayoutCircuit])[0] == {1}


def test_a_deposit_by_the_command_keeps_its_member_open(wallet):
    """A closing of the member waits for it."""
    payment = IncomingPayment(wallet.organisation.id, wallet.member_id, "KES", Decimal(5), "BANK-1")
    act = partial(book_deposit, payment=payment, actor=SYSTEM, announce=True)
    assert locked_rows(act, [Member]) == ({wallet.member_id}, set())


def test_a_trial_that_ends_while_its_worker_waits_is_not_posted(payout, owner_connection):
    def try_until(moment: str) -> None:
        past_guards(
            owner_connection,
            "UPDATE wallets_payoutcircuit SET state = 'Half-open', opened_at = now(),"
            f" next_probe_at = now(), trial_id = '{payout.pk}', trial_until = {moment}",
        )

    with waiting(lambda: try_until("clock_timestamp()")):
        assert post(payout) == "payout_circuit_open"
    with waiting(lambda: try_until("clock_timestamp() + interval '1 minute'")):
        assert post(payout) == ""


def test_a_threshold_that_is_lowered_while_the_decision_waits_holds(payout):
    with waiting(lambda: set_setting("SECOND_APPROVAL_ABOVE_KES", 7)):
        found = approval_requirement(payout.pk)
    assert (found.second_above, found.needed) == (Decimal(7), 2)


DAY = "interval '24 hours'"


def test_a_payout_that_gets_a_day_old_while_the_decision_waits_does_not_count(books: Books):
    """The transaction of `books` began before."""
    long_ago = f"{ASKED} - interval '9 days'"
    for settled, total in (
        (f"clock_timestamp() - {DAY}", 100),
        (f"clock_timestamp() - {DAY} + interval '1 minute'", 107),
    ):
        found = totals_with(books, status="Completed", asked=long_ago, settled=settled)
        assert (settled, found[1]) == (settled, total)


def test_a_sole_approval_that_gets_a_day_old_while_the_decision_waits_does_not_count(books: Books):
    person, wanted = books.value("SELECT gen_random_uuid()"), withdrawal(books, 100)
    for moment, total in (
        (f"clock_timestamp() - {DAY}", 0),
        (f"clock_timestamp() - {DAY} + interval '1 minute'", 7),
    ):
        withdrawal(
            books, 7, status="Approved", first_approver_id=person,
            actioned_on=books.value(f"SELECT {moment}"),
        )  # fmt: skip
        [(found,)] = books.rows("SELECT total FROM sole_approvals(%s, %s)", [person, wanted])
        assert (moment, found) == (moment, total)
