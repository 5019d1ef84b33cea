"""The rates of the day: several currencies at once, proposed by one person, approved by another.

Each rate is a settings change of its own; those proposed together are approved together, or none.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from decimal import Decimal
from uuid import UUID

from django.db import transaction

from exchange.core.currencies import payout_currencies
from exchange.core.errors import InvalidRequest, StateConflict
from exchange.core.numbers import parse_typed_number
from exchange.staff.models import StaffUser
from exchange.staff.plausibility import find_notices
from wallets.fees import services
from wallets.fees.models import SettingChange, SettingChangeStatus

HEADINGS = ("currency", "rate")
_MAX_BYTES = 10_000


def key_of(currency: str) -> str:
    """Return the setting of a currency's rate, in units per USD."""
    return f"{currency}_USD_RATE"


def pending_rates() -> list[SettingChange]:
    """Return the rates that await approval, by currency."""
    keys = [key_of(currency) for currency in payout_currencies()]
    rows = SettingChange.objects.filter(
        configuration__in=keys, status=SettingChangeStatus.PENDING
    ).select_related("proposed_by", "configuration")
    return sorted(rows, key=lambda change: keys.index(change.configuration_id))


def find_rate_notices(rates: Mapping[str, Decimal]) -> list[str]:
    """Return what is beyond its band."""
    numbers = [services.compare(key_of(currency), rate) for currency, rate in rates.items()]
    return find_notices(number for each in numbers for number in each)


def propose_rates(
    *, rates: Mapping[str, Decimal], reason: str, user: StaffUser
) -> list[SettingChange]:
    """Propose the rates by currency; all or none.

    Raises as `services.propose`, and `InvalidRequest` without a rate.
    """
    if not rates:
        raise InvalidRequest("Enter at least one rate")
    with transaction.atomic():
        return [
            services.propose(key=key_of(currency), value=rate, reason=reason, user=user)
            for currency, rate in rates.items()
        ]


def approve_rates(
    *, seen: Mapping[UUID, Decimal], user: StaffUser, reason: str = ""
) -> list[SettingChange]:
    """Approve proposed rates; all or none.

    `seen` has the effective rate that the approver saw for each change. Raises as
    `services.approve`, and `StateConflict` when others await approval by now.
    """
    with transaction.atomic():
        if {change.pk for change in pending_rates()} != set(seen):
            raise StateConflict("Other rates await approval now. Review them again")
        return [
            services.approve(
                change_id=change_id,
                expected_value=seen[change_id],
                user=user,
                # Only a rate beyond its band takes one.
                reason=reason,
            )
            for change_id in sorted(seen)
        ]


def parse_rates(content: bytes) -> dict[str, Decimal]:
    """Return the rates by currency in a CSV file with the columns `currency` and `rate`.

    Raises `InvalidRequest`, which names the line.
    """
    if len(content) > _MAX_BYTES:
        raise InvalidRequest(f"The file has more than {_MAX_BYTES:,} bytes")
    try:
        lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig")), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidRequest("The file is no CSV in UTF-8") from error
    if not lines or tuple(cell.strip().lower() for cell in lines[0]) != HEADINGS:
        raise InvalidRequest("The first line must be: currency,rate")
    found: dict[str, Decimal] = {}
    for number, line in enumerate(lines[1:], start=2):
        if any(cell.strip() for cell in line):
            currency, rate = _parse_line(number, line)
            if currency in found:
                raise InvalidRequest(f"Line {number}: {currency} is there twice")
            found[currency] = rate
    return found


def _parse_line(number: int, line: Sequence[str]) -> tuple[str, Decimal]:
    cells = [cell.strip() for cell in line]
    if len(cells) != len(HEADINGS):
        raise InvalidRequest(f"Line {number} has {len(cells)} columns, not {len(HEADINGS)}")
    currency, rate = cells[0].upper(), parse_typed_number(cells[1])
    if currency not in payout_currencies():
        expected = ", ".join(payout_currencies())
        raise InvalidRequest(f"Line {number}: the currency must be one of {expected}")
    if rate is None:
        raise InvalidRequest(f"Line {number}: enter a rate such as 1,520.25")
    try:
        services.check_value(key_of(currency), rate)
    except InvalidRequest as error:
        raise InvalidRequest(f"Line {number}, {currency}: {error.message}") from error
    return currency, rate
