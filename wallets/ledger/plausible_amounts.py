"""Amounts that staff enter: what cannot be, what is unusual, and taken references."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Func, Max, QuerySet, TextField, Value
from django.utils import timezone
from django.utils.text import capfirst

from exchange.core.currencies import currencies, format_money
from exchange.core.errors import Conflict, InvalidCurrency, InvalidRequest
from exchange.core.numbers import describe_entry_error
from exchange.staff.plausibility import band_of


def check_amount(field: str, currency: str, amount: Decimal) -> None:
    """Raise `InvalidCurrency`, or `InvalidRequest` for an amount that cannot be entered in it."""
    facts = currencies().get(currency)
    if facts is None:
        raise InvalidCurrency(list(currencies()))
    if problem := describe_entry_error(amount, facts.decimals):
        raise InvalidRequest.for_field(field, problem)


def find_amount_notices(
    amount: Decimal,
    currency: str,
    kind: str,
    *,
    earlier: QuerySet[Any],
    done: QuerySet[Any],
    whose: str,
) -> list[str]:
    """Return notices about an amount that was entered lately, or is far above the largest so far.

    `earlier` are the records that may be the same one, `done` those that were posted; `whose` names
    them. `kind` is that of the band.
    """
    found = []
    since = timezone.now() - timedelta(days=settings.REPEATED_AMOUNT_DAYS)
    same = earlier.filter(amount=amount, created_at__gte=since).order_by("-created_at").first()
    if same is not None:
        found.append(
            f"The same amount as {_identify(same)}. Check that it is another payment, not this one"
            " again"
        )
    largest: Decimal | None = done.aggregate(largest=Max("amount"))["largest"]
    band = band_of(kind)
    if largest is not None and (amount - largest) * 100 > largest * band:
        found.append(
            f"{format_money(amount, currency)} is more than {band} % above the largest {whose} so"
            f" far, {format_money(largest, currency)}. Check for a misplaced decimal point"
        )
    return found


def find_reference(records: QuerySet[Any], reference: str) -> Any | None:
    """Return the one of `records` that has `reference`, in whatever spelling."""
    key = Func(Value(reference), function="reference_key", output_field=TextField())
    return records.filter(reference_key=key).first()


def describe_taken_reference(what: str, holder: Any | None = None) -> Conflict:
    """Return the error for a reference that `holder` has, or `what`: a record that is not known."""
    who = what if holder is None else capfirst(_identify(holder))
    taken = f"{who} has this reference"
    return Conflict(taken, code="duplicate_reference", fields={"reference": taken})


def _identify(record: Any) -> str:
    """Return a record in words: `the deposit FT26325QK7N1 of 2026-11-27 10:00 UTC (Pending)`."""
    return (
        f"the {record._meta.verbose_name} {record.reference} of {record.created_at:%Y-%m-%d %H:%M}"
        f" UTC ({record.status})"
    )
