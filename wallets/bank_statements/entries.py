"""What a statement file says: statements of accounts, each with its booked entries."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import msgspec

from exchange.core.numbers import MAX_NUMBER, TOKEN_DECIMALS, count_decimals, format_grouped
from wallets.bank_statements.errors import UnreadableStatement

MAX_BYTES = 10 * 1024 * 1024
MAX_LINES = 20_000
_MAX_REFERENCE = 100
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2199, 12, 31)


class BookedEntry(msgspec.Struct, frozen=True):
    """A booked entry. `amount` is above 0 where money arrived."""

    booked_on: date
    value_on: date
    amount: Decimal
    bank_reference: str
    payment_reference: str = ""
    counterparty: str = ""
    description: str = ""
    is_reversal: bool = False

    @property
    def identity(self) -> tuple[date, Decimal, str]:
        """What tells lines of an account apart, together with their number."""
        return self.booked_on, self.amount, self.bank_reference


class Statement(msgspec.Struct):
    """The entries of an account. Of a CSV file, `number` and `currency` are empty.

    `balanced` says whether balances in the file prove that no entry is missing.
    """

    number: str
    currency: str
    entries: list[BookedEntry]
    balanced: bool


def check_entry(place: str, entry: BookedEntry) -> BookedEntry:
    """Return `entry` with clean texts; `place` names it in `UnreadableStatement`."""
    if entry.booked_on > datetime.now(UTC).date() + timedelta(days=1):
        raise UnreadableStatement(f"{place}: the booking date {entry.booked_on} is in the future")
    if not all(_FIRST_DAY <= day <= _LAST_DAY for day in (entry.booked_on, entry.value_on)):
        raise UnreadableStatement(f"{place}: the date is not between 2000 and 2199")
    if abs(entry.amount) > MAX_NUMBER or count_decimals(entry.amount) > TOKEN_DECIMALS:
        raise UnreadableStatement(f"{place}: the amount is too large or has too many decimals")
    reference = clean(entry.bank_reference)
    if len(reference) > _MAX_REFERENCE:
        raise UnreadableStatement(
            f"{place}: the bank's reference has more than {_MAX_REFERENCE} characters"
        )
    return msgspec.structs.replace(
        entry,
        bank_reference=reference,
        payment_reference=clean(entry.payment_reference)[:_MAX_REFERENCE],
        counterparty=clean(entry.counterparty)[:200],
        description=clean(entry.description)[:500],
    )


def clean(text: str | None) -> str:
    """Return `text` on one line, without control characters and repeated spaces."""
    line = " ".join((text or "").split())
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else " " for c in line).strip()


def check_closing(
    place: str, opening: Decimal, entries: list[BookedEntry], closing: Decimal
) -> None:
    """Raise `UnreadableStatement` unless the entries lead from `opening` to `closing`."""
    reached = opening + sum((entry.amount for entry in entries), Decimal(0))
    if reached != closing:
        raise UnreadableStatement(
            f"{place} is incomplete: its entries lead to a balance of {format_grouped(reached, 2)}"
            f" instead of {format_grouped(closing, 2)}, a difference of"
            f" {format_grouped(closing - reached, 2)}"
        )


def check_count(count: int) -> None:
    """Raise `UnreadableStatement` above the limit of lines."""
    if count > MAX_LINES:
        raise UnreadableStatement(f"The file has more than {MAX_LINES:,} lines. Divide it by days")
