"""Explained breaks that are booked: the variance falls, and no report takes that for a break."""

from decimal import Decimal

import pytest

from tests.factories.adjustments import adjust, break_terms, entry_terms
from tests.factories.treasury import system_balance
from tests.factories.wallets import assert_books_hold, make_member_wallet, store_bank_list
from tests.wallets.reconciliation.harness import (
    breaks,
    close,
    compare,
    differences_of,
    gap_of,
    total_line,
    unexplained,
)
from wallets.reconciliation.models import LineKind, ReconciliationBreak
from wallets.reconciliation.selectors.movements import last_variance
from wallets.reconciliation.selectors.overview import float_positions

pytestmark = pytest.mark.django_db

LOST, ZERO = Decimal("250000.55"), Decimal(0)


@pytest.fixture
def lost(sandbox) -> ReconciliationBreak:
    """A break of -250,000.55 NGN that two people explained."""
    store_bank_list()
    sandbox.store.set_float("NGN", Decimal(1_000_000))
    make_member_wallet(1_000_000, currency="NGN")
    compare()
    sandbox.store.set_float("NGN", Decimal("749999.45"))
    compare()
    found = ReconciliationBreak.objects.get()
    close(found)
    found.refresh_from_db()
    return found


def test_a_booked_break_is_no_variance_any_more(sandbox, lost):
    report = compare()
    [position] = [each for each in float_positions(report) if each.currency == "NGN"]
    assert (position.variance, position.unexplained) == (-LOST, ZERO)
    adjust(break_terms(lost, LOST))
    assert system_balance("clearing", "NGN") == Decimal("-749999.45")
    for _ in range(2):
        report = compare()
        assert (report.status, gap_of(report)) == ("Matched", (Decimal(0), Decimal(0)))
        assert total_line(report, LineKind.BOOKED, "NGN")[1] == LOST
        [position] = [each for each in float_positions(report) if each.currency == "NGN"]
        assert (position.clearing, position.unexplained) == (Decimal("749999.45"), ZERO)
    assert breaks() == [("Unexplained variance", "-250000.55", "Closed", True)]
    last = last_variance("NGN")
    assert last is not None
    assert last.adjusted == LOST
    # What moves afterwards is a break of its own.
    sandbox.store.set_float("NGN", Decimal("750000.45"))
    report = compare()
    assert differences_of(report) == [unexplained("1.00")]
    # What was found is shown against what was expected, booked entries counted.
    newest = ReconciliationBreak.objects.order_by("-pk").first()
    assert newest is not None
    one = Decimal(1)
    assert (newest.our_amount, newest.their_amount, newest.difference) == (ZERO, one, one)
    assert_books_hold()


def test_what_is_booked_of_a_break_in_part_leaves_the_rest_explained(sandbox, lost):
    adjust(break_terms(lost, 50_000))
    report = compare()
    assert (report.status, gap_of(report)) == ("Matched", (50_000 - LOST, 50_000 - LOST))
    adjust(break_terms(lost, LOST - 50_000, account="treasury"))
    # A loss in the same interval is the only break of it.
    sandbox.store.set_float("NGN", Decimal("749992.45"))
    assert differences_of(compare()) == [unexplained("-7.00")]
    assert total_line(compare(), LineKind.BOOKED, "NGN")[1] == LOST


def test_a_surplus_that_is_booked_as_income_is_no_variance_either(sandbox):
    store_bank_list()
    sandbox.store.set_float("NGN", Decimal(40))
    compare()
    found = ReconciliationBreak.objects.get()
    assert found.difference == 40
    close(found)
    found.refresh_from_db()
    adjust(break_terms(found, 40))
    report = compare()
    assert (report.status, gap_of(report)) == ("Matched", (Decimal(0), Decimal(0)))
    assert total_line(report, LineKind.BOOKED, "NGN")[1] == -40


def test_a_charge_that_is_booked_as_it_is_taken_is_no_break(sandbox, lost):
    compare()
    adjust(entry_terms(100, currency="NGN"))
    sandbox.store.set_float("NGN", Decimal("749899.45"))
    report = compare()
    assert (report.status, gap_of(report)) == ("Matched", (-LOST, -LOST))
    assert not report.lines.filter(kind=LineKind.BOOKED).exists()


def test_a_correction_without_a_break_is_one_unless_the_provider_moved(sandbox, lost):
    adjust(entry_terms(100, currency="NGN", kind="correction"))
    assert differences_of(compare()) == [unexplained("100.00")]
