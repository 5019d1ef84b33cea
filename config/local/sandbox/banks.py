"""Banks of the six payout countries, for the sandbox only: the rows of `banks.csv`.

Names are those of licensed banks. Codes are those of each country's clearing (NG, KE, ZA, GH) or
the bank's BIC (UG, TZ). Bank ids and branch numbers are the sandbox's own.
"""

import csv
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

# Each bank has a branch per town where the country's transfers name one.
_TOWNS = {
    "GH": ("Accra Main", "Kumasi Adum", "Takoradi Harbour", "Tamale Central"),
    "UG": ("Kampala Main", "Entebbe Road", "Jinja", "Mbarara"),
    "TZ": ("Dar es Salaam Main", "Arusha", "Mwanza", "Dodoma"),
}


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch; `code` is unique within its bank."""

    id: int
    code: str
    name: str


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank; `id` is unique among all countries, `code` within one."""

    id: int
    code: str
    name: str
    swift_code: str
    branches: tuple[Branch, ...]


def _read_banks() -> dict[str, tuple[Bank, ...]]:
    with Path(__file__).with_name("banks.csv").open(newline="", encoding="utf-8") as file:
        return {
            country: tuple(_bank(number, row) for number, row in enumerate(rows, start=1))
            for country, rows in groupby(csv.DictReader(file), key=lambda row: row["country"])
        }


def _bank(number: int, row: dict[str, str]) -> Bank:
    """Return the bank of a row, the `number`th of its country."""
    bank_id, country, code, name = int(row["id"]), row["country"], row["code"], row["name"]
    return Bank(
        id=bank_id,
        code=code,
        name=name,
        swift_code=code if len(code) in {8, 11} and code.isalpha() else "",
        branches=tuple(
            Branch(
                id=bank_id * 100 + branch,
                code=f"{country}{number:02d}{branch:04d}",
                name=f"{name}, {town}",
            )
            for branch, town in enumerate(_TOWNS.get(country, ()), start=1)
        ),
    )


BANKS_OF_COUNTRY = _read_banks()
_BANK_OF_CODE = {
    (country, bank.code): bank for country, banks in BANKS_OF_COUNTRY.items() for bank in banks
}
_BANK_OF_ID = {bank.id: bank for bank in _BANK_OF_CODE.values()}


def bank_by_code(country: str, code: str) -> Bank | None:
    """Return the bank of a country with this code."""
    return _BANK_OF_CODE.get((country, code))


def bank_by_id(bank_id: int) -> Bank | None:
    """Return the bank with this id, in any country."""
    return _BANK_OF_ID.get(bank_id)
