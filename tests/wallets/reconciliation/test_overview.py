"""What finance sees first of reconciliation: what counts, and in which order."""

from dataclasses import astuple
from datetime import UTC, date, datetime, time, timedelta

import pytest

from tests.environment.owner import without_guards
from tests.factories.bare_rows import insert_row
from tests.factories.wallets import SYSTEM, make_staff
from wallets.reconciliation.models import (
    LineKind,
    Reconciliation,
    ReconciliationBreak,
    ReconciliationLine,
)
from wallets.reconciliation.selectors import overview as selectors_overview
from wallets.reconciliation.selectors.overview import OpenBreaks

pytestmark = pytest.mark.django_db

DAY = date(2026, 3, 10)


def report(
    status: str = "Differs", day: date = DAY, *, over: bool = True, hour: int = 12
) -> Reconciliation:
    """Store a report of `day`, requested on the next day at that hour, or on the same."""
    asked = datetime.combine(day, time(hour), UTC) + timedelta(days=over)
    with without_guards():
        return Reconciliation.objects.create(
            day=day,
            status=status,
            requested_by=str(SYSTEM),
            requested_by_label=SYSTEM.label,
            created_at=asked,
        )


def test_the_last_comparison_is_the_newest_of_the_latest_day_that_was_over_and_compared():
    assert selectors_overview.latest_report() is None
    tomorrow, later = DAY + timedelta(days=1), DAY + timedelta(days=2)
    report("Waiting", later)
    report("Running", tomorrow)
    report("Matched", later, over=False)
    assert selectors_overview.latest_report() is None
    for hour, status in enumerate(("Incomplete", "Differs", "Matched")):
        newest = report(status, hour=hour)
        assert selectors_overview.latest_report() == newest, status
    report("Matched", DAY - timedelta(days=1))
    assert selectors_overview.latest_report() == newest


def test_open_breaks_are_counted_by_day_with_explained_and_assigned_ones():
    yesterday = DAY - timedelta(days=1)
    with without_guards() as cursor:
        for day, status, owner in (
            (yesterday, "Open", None),
            (DAY, "Open", make_staff().pk),
            (DAY, "Explained", None),
            (DAY, "Open", None),
            (DAY, "Closed", None),
            (DAY - timedelta(days=2), "Closed", None),
        ):
            insert_row(
                cursor, ReconciliationBreak, day=day, status=status, owner_id=owner, kind="Fee"
            )
    assert selectors_overview.open_breaks_by_day() == [
        OpenBreaks(DAY, count=3, explained=1, owned=1),
        OpenBreaks(yesterday, count=1, explained=0, owned=0),
    ]


def lines_of(made: Reconciliation, *lines: tuple[LineKind, str, int | None, int | None]) -> None:
    """The lines of a report: kind, currency, our amount, theirs."""
    ReconciliationLine.objects.bulk_create(
        ReconciliationLine(
            report=made, position=position, is_difference=False, kind=kind, currency_id=currency,
            our_amount=ours, their_amount=theirs,
        )
        for position, (kind, currency, ours, theirs) in enumerate(lines)
    )  # fmt: skip


def test_the_float_of_each_currency_is_read_from_the_lines_of_its_report():
    made = report()
    lines_of(
        made,
        (LineKind.UNEXPLAINED, "NGN", 60, 70),
        (LineKind.VARIANCE, "NGN", 60, 70),
        (LineKind.IN_TRANSIT, "NGN", None, -30),
        (LineKind.BALANCE, "NGN", 1000, 1040),
        (LineKind.DEPOSITS, "NGN", 1, None),
        (LineKind.BALANCE, "GHS", 5, 6),
        (LineKind.BALANCE, "KES", 7, 8),
        (LineKind.VARIANCE, "KES", None, 9),
        (LineKind.BALANCE, "ZAR", 1, 2),
        (LineKind.VARIANCE, "ZAR", 3, None),
        (LineKind.IN_TRANSIT, "UGX", 1, 1),
    )
    lines_of(report("Matched"), (LineKind.BALANCE, "TZS", 1, 1), (LineKind.BALANCE, "GHS", 9, 9))
    lines_of(
        report("Matched"), (LineKind.IN_TRANSIT, "GHS", 1, 1), (LineKind.VARIANCE, "GHS", 9, 9)
    )
    assert [
        (*astuple(found), found.unexplained) for found in selectors_overview.float_positions(made)
    ] == [
        ("NGN", 1040, 1000, -30, 70, 60, 10),
        ("GHS", 6, 5, None, None, None, None),
        ("KES", 8, 7, None, 9, 0, 9),
        ("ZAR", 2, 1, None, None, 3, None),
    ]
    assert selectors_overview.float_positions(report("Incomplete")) == []


@pytest.mark.parametrize("model", [ReconciliationLine, ReconciliationBreak])
def test_a_difference_is_called_by_its_kind_and_reference_or_currency(model):
    for reference, currency, called in (
        ("payout_a", "KES", "Amount payout_a"),
        ("payout_a", None, "Amount payout_a"),
        ("", "KES", "Amount KES"),
        ("", None, "Amount"),
    ):
        found = model(kind=LineKind.AMOUNT, reference=reference, currency_id=currency)
        assert str(found) == called
