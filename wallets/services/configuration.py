"""Changing the figures that finance sets. Which keys exist, and what a figure may be.

Who changed what, and when, is kept by the history triggers of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.utils import timezone

from exchange.errors import Conflict, Forbidden, InvalidRequest, NotFound
from exchange.models import StaffUser
from exchange.numbers import LARGEST, decimals_of, plain
from wallets.errors import StateConflict
from wallets.models import Configuration
from wallets.selectors.currencies import currencies, payout_currencies

_RATE_DECIMALS = 8


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What a key's figure is: its words, most decimals, and smallest value."""

    description: str
    decimals: int
    least: Decimal


def known_keys() -> dict[str, KeyFacts]:
    """Every key the service reads, over all currencies that can be paid out."""
    known: dict[str, KeyFacts] = {}
    for code in payout_currencies():
        decimals = currencies()[code].decimals
        smallest = Decimal(1).scaleb(-decimals)
        known |= {
            f"MINIMUM_WITHDRAWAL_{code}": KeyFacts(
                f"Smallest withdrawal, in {code}", decimals, Decimal(1)
            ),
            f"{code}_WITHDRAWAL_FEE": KeyFacts(
                f"Flat fee of a withdrawal, in {code}", decimals, Decimal(0)
            ),
            f"{code}_INTERNAL_FEE": KeyFacts(
                f"Internal fee shown on an organisation's withdrawal, in {code}",
                decimals,
                Decimal(0),
            ),
            f"{code}_USD_RATE": KeyFacts(
                f"{code} for one USD, for the USD value shown on withdrawals",
                _RATE_DECIMALS,
                Decimal(1).scaleb(-_RATE_DECIMALS),
            ),
            f"SECOND_APPROVAL_ABOVE_{code}": KeyFacts(
                f"From this amount in {code} two different people must approve", decimals, smallest
            ),
        }
    return known


def add_figure(*, key: str, value: Decimal, user: StaffUser) -> Configuration:
    """A figure under a known key that has none yet.

    Raises `Forbidden`, `InvalidRequest`, or `Conflict` when the key has a figure.
    """
    _allowed(user, "wallets.add_configuration")
    facts = _check(key, value)
    try:
        with transaction.atomic():
            return Configuration.objects.create(key=key, value=value, description=facts.description)
    except IntegrityError as error:
        raise Conflict(f"{key} has a figure already") from error


def change_figure(*, key: str, value: Decimal, seen: Decimal, user: StaffUser) -> Configuration:
    """Changes a figure from `seen`, which the person had before them, to `value`.

    Withdrawals that exist keep the figures they were created under. Raises `Forbidden`,
    `InvalidRequest`, `NotFound`, or `StateConflict` when the figure is no longer `seen`.
    """
    _allowed(user, "wallets.change_configuration")
    _check(key, value)
    rows = Configuration.objects.filter(key=key, value=seen).update(
        value=value, updated_at=timezone.now()
    )
    row = Configuration.objects.filter(key=key).first()
    if row is None:
        raise NotFound("There is no such key")
    if rows != 1:
        raise StateConflict(
            f"{key} was changed to {plain(row.value)} meanwhile. Please look at it again"
        )
    return row


def _check(key: str, value: Decimal) -> KeyFacts:
    facts = known_keys().get(key)
    if facts is None:
        raise InvalidRequest("This key is not one the service reads")
    if not value.is_finite() or not facts.least <= value <= LARGEST:
        raise InvalidRequest(
            f"The value must be at least {plain(facts.least)} and not above {plain(LARGEST)}"
        )
    if decimals_of(value) > facts.decimals:
        allowed = f"at most {facts.decimals}" if facts.decimals else "no"
        raise InvalidRequest(f"The value may have {allowed} decimals")
    return facts


def _allowed(user: StaffUser, permission: str) -> None:
    if not (user.is_active and user.is_staff and user.has_perm(permission)):
        raise Forbidden("You may not change the configuration")
