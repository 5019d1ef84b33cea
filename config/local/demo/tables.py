"""The tables of the demo data: CSV files in this folder, and their amounts per currency."""

import csv
from decimal import Decimal
from pathlib import Path


def read_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of `name`.csv."""
    path = Path(__file__).with_name(f"{name}.csv")
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_amounts(column: str) -> dict[str, Decimal]:
    """Return a column of `currencies.csv` by currency."""
    return {row["currency"]: Decimal(row[column]) for row in read_rows("currencies")}
