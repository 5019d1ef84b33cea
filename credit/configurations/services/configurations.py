"""Loan configurations: a creditor or staff propose terms, a second person of staff approves them.

Versions of terms never change. A change is a new version; the effective one applies until the new
one is approved, and loans keep the version they were made with. Every transition locks the
configuration first, as loan creation does.
"""

from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from credit.configurations.errors import ConfigurationNotFound
from credit.configurations.models import (
    ConfigurationStatus,
    ConfigurationVersion,
    LoanConfiguration,
    LoanLimit,
    VersionStatus,
)
from credit.configurations.selectors import read_creditor_view
from credit.configurations.services.plausibility import find_terms_notices, find_version_notices
from credit.configurations.services.terms import Terms, validate_terms
from exchange.core.actors import Actor, ActorKind
from exchange.core.errors import Conflict, Forbidden, InvalidRequest
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.events.services.outbox import emit
from exchange.participants.models import Organisation
from exchange.staff.approvals import TwoPersonApproval, authorize_actor, authorize_staff
from exchange.staff.models import StaffUser
from exchange.staff.plausibility import explain, explain_approval

APPROVED = "loan_configuration.approved"
REJECTED = "loan_configuration.rejected"
REPLACED = "replaced by a newer proposal"
RETIRED = "the configuration was retired"
MAX_REASON_LENGTH = 500

PROPOSE = "credit.propose_configuration"
DECIDE = "credit.decide_configuration"


def proposers(version: ConfigurationVersion) -> set[str]:
    """Return the actors who created or last changed what is pending; none may approve it."""
    found = {version.proposed_by}
    configuration = version.configuration
    if configuration.status == ConfigurationStatus.PENDING:
        found |= set(configuration.versions.filter(number=1).values_list("proposed_by", flat=True))
    return found


def _proposed_by(user: StaffUser) -> Q:
    """Return `proposers` as a condition: versions that `user` created or last changed."""
    me = str(Actor.staff(user.pk, ""))
    first = ConfigurationVersion.objects.filter(
        configuration=OuterRef("configuration"),
        configuration__status=ConfigurationStatus.PENDING,
        number=1,
        proposed_by=me,
    )
    return Q(proposed_by=me) | Q(Exists(first))


def _describe_closed(version: ConfigurationVersion) -> str:
    superseded = version.status == VersionStatus.SUPERSEDED
    by = f" by {version.decided_by}" if version.decided_by and not superseded else ""
    reason = f" ({version.reason})" if version.reason else ""
    return f"Version {version.number} is {version.status}{by}{reason}, no longer Pending"


VERSIONS = TwoPersonApproval(
    model=ConfigurationVersion,
    noun="version",
    permission=DECIDE,
    proposers=proposers,
    proposed_by=_proposed_by,
    closed_message=_describe_closed,
)


def propose(*, creditor_id: UUID, terms: Terms, actor: Actor) -> LoanConfiguration:
    """Propose a new configuration. It is Pending and makes loans once staff approve it.

    Raises `InvalidRequest` that names every invalid field, `Forbidden`.
    """
    _require_proposer(actor)
    if actor.organisation_id not in {None, creditor_id}:
        raise Forbidden("An API key can only propose loan configurations of its own organisation")
    validate_terms(terms)
    if not Organisation.objects.filter(id=creditor_id).exists():
        raise InvalidRequest("Creditor not found")
    now = timezone.now()
    with transaction.atomic():
        configuration = LoanConfiguration.objects.create(
            creditor_id=creditor_id, created_at=now, updated_at=now
        )
        _add_version(configuration, 1, terms, actor)
    return configuration


def propose_change(
    *, configuration_id: UUID, terms: Terms, actor: Actor, note: str = ""
) -> LoanConfiguration:
    """Propose new terms of a configuration. Effective terms apply until they are approved.

    `note` is the reason of staff, required beyond the band; creditors give none.

    If no terms are effective, the new ones replace the pending ones, and a Rejected configuration
    becomes Pending again. Raises `ConfigurationNotFound` (also for API keys of other organisations
    than the creditor), `InvalidRequest`, `Forbidden`, `Conflict` (`change_pending`: another change
    of effective terms is pending; `state_conflict`: the configuration is Retired).
    """
    _require_proposer(actor)
    validate_terms(terms)
    with transaction.atomic():
        configuration = _lock(configuration_id)
        if actor.organisation_id not in {None, configuration.creditor_id}:
            raise ConfigurationNotFound
        if configuration.status == ConfigurationStatus.RETIRED:
            raise Conflict(
                "The loan configuration is Retired: that is final", code="state_conflict"
            )
        pending = configuration.versions.filter(status=VersionStatus.PENDING).first()
        if pending is not None and configuration.status == ConfigurationStatus.APPROVED:
            raise Conflict(
                "Another change of this loan configuration waits for a decision",
                code="change_pending",
            )
        if pending is not None:
            VERSIONS.close(pending, VersionStatus.REJECTED, None, reason=REPLACED)
        if actor.kind == ActorKind.STAFF:
            note = explain(find_terms_notices(configuration, terms), note, field="note")
        newest = configuration.versions.order_by("-number").values_list("number", flat=True)[0]
        _add_version(configuration, newest + 1, terms, actor, note)
        if configuration.status == ConfigurationStatus.REJECTED:
            return _set_status(configuration, ConfigurationStatus.PENDING)
        return _set_status(configuration, configuration.status)


def approve(*, version_id: UUID, user: StaffUser, reason: str = "") -> LoanConfiguration:
    """Make the version effective in place of the former one; beyond the band with a `reason`.

    Proposers may not approve their own version, nor a replacement of the first version they
    proposed. Raises `Forbidden`, `NotFound`, `Conflict` (`state_conflict`: not pending),
    `InvalidRequest` (`reason_required`), `Rejected` (`approver_not_independent`).
    """
    _require_approver(user)
    with transaction.atomic():
        configuration = _lock_of(version_id)
        version = VERSIONS.get_approvable(version_id, user)
        by_staff = version.proposed_by.startswith(f"{ActorKind.STAFF}:")
        why = explain_approval(
            find_version_notices(version), reason, first=version.note if by_staff else None
        )
        configuration.versions.filter(status=VersionStatus.APPROVED).update(
            status=VersionStatus.SUPERSEDED
        )
        VERSIONS.close(version, VersionStatus.APPROVED, user, approval_reason=why)
        _set_status(configuration, ConfigurationStatus.APPROVED)
        _emit(configuration, APPROVED)
    return configuration


def reject(*, version_id: UUID, user: StaffUser, reason: str) -> LoanConfiguration:
    """Reject a pending version; its proposer may do so too. Effective terms are unchanged.

    Raises as `approve` except for independence, and `InvalidRequest` without a reason.
    """
    _require_approver(user)
    reason = clean_text(
        reason, missing="Enter a reason for the rejection", max_length=MAX_REASON_LENGTH
    )
    with transaction.atomic():
        configuration = _lock_of(version_id)
        version = VERSIONS.get_pending(version_id)
        VERSIONS.close(version, VersionStatus.REJECTED, user, reason=reason)
        if configuration.status == ConfigurationStatus.PENDING:
            _set_status(configuration, ConfigurationStatus.REJECTED)
        else:
            _set_status(configuration, configuration.status)
        _emit(configuration, REJECTED)
    return configuration


def retire(*, configuration_id: UUID, user: StaffUser) -> LoanConfiguration:
    """Retire an Approved configuration: no more loans, and a pending change is rejected.

    Raises `Forbidden`, `ConfigurationNotFound`, `Conflict` when it is not Approved.
    """
    _require_approver(user)
    with transaction.atomic():
        configuration = _lock(configuration_id)
        if configuration.status != ConfigurationStatus.APPROVED:
            raise Conflict(
                f"Only an Approved loan configuration can be retired: it is {configuration.status}",
                code="state_conflict",
            )
        pending = configuration.versions.filter(status=VersionStatus.PENDING).first()
        if pending is not None:
            VERSIONS.close(pending, VersionStatus.REJECTED, user, reason=RETIRED)
        _set_status(configuration, ConfigurationStatus.RETIRED)
        if pending is not None:
            _emit(configuration, REJECTED)
    return configuration


def _add_version(
    configuration: LoanConfiguration, number: int, terms: Terms, actor: Actor, note: str = ""
) -> None:
    version = ConfigurationVersion.objects.create(
        configuration=configuration,
        number=number,
        name=terms.name,
        access=terms.access,
        investment_categories=list(terms.investment_categories),
        collateral_ratio=terms.collateral_ratio,
        interest_rate=terms.interest_rate,
        duration=terms.duration,
        grace_period=terms.grace_period,
        proposed_by=str(actor),
        proposed_by_label=actor.label,
        note=note,
        created_at=timezone.now(),
    )
    named = ConfigurationVersion.organisations.through
    named.objects.bulk_create(
        named(configurationversion_id=version.id, organisation_id=organisation_id)
        for organisation_id in terms.organisation_ids
    )
    LoanLimit.objects.bulk_create(
        LoanLimit(
            version=version,
            currency_id=currency,
            min_amount=terms.minimum_for(currency),
            max_amount=amount,
            max_outstanding=terms.max_outstanding.get(currency),
        )
        for currency, amount in terms.max_amount.items()
    )


def _lock(configuration_id: UUID) -> LoanConfiguration:
    rows = LoanConfiguration.objects.select_for_update(no_key=True).filter(id=configuration_id)
    return get_or_raise(rows, ConfigurationNotFound)


def _lock_of(version_id: UUID) -> LoanConfiguration:
    """Lock the configuration of a version, before the version itself."""
    return _lock(VERSIONS.get(version_id, lock=False).configuration_id)


def _set_status(configuration: LoanConfiguration, to: str) -> LoanConfiguration:
    current, now = configuration.status, timezone.now()
    rows = LoanConfiguration.objects.filter(id=configuration.id, status=current).update(
        status=to, updated_at=now
    )
    if rows != 1:
        raise Conflict(
            "The loan configuration has changed. Review it and try again", code="state_conflict"
        )
    configuration.status, configuration.updated_at = to, now
    return configuration


def _emit(configuration: LoanConfiguration, event_type: str) -> None:
    emit(
        organisation_id=configuration.creditor_id,
        event_type=event_type,
        subject_id=configuration.id,
        data=f'{{"loan_configuration":{read_creditor_view(configuration)}}}',
    )


def _require_proposer(actor: Actor) -> None:
    authorize_actor(actor, PROPOSE, "You may not propose loan configurations")


def _require_approver(user: StaffUser) -> None:
    authorize_staff(user, DECIDE, "You may not decide about loan configurations")
