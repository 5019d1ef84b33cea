"""Locks, moves and events that every transition of a distribution shares.

Lock order: the issuer as an owner, the token, the distribution, a proposal about it, then the loans
that wait for its income, then accounts.
"""

from typing import Any
from uuid import UUID

from django.db import connection

from credit.distributions.errors import DistributionNotFound
from credit.distributions.models import Distribution, DistributionStatus
from credit.distributions.selectors import read_distributions
from credit.loans.models import Loan
from exchange.core.errors import StateConflict
from exchange.core.querysets import get_or_raise
from exchange.events.services.outbox import emit_each
from orders.listings.services.lifecycle import lock_token
from wallets.freezes.services import lock_owners

ANNOUNCED = "distribution.announced"
UPDATED = "distribution.updated"
RECORDED = "distribution.recorded"
OVERDUE = "distribution.overdue"
PAID = "distribution.paid"
REDEEMED = "token.redeemed"
CANCELLED = "distribution.cancelled"


def lock_distribution(distribution_id: UUID) -> Distribution:
    """Return the distribution, locked with its issuer and its token.

    Raises `DistributionNotFound`.
    """
    rows = Distribution.objects.filter(pk=distribution_id).select_related("token")
    token = get_or_raise(rows, DistributionNotFound).token
    lock_owners(token.issuer_id)
    lock_token(token.pk)
    return get_or_raise(rows.select_for_update(of=("self",), no_key=True), DistributionNotFound)


def lock_loans(distribution: Distribution) -> None:
    """Lock the loans that wait for its income, which its moves change; before accounts."""
    loans = Loan.objects.select_for_update(no_key=True).order_by("pk")
    list(loans.filter(incomes__distribution=distribution).values_list("pk", flat=True))


def move(distribution: Distribution, to: DistributionStatus, **changes: Any) -> Distribution:
    """Move a distribution to a status, with `changes` of its columns. Compare and set.

    Raises `StateConflict` when it has changed meanwhile.
    """
    rows = Distribution.objects.filter(pk=distribution.pk, status=distribution.status)
    if rows.update(status=to, **changes) != 1:
        raise StateConflict("The distribution has changed. Review it and try again")
    token = distribution.token
    distribution.refresh_from_db()
    distribution.token = token
    return distribution


def require_status(distribution: Distribution, *wanted: DistributionStatus) -> None:
    """Raise `StateConflict` unless the distribution has one of these statuses."""
    if distribution.status not in wanted:
        names = " or ".join(wanted)
        raise StateConflict(
            f"Only a distribution that is {names} allows this: it is {distribution.status}"
        )


def emit_to_issuer(distribution: Distribution, event_type: str) -> None:
    """Emit an event to the issuer, in the transaction of the change."""
    issuer = distribution.token.issuer_id
    _emit(distribution, event_type, {issuer: _document(distribution, issuer)})


def emit_announced(distribution: Distribution) -> None:
    """Tell the issuer, and once each organisation with holders, what is to be paid."""
    issuer = distribution.token.issuer_id
    entitled, key = "entitled_units(%s)", distribution.token_id
    if distribution.corrects_id:
        entitled, key = "credit_income WHERE distribution_id = %s", distribution.corrects_id
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT DISTINCT organisation_id FROM {entitled}", [key])  # noqa: S608 - constants
        holders = {organisation_id for (organisation_id,) in cursor.fetchall()} - {issuer}
    public = _document(distribution, None)
    data = dict.fromkeys(holders, public) | {issuer: _document(distribution, issuer)}
    _emit(distribution, ANNOUNCED, data)


def emit_paid(distribution: Distribution, event_type: str) -> None:
    """Tell the issuer, and once each organisation with holders, what its own owners received."""
    issuer = distribution.token.issuer_id
    with connection.cursor() as cursor:
        cursor.execute(_RECEIVED, [distribution.pk])
        received = dict(cursor.fetchall())
    nothing = ',"holders":0,"gross":0,"tax":0,"net":0'
    public, own = _document(distribution, None), _document(distribution, issuer)
    data = {
        organisation_id: (own if organisation_id == issuer else public)
        + received.get(organisation_id, nothing)
        for organisation_id in {*received, issuer}
    }
    _emit(distribution, event_type, data)


def _document(distribution: Distribution, organisation_id: UUID | None) -> str:
    (document,) = read_distributions(organisation_id, [distribution.pk])
    return f'"distribution":{document}'


def _emit(distribution: Distribution, event_type: str, data: dict[UUID, str]) -> None:
    """Write one event for each organisation of `data`, the members of its JSON object."""
    bodies = {organisation_id: f"{{{members}}}" for organisation_id, members in data.items()}
    emit_each(bodies, event_type, subject_id=distribution.pk)


# Of each organisation, as members of a JSON object.
_RECEIVED = """
    SELECT i.organisation_id,
           ',"holders":' || count(DISTINCT i.owner_id)
           || ',"gross":' || trim_scale(coalesce(sum(i.gross), 0))
           || ',"tax":' || trim_scale(coalesce(sum(i.tax), 0))
           || ',"net":' || trim_scale(coalesce(sum(i.net), 0))
    FROM credit_income i
    WHERE i.distribution_id = %s AND i.status <> 'Due'
    GROUP BY i.organisation_id
"""
