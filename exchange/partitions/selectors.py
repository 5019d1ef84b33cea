"""Reads of the partitions of the database."""

from dataclasses import dataclass
from datetime import date

from django.db import DEFAULT_DB_ALIAS

from exchange.core.database import fetch_all
from exchange.core.models import current_month

_PARTITIONS = "SELECT parent, partition, starts, ends FROM month_partitions()"


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition with the months from `starts` until before `ends`; None is open."""

    table: str
    name: str
    starts: date | None
    ends: date | None


def get_partitions(table: str | None = None, *, using: str = DEFAULT_DB_ALIAS) -> list[Partition]:
    """Return the partitions of `table`, or of all tables, each table's oldest first."""
    found = [Partition(*row) for row in fetch_all(_PARTITIONS, using=using)]
    return [partition for partition in found if table in (None, partition.table)]


def count_months_ahead() -> dict[str, int]:
    """Return the number of months after this one that have a partition, by table."""
    month = current_month()
    return {
        last.table: (last.starts.year - month.year) * 12 + last.starts.month - month.month - 1
        for last in get_partitions()
        if last.ends is None and last.starts is not None
    }
