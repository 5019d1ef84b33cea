"""The dates of loans: as JavaScript prints them, and months added at the end of a month."""

import json
import os
import subprocess
from datetime import UTC, date, datetime, time
from shutil import which

import pytest
from django.db import connection

from credit.loans.dates import add_months
from exchange.core.timestamps import javascript_time

MOMENTS = [
    datetime(2025, 7, 4, 7, 12, 11, 999_000, tzinfo=UTC),
    datetime(2024, 2, 29, 23, 30, 0, tzinfo=UTC),  # next day, and month, in Lagos
    datetime(2025, 12, 31, 23, 0, 0, tzinfo=UTC),  # next year in Lagos
    datetime(2027, 1, 1, 0, 0, 1, tzinfo=UTC),
]


def test_the_date_is_written_as_the_specification_shows_it():
    assert javascript_time(MOMENTS[0]) == (
        "Fri Jul 04 2025 08:12:11 GMT+0100 (West Africa Standard Time)"
    )


def test_the_database_writes_the_date_as_python_does(db):
    with connection.cursor() as cursor:
        for moment in MOMENTS:
            cursor.execute("SELECT javascript_time(%s)", [moment])
            assert cursor.fetchone()[0] == javascript_time(moment)


@pytest.mark.skipif(which("node") is None, reason="Node is absent")
def test_node_reads_the_date_back_and_prints_the_same_in_lagos():
    texts = [javascript_time(moment) for moment in MOMENTS]
    program = (
        "const t = JSON.parse(process.argv[1]);"
        "console.log(JSON.stringify(t.map(s => [new Date(s).getTime(), new Date(s).toString()])))"
    )
    done = subprocess.run(
        ["node", "-e", program, json.dumps(texts)],
        env={"TZ": "Africa/Lagos", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    for moment, text, (milliseconds, printed) in zip(
        MOMENTS, texts, json.loads(done.stdout), strict=True
    ):
        assert milliseconds == int(moment.timestamp()) * 1000
        # The name in parentheses is the specification's; CLDR 48 and newer say West Africa Time.
        assert printed.replace("West Africa Time", "West Africa Standard Time") == text


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        ((2025, 1, 31), 1, (2025, 2, 28)),
        ((2024, 1, 31), 1, (2024, 2, 29)),
        ((2024, 2, 29), 12, (2025, 2, 28)),
        ((2025, 10, 31), 4, (2026, 2, 28)),
        ((2025, 12, 15), 1, (2026, 1, 15)),
    ],
)
def test_the_end_of_a_month_clamps(start, months, end):
    noon = time(12, tzinfo=UTC)
    added = add_months(datetime.combine(date(*start), noon), months)
    assert added == datetime.combine(date(*end), noon)
