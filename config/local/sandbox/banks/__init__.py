"""Banks of the six payout countries, for the sandbox only: one module per country.

Names are those of licensed banks. Codes are those of each country's clearing (NG, KE, ZA, GH) or
the bank's BIC (UG, TZ). Bank ids and branch numbers are the sandbox's own.
"""

from config.local.sandbox.banks import ghana, kenya, nigeria, south_africa, tanzania, uganda
from config.local.sandbox.banks.entry import Bank, Branch

BANKS_OF_COUNTRY: dict[str, tuple[Bank, ...]] = {
    "NG": nigeria.BANKS,
    "KE": kenya.BANKS,
    "GH": ghana.BANKS,
    "ZA": south_africa.BANKS,
    "UG": uganda.BANKS,
    "TZ": tanzania.BANKS,
}
_BANK_OF_CODE = {
    country: {bank.code: bank for bank in banks} for country, banks in BANKS_OF_COUNTRY.items()
}
_BANK_OF_ID = {bank.id: bank for banks in BANKS_OF_COUNTRY.values() for bank in banks}


def bank_by_code(country: str, code: str) -> Bank | None:
    """Return the bank of a country with this code."""
    return _BANK_OF_CODE.get(country, {}).get(code)


def bank_by_id(bank_id: int) -> Bank | None:
    """Return the bank with this id, in any country."""
    return _BANK_OF_ID.get(bank_id)


__all__ = ["BANKS_OF_COUNTRY", "Bank", "Branch", "bank_by_code", "bank_by_id"]
