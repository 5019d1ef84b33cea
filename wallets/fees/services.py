"""Figures that finance sets, with four eyes and an instant from which they are in force.

One person proposes a figure, another approves it; from its instant on it is the figure in force,
by itself, for whatever is done from then on. Withdrawals that exist keep the figures they were
created under. What is approved and not yet in force is withdrawn by two people as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib.postgres.functions import TransactionNow
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from exchange.core.currencies import currencies, payout_currencies
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, StateConflict
from exchange.core.numbers import MAX_NUMBER, count_decimals, format_plain
from exchange.core.text import clean_text
from exchange.staff.approvals import (
    TwoPersonApproval,
    authorize_staff,
    first_error_message,
    require_independent,
)
from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import require_cooled_off, require_tenured
from wallets.fees.models import Configuration, ConfigurationFigure, FigureStatus
from wallets.fees.selectors import coming, figure_in_force

PROPOSE = "wallets.propose_configuration"
DECIDE = "wallets.decide_configuration"

FIGURES = TwoPersonApproval(
    model=ConfigurationFigure,
    noun="figure",
    permission=DECIDE,
    unique_constraint="figure_pending_once",
)

_RATE_DECIMALS = 8
_LONGEST_REASON = 300
_FURTHEST_AHEAD = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What a key's figure is: its words, most decimals, and smallest value."""

    description: str
    decimals: int
    least: Decimal


def undecided(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Narrow figures to those that wait for a second person: proposed, or to be withdrawn."""
    asked = Q(status=FigureStatus.APPROVED, withdrawal_asked_by__isnull=False)
    return rows.filter(Q(status=FigureStatus.PENDING) | asked & Q(in_force_from__gt=timezone.now()))


def own(user: StaffUser) -> Q:
    """Return the condition on undecided figures that `user` may not decide."""
    proposed = Q(status=FigureStatus.PENDING, proposed_by=user)
    return proposed | Q(status=FigureStatus.APPROVED, withdrawal_asked_by=user)


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
            f"SECOND_APPROVAL_DAILY_ABOVE_{code}": KeyFacts(
                "From this amount asked for by an organisation and its members in 24 hours, in"
                f" {code}, two different people must approve",
                decimals,
                smallest,
            ),
            f"SOLE_APPROVALS_DAILY_{code}": KeyFacts(
                f"What one person may approve alone within 24 hours, in {code}",
                decimals,
                Decimal(0),
            ),
        }
    return known


def propose(
    *,
    key: str,
    value: Decimal,
    reason: str,
    effective_from: datetime | None = None,
    user: StaffUser,
) -> ConfigurationFigure:
    """Enters a figure; nothing changes until another person approves it, and not before
    `effective_from` (None: when it is approved).

    Raises `Forbidden`, `InvalidRequest`, or `Conflict` while another figure of the key waits.
    """
    authorize_staff(user, PROPOSE, "You may not propose figures")
    _check(key, value)
    why = clean_text(reason, missing="A figure needs a reason", max_length=_LONGEST_REASON)
    now = timezone.now()
    if effective_from is not None and not now < effective_from <= now + _FURTHEST_AHEAD:
        raise InvalidRequest.for_field(
            "effective_from", "It can take effect at an instant ahead, within a year"
        )
    return FIGURES.propose(
        Conflict(f"Another figure of {key} waits for a decision", code="figure_pending"),
        configuration_id=key,
        value=value,
        reason=why,
        effective_from=effective_from,
        proposed_by=user,
    )


def approve(*, figure_id: UUID, seen: Decimal, user: StaffUser) -> ConfigurationFigure:
    """Another person approves; from its instant, at once when that has passed, it is in force.

    `seen` is the figure in force that the person had before them. Raises `Forbidden`, `NotFound`,
    `StateConflict`, `Conflict` when another figure takes effect at the same instant, `Rejected`
    (`approver_not_independent`).
    """
    authorize_staff(user, DECIDE, "You may not approve figures")
    with transaction.atomic():
        figure = FIGURES.get_approvable(figure_id, user)
        now = _now()
        in_force = figure_in_force(figure.configuration_id)
        if in_force is None or in_force != seen:
            raise StateConflict(
                f"{figure.configuration_id} is {format_plain(in_force or Decimal(0))} by now. "
                "Please look at it again"
            )
        starts = max(now, figure.effective_from or now)
        if coming().filter(configuration_id=figure.configuration_id, in_force_from=starts):
            raise Conflict("Another approved figure takes effect at the same instant")
        return FIGURES.close(figure, FigureStatus.APPROVED, user, in_force_from=starts)


def reject(*, figure_id: UUID, user: StaffUser, reason: str) -> ConfigurationFigure:
    """Closes a proposal without effect. Raises as `approve`, `InvalidRequest` without a reason."""
    authorize_staff(user, DECIDE, "You may not reject figures")
    why = clean_text(reason, missing="A rejection needs a reason", max_length=_LONGEST_REASON)
    with transaction.atomic():
        figure = FIGURES.get_pending(figure_id)
        return FIGURES.close(figure, FigureStatus.REJECTED, user, decision_note=why)


def take_back(*, figure_id: UUID, user: StaffUser) -> ConfigurationFigure:
    """Whoever proposed it closes it. Raises as `approve`, `Forbidden` for anybody else."""
    authorize_staff(user, PROPOSE, "You may not take figures back")
    with transaction.atomic():
        figure = FIGURES.get(figure_id)
        require_own(figure, user)
        return FIGURES.close(figure, FigureStatus.TAKEN_BACK, user)


def ask_to_withdraw(*, figure_id: UUID, user: StaffUser, reason: str) -> ConfigurationFigure:
    """Asks that an approved figure does not take effect; another person has to agree in time.

    Raises `Forbidden`, `NotFound`, `InvalidRequest`, `StateConflict` when it is in force already,
    or somebody asked before.
    """
    permission = DECIDE if user.may(DECIDE) else PROPOSE
    authorize_staff(user, permission, "You may not withdraw figures")
    why = clean_text(reason, missing="A withdrawal needs a reason", max_length=_LONGEST_REASON)
    with transaction.atomic():
        figure = FIGURES.get(figure_id)
        require_not_asked_for(figure)
        figure.withdrawal_asked_by = user
        figure.withdrawal_reason = why
        figure.save(update_fields=["withdrawal_asked_by", "withdrawal_reason"])
    return figure


def keep(*, figure_id: UUID, user: StaffUser) -> ConfigurationFigure:
    """Ends the asking: the figure takes effect as approved. Raises as `agree_to_withdraw`."""
    with transaction.atomic():
        figure = FIGURES.get(figure_id)
        require_asked_for(figure)
        if figure.withdrawal_asked_by_id != user.pk:
            authorize_staff(user, DECIDE, "You may not decide about figures")
        figure.withdrawal_asked_by = None
        figure.withdrawal_reason = ""
        figure.save(update_fields=["withdrawal_asked_by", "withdrawal_reason"])
    return figure


def agree_to_withdraw(*, figure_id: UUID, user: StaffUser) -> ConfigurationFigure:
    """Another person than the one who asked withdraws it: it never takes effect.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`).
    """
    authorize_staff(user, DECIDE, "You may not withdraw figures")
    with transaction.atomic():
        figure = FIGURES.get(figure_id)
        require_asked_for(figure)
        _require_other(figure, user)
        figure.status = FigureStatus.WITHDRAWN
        figure.withdrawn_by = user
        figure.withdrawn_at = timezone.now()
        figure.save(update_fields=["status", "withdrawn_by", "withdrawn_at"])
    return figure


def require_own(figure: ConfigurationFigure, user: StaffUser) -> None:
    """Refuse to have `figure` taken back unless it is pending, and by whoever proposed it."""
    FIGURES.require_pending(figure)
    if figure.proposed_by_id != user.pk:
        raise Forbidden("Only the person who proposed a figure takes it back")


def require_to_come(figure: ConfigurationFigure) -> None:
    """Refuse what can be done only until an approved figure takes effect."""
    if figure.status != FigureStatus.APPROVED or figure.in_force_from is None:
        raise StateConflict(f"The figure is {figure.status}, not Approved")
    if figure.in_force_from <= timezone.now():
        raise StateConflict("The figure is in force already. Please propose another one")


def require_not_asked_for(figure: ConfigurationFigure) -> None:
    """Refuse to ask again for the withdrawal of a figure."""
    require_to_come(figure)
    if figure.withdrawal_asked_by is not None:
        raise StateConflict(f"{figure.withdrawal_asked_by} asked for it before")


def require_asked_for(figure: ConfigurationFigure) -> None:
    """Refuse to decide about a withdrawal that nobody asks for."""
    require_to_come(figure)
    if figure.withdrawal_asked_by is None:
        raise StateConflict("Nobody asks to withdraw this figure any more")


def describe_obstacle_to_withdrawal(figure: ConfigurationFigure, user: StaffUser) -> str:
    """Return why `user` cannot agree to withdraw `figure`; empty when nothing prevents it."""
    return first_error_message(
        lambda: require_asked_for(figure),
        lambda: _require_other(figure, user),
        lambda: require_cooled_off(user.pk),
    )


def _require_other(figure: ConfigurationFigure, user: StaffUser) -> None:
    asked_by = figure.withdrawal_asked_by_id
    require_independent(user, asked_by, message="Somebody else must agree to what you asked for")
    require_tenured(asked_by, user.pk)


def _now() -> datetime:
    # When the transaction began, by the database: it is what figures in force are told by.
    now: datetime = Configuration.objects.aggregate(now=Max(TransactionNow()))["now"]
    return now


def _check(key: str, value: Decimal) -> KeyFacts:
    facts = known_keys().get(key)
    if facts is None:
        raise InvalidRequest("This key is not one the service reads")
    if not value.is_finite() or not facts.least <= value <= MAX_NUMBER:
        raise InvalidRequest.for_field(
            "value",
            f"The value must be at least {format_plain(facts.least)}"
            f" and not above {format_plain(MAX_NUMBER)}",
        )
    if count_decimals(value) > facts.decimals:
        allowed = f"at most {facts.decimals}" if facts.decimals else "no"
        raise InvalidRequest.for_field("value", f"The value may have {allowed} decimals")
    return facts
