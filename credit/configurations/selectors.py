"""Queries of loan configurations: a creditor's own, and those it may use."""

from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from credit.configurations.errors import ConfigurationNotFound
from credit.configurations.models import (
    Access,
    ConfigurationStatus,
    ConfigurationVersion,
    LoanConfiguration,
    VersionStatus,
)
from credit.configurations.payloads import LOAN_CONFIGURATION
from exchange.core.database import read_cursor


def usable_by(organisation_id: UUID) -> QuerySet[LoanConfiguration]:
    """Return what the organisation's members may borrow on, and its own in any state."""
    effective = ConfigurationVersion.objects.filter(
        configuration=OuterRef("pk"), status=VersionStatus.APPROVED
    )
    open_to_all = effective.filter(access=Access.PUBLIC)
    names_it = effective.filter(access=Access.ORGANISATIONS, organisations=organisation_id)
    return LoanConfiguration.objects.filter(
        Q(creditor_id=organisation_id)
        | Q(status=ConfigurationStatus.APPROVED) & (Exists(open_to_all) | Exists(names_it))
    )


def read_configurations(
    organisation_id: UUID, configurations: QuerySet[LoanConfiguration]
) -> list[str]:
    """Return the documents (JSON) of `configurations` as the organisation sees them, in order."""
    return _read_documents(organisation_id, list(configurations.values_list("id", flat=True)))


def read_configuration(organisation_id: UUID, configuration_id: UUID) -> str:
    """Return one document as the organisation sees it. Raises `ConfigurationNotFound`."""
    texts = read_configurations(
        organisation_id, usable_by(organisation_id).filter(id=configuration_id)
    )
    if not texts:
        raise ConfigurationNotFound
    return texts[0]


def read_creditor_view(configuration: LoanConfiguration) -> str:
    """Return the document as its creditor sees it."""
    return _read_documents(configuration.creditor_id, [configuration.id])[0]


def _read_documents(organisation_id: UUID, ids: list[UUID]) -> list[str]:
    with read_cursor() as cursor:
        cursor.execute(_DOCUMENTS, [organisation_id, ids])
        return [text for (text,) in cursor.fetchall()]


_DOCUMENTS = f"""
    SELECT {LOAN_CONFIGURATION.expression("r")}
    FROM (
        SELECT c.id, c.status, c.creditor_id, o.name AS creditor_name, c.creditor_id = %s AS own,
               shown.id AS version_id, shown.name, shown.access, shown.investment_categories,
               shown.collateral_ratio, shown.interest_rate, shown.duration, shown.grace_period,
               shown.grace_period_unit,
               CASE WHEN newest.status = 'Rejected' THEN newest.reason END AS last_reason,
               wanted.place
        FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
        JOIN credit_loanconfiguration c ON c.id = wanted.id
        JOIN exchange_organisation o ON o.id = c.creditor_id
        CROSS JOIN LATERAL (
            SELECT * FROM credit_configurationversion v WHERE v.configuration_id = c.id
            ORDER BY v.status = 'Approved' DESC, v.number DESC LIMIT 1
        ) shown
        CROSS JOIN LATERAL (
            SELECT * FROM credit_configurationversion v WHERE v.configuration_id = c.id
            ORDER BY v.number DESC LIMIT 1
        ) newest
    ) r
    ORDER BY r.place
"""  # noqa: S608 - built from the declaration in payloads
