"""The schedule of a token: its interest periods, derived from its terms alone.

Pure functions: they read neither the database nor the clock. Days are dates in UTC. A period ends
at 00:00 UTC of its end, which is the record of its payment.
"""

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import takewhile

from dateutil.relativedelta import relativedelta

from exchange.tokens.models import PayoutFrequency

# Day count ACT/365: actual days over a year of 365.
YEAR = 365
DAY_COUNT = f"ACT/{YEAR}"
# Decimals of an amount per unit, which is for reading: payments divide last.
UNIT_AMOUNT_DECIMALS = 12
# Periods that are listed ahead where a token has no maturity.
UPCOMING_PERIODS = 12
_MONTHS = {
    PayoutFrequency.MONTHLY: 1,
    PayoutFrequency.QUARTERLY: 3,
    PayoutFrequency.SEMI_ANNUALLY: 6,
    PayoutFrequency.ANNUALLY: 12,
}


@dataclass(frozen=True, slots=True)
class Terms:
    """What a schedule follows from. `interest` is percent a year, `tenor` days; 0: none."""

    issue_price: Decimal
    interest: Decimal
    tenor: int
    frequency: str
    completed: dt.date

    @property
    def maturity(self) -> dt.date | None:
        """The last day; None without a tenor, or where the calendar ends before it."""
        if 0 < self.tenor <= (dt.date.max - self.completed).days:
            return self.completed + dt.timedelta(days=self.tenor)
        return None


@dataclass(frozen=True, slots=True)
class Basis:
    """What the interest of a unit is computed from. `rate` is percent a year."""

    principal_per_unit: Decimal
    rate: Decimal
    days: int
    year: int = YEAR

    def gross(self, units: Decimal, decimals: int) -> Decimal:
        """Return the interest on `units` in a currency with `decimals`, rounded down.

        In minor units, the product of units, principal, rate and days, divided last by 100 times
        the year. The product is exact.
        """
        product = Fraction(units) * Fraction(self.principal_per_unit) * Fraction(self.rate)
        minor = math.floor(product * self.days * 10**decimals / (100 * self.year))
        # Not `scaleb`, which rounds to the precision of the context.
        return Decimal(f"{minor}E-{decimals}")

    @property
    def amount_per_unit(self) -> Decimal:
        """The interest on one unit, rounded down to 12 decimals; for reading."""
        return self.gross(Decimal(1), UNIT_AMOUNT_DECIMALS)


@dataclass(frozen=True, slots=True)
class PrincipalChange:
    """From `day` on, `principal_per_unit` is outstanding."""

    day: dt.date
    principal_per_unit: Decimal


@dataclass(frozen=True, slots=True)
class Period:
    """An interest period, numbered from 1: from `starts` to before `ends`, the record day."""

    number: int
    starts: dt.date
    ends: dt.date
    basis: Basis


def iterate_periods(terms: Terms, changes: Sequence[PrincipalChange] = ()) -> Iterator[Period]:
    """Return the periods in order; without a maturity they end with the calendar.

    Without interest or frequency there is none, and none once nothing is outstanding. `changes` are
    what repayments of principal left, oldest first. The interest of a period is on the principal
    outstanding at its start: a change at its end counts from the next one on.
    """
    if terms.interest <= 0:
        return
    starts = terms.completed
    for number, ends in enumerate(_period_ends(terms), 1):
        principal = _principal_on(starts, terms, changes)
        if principal <= 0:
            return
        basis = Basis(principal, terms.interest, (ends - starts).days)
        yield Period(number, starts, ends, basis)
        starts = ends


def is_period_end(terms: Terms, day: dt.date) -> bool:
    """Whether a period of the schedule ends on `day`; also where no interest is paid."""
    return day in takewhile(lambda end: end <= day, _period_ends(terms))


def list_periods(
    terms: Terms, today: dt.date, changes: Sequence[PrincipalChange] = ()
) -> list[Period]:
    """Return all periods; without a maturity those until `today` and the next 12."""
    periods = iterate_periods(terms, changes)
    if terms.maturity is not None:
        return list(periods)
    listed = []
    ahead = 0
    for period in periods:
        ahead += period.ends > today
        if ahead > UPCOMING_PERIODS:
            break
        listed.append(period)
    return listed


def _period_ends(terms: Terms) -> Iterator[dt.date]:
    """Return the ends: completion + k periods, counted from the completion, then the maturity."""
    maturity = terms.maturity
    months = _MONTHS.get(PayoutFrequency(terms.frequency))
    if months is not None:
        last = maturity or dt.date.max
        yield from takewhile(lambda end: end < last, _add_months(terms.completed, months))
    if maturity is not None and terms.frequency:
        yield maturity


def _add_months(start: dt.date, step: int) -> Iterator[dt.date]:
    """Return `start` plus multiples of `step` months, each clamped to the end of its month."""
    most = (dt.date.max.year - start.year) * 12 + dt.date.max.month - start.month
    for months in range(step, most + 1, step):
        yield start + relativedelta(months=months)


def _principal_on(day: dt.date, terms: Terms, changes: Sequence[PrincipalChange]) -> Decimal:
    """Return the principal of a unit that is outstanding from `day` on."""
    made = [change.principal_per_unit for change in changes if change.day <= day]
    return made[-1] if made else terms.issue_price
