"""Schedules: period ends, interest, and 500 random terms against an independent calculation."""

import calendar
import datetime as dt
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from credit.distributions.schedule import (
    Basis,
    PrincipalChange,
    Terms,
    iterate_periods,
    list_periods,
)
from tests.environment.property_tests import examples

D = Decimal
TODAY = dt.date(2026, 1, 15)


def terms(completed: str = "2025-01-31", **changes: object) -> Terms:
    values = {"issue_price": D(100), "interest": D(12), "tenor": 365, "frequency": "Monthly"}
    return Terms(completed=dt.date.fromisoformat(completed), **(values | changes))  # type: ignore[arg-type]


def ends(found: Terms) -> list[str]:
    return [str(period.ends) for period in list_periods(found, TODAY)]


def test_the_31st_is_clamped_and_is_the_31st_again():
    assert ends(terms(tenor=181)) == [
        *("2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31", "2025-06-30", "2025-07-31")
    ]


def test_a_period_ends_on_the_29th_of_february_of_a_leap_year_only():
    assert ends(terms("2024-02-29", frequency="Annually", tenor=4 * 365 + 1)) == [
        *("2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29")
    ]
    assert ends(terms("2023-08-31", frequency="Semi-Annually", tenor=366)) == [
        *("2024-02-29", "2024-08-31")
    ]


def test_the_last_period_ends_at_maturity():
    found = list_periods(terms("2025-01-15", frequency="Quarterly", tenor=100), TODAY)
    assert [(each.number, str(each.starts), str(each.ends), each.basis.days) for each in found] == [
        (1, "2025-01-15", "2025-04-15", 90),
        (2, "2025-04-15", "2025-04-25", 10),
    ]


@pytest.mark.parametrize("tenor", [1, 30])
def test_a_tenor_within_the_first_period_makes_one_period(tenor):
    [period] = list_periods(terms("2025-01-01", tenor=tenor), TODAY)
    assert period.basis.days == tenor


def test_interest_at_maturity_has_one_period():
    [period] = list_periods(terms(frequency="At Maturity", tenor=730), TODAY)
    assert (str(period.starts), str(period.ends)) == ("2025-01-31", "2027-01-31")
    assert period.basis.amount_per_unit == 24


@pytest.mark.parametrize(
    "changes",
    [
        {"frequency": ""},
        {"interest": D(0)},
        {"frequency": "At Maturity", "tenor": 0},
        {"issue_price": D(0)},
    ],
)
def test_without_frequency_interest_end_or_principal_there_is_no_period(changes):
    assert list_periods(terms(**changes), TODAY) == []


def test_without_a_tenor_twelve_periods_are_listed_ahead():
    found = list_periods(terms("2025-01-31", tenor=0), TODAY)
    assert [str(each.ends) for each in found[:12:11]] == ["2025-02-28", "2026-01-31"]
    assert [each.number for each in found if each.ends > TODAY] == list(range(12, 24))
    assert len(found) == 23
    # One that ends today has ended.
    assert len(list_periods(terms("2025-01-31", tenor=0), dt.date(2026, 1, 31))) == 24


@pytest.mark.parametrize("tenor", [0, 2**31 - 1])
def test_an_endless_schedule_ends_with_the_calendar(tenor):
    found = terms("9998-06-30", tenor=tenor, frequency="Annually")
    assert found.maturity is None
    assert [str(each.ends) for each in iterate_periods(found)] == ["9999-06-30"]
    assert [str(each.ends) for each in list_periods(found, TODAY)] == ["9999-06-30"]


def test_the_months_of_the_calendar_are_used_up():
    found = terms("9999-10-15", tenor=0)
    assert [str(each.ends) for each in iterate_periods(found)] == ["9999-11-15", "9999-12-15"]


def test_less_than_a_unit_of_principal_bears_interest():
    found = list_periods(terms(issue_price=D("0.5"), tenor=59), TODAY)
    assert [each.basis.principal_per_unit for each in found] == [D("0.5"), D("0.5")]


def test_interest_is_divided_last_and_rounded_down():
    # The interest of a unit is 0.0273…: of three 0.0821…, not three times 0.02.
    basis = Basis(D(100), D(10), 1)
    assert basis.gross(D(3), 2) == D("0.08")
    assert basis.gross(D(1), 2) == D("0.02")
    assert basis.gross(D(3), 0) == 0
    assert basis.amount_per_unit == D("0.027397260273")
    # Of a year exactly a tenth, of which nothing is lost.
    assert Basis(D(100), D(10), 365).gross(D(1), 2) == D("10.00")
    assert str(Basis(D("0.07"), D("0.01"), 365).gross(D(100_000), 2)) == "0.70"


def test_the_largest_numbers_lose_no_digit():
    units, price = D("9" * 22 + "." + "9" * 8), D("9" * 22)
    exact = (10**30 - 1) * (10**22 - 1) * 365 * 100 // (100 * 365)
    assert Basis(price, D(100), 365).gross(units, 8) == D(f"{exact}E-8")


def test_a_repayment_of_principal_counts_from_the_next_period():
    changes = [
        PrincipalChange(dt.date(2025, 2, 28), D(60)),
        PrincipalChange(dt.date(2025, 4, 30), D(20)),
    ]
    found = list_periods(terms(tenor=150), TODAY, changes)
    assert [each.basis.principal_per_unit for each in found] == [100, 60, 60, 20, 20]
    assert [each.basis.days for each in found] == [28, 31, 30, 31, 30]


def test_a_repayment_of_all_principal_ends_the_schedule():
    change = PrincipalChange(dt.date(2025, 3, 31), D(0))
    assert [str(each.ends) for each in iterate_periods(terms(), [change])] == [
        *("2025-02-28", "2025-03-31")
    ]


# --- an independent calculation -------------------------------------------------------------------


STEPS = {"Monthly": 1, "Quarterly": 3, "Semi-Annually": 6, "Annually": 12, "At Maturity": None}


def walk_days(found: Terms, days: int) -> list[dt.date]:
    """Return the ends within `days`, found by looking at every day after the completion."""
    start, step, all_ends = found.completed, STEPS.get(found.frequency), []
    for count in range(1, days + 1):
        day = start + dt.timedelta(days=count)
        apart = day.year * 12 + day.month - start.year * 12 - start.month
        wanted = min(start.day, calendar.monthrange(day.year, day.month)[1])
        regular = step is not None and apart > 0 and apart % step == 0 and day.day == wanted
        if found.frequency and (regular or count == found.tenor):
            all_ends.append(day)
    return all_ends


def scaled(number: Decimal, decimals: int) -> int:
    whole, _, fraction = f"{number:f}".partition(".")
    return int(whole + fraction.ljust(decimals, "0"))


TERMS = st.builds(
    Terms,
    issue_price=st.decimals(D("0.00000001"), D(10**9), places=8),
    interest=st.decimals(D(0), D(100), places=4),
    tenor=st.one_of(st.just(0), st.integers(1, 4_000), st.sampled_from([28, 31, 365, 366, 1461])),
    frequency=st.sampled_from(["", *STEPS]),
    completed=st.one_of(
        st.dates(dt.date(1990, 1, 1), dt.date(2090, 12, 31)),
        st.builds(dt.date, st.integers(1996, 2104), st.just(1), st.integers(28, 31)),
        st.sampled_from([dt.date(2024, 2, 29), dt.date(2023, 12, 31), dt.date(2025, 8, 31)]),
    ),
)


@examples("SCHEDULE", 500)
@given(
    terms=TERMS,
    units=st.decimals(D("0.00000001"), D(10**12), places=8),
    decimals=st.sampled_from([0, 2, 3]),
)
def test_random_terms_equal_an_independent_calculation(terms, units, decimals):
    days = terms.tenor or 2_000
    expected = walk_days(terms, days) if terms.interest else []
    horizon = terms.completed + dt.timedelta(days=days)
    found = []
    for period in iterate_periods(terms):
        if period.ends > horizon:
            break
        found.append(period)
    assert [each.ends for each in found] == expected
    assert [each.number for each in found] == list(range(1, len(found) + 1))
    for one, other in pairwise(found):
        assert other.starts == one.ends
    if found:
        assert found[0].starts == terms.completed
    if found and terms.tenor:
        assert sum(each.basis.days for each in found) == terms.tenor
        assert list_periods(terms, TODAY) == found
    for period in found[:3]:
        product = scaled(units, 8) * scaled(terms.issue_price, 8) * scaled(terms.interest, 4)
        product *= (period.ends - period.starts).days * 10**decimals
        gross = period.basis.gross(units, decimals)
        assert scaled(gross, decimals) == product // (100 * 365 * 10**20)
        per_unit = scaled(terms.issue_price, 8) * scaled(terms.interest, 4) * period.basis.days
        assert period.basis.amount_per_unit == D(f"{per_unit // 36500}E-12")
