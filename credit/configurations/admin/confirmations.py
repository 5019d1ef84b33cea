"""Confirmation pages for changes and approvals of loan configurations."""

from credit.configurations.admin.review import displayed_version
from credit.configurations.admin.terms import compare_terms
from credit.configurations.models import (
    ConfigurationStatus,
    ConfigurationVersion,
    LoanConfiguration,
    VersionStatus,
)
from credit.configurations.services.plausibility import find_terms_notices
from credit.configurations.services.terms import Terms
from exchange.admin.base import Section
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import record_link


def build_change_confirmation(
    configuration: LoanConfiguration, terms: Terms | None
) -> Confirmation:
    """Build the confirmation of proposing new `terms`; None before they are entered."""
    blocker = ""
    text = "A second person must approve them. Existing loans are unaffected."
    if configuration.status == ConfigurationStatus.RETIRED:
        blocker = "The loan configuration is Retired, which is final"
    elif configuration.status == ConfigurationStatus.PENDING:
        text = f"They replace the terms pending approval. {text}"
    return Confirmation(
        title=f"Propose new terms for {displayed_version(configuration).name}",
        facts=[("Lender", record_link(configuration.creditor)), *_current_state(configuration)],
        text=text,
        submit="Propose",
        blocker=blocker,
        warnings=find_terms_notices(configuration, terms) if terms else (),
    )


def build_retirement_confirmation(configuration: LoanConfiguration, lent: Section) -> Confirmation:
    """Build the confirmation of retiring a configuration; `lent` summarises its loans."""
    effective = _version(configuration, VersionStatus.APPROVED)
    blocker = ""
    if configuration.status != ConfigurationStatus.APPROVED:
        status = configuration.status
        blocker = f"Only an Approved loan configuration can be retired: it is {status}"
    return Confirmation(
        title=f"Retire {displayed_version(configuration).name}?",
        facts=[
            ("Lender", record_link(configuration.creditor)),
            *_current_state(configuration),
            *((line.title, line.effective) for line in compare_terms(effective, None)),
        ],
        text="No new loans can be made. This cannot be undone. Existing loans keep their terms; "
        "a pending change is rejected.",
        submit="Retire configuration",
        blocker=blocker,
        sections=[lent],
        final=True,
    )


def _version(
    configuration: LoanConfiguration, status: VersionStatus
) -> ConfigurationVersion | None:
    return configuration.versions.filter(status=status).first()


def _current_state(configuration: LoanConfiguration) -> list[tuple[str, object]]:
    effective = _version(configuration, VersionStatus.APPROVED)
    pending = _version(configuration, VersionStatus.PENDING)
    return [
        ("Status", configuration.status),
        ("Effective", f"version {effective.number}" if effective else "none"),
        ("Pending approval", f"version {pending.number}" if pending else "none"),
    ]


def list_proposed_changes(version: ConfigurationVersion) -> list[tuple[str, object]]:
    """Return the creditor, the version and every term that it changes."""
    configuration = version.configuration
    effective = _version(configuration, VersionStatus.APPROVED)
    facts: list[tuple[str, object]] = [
        ("Lender", record_link(configuration.creditor)),
        ("Version", version.number),
        (
            "Replaces",
            f"version {effective.number}" if effective else "none (new)",
        ),
        ("Proposed by", version.proposed_by_label or version.proposed_by),
        ("Reason", version.note or "none"),
    ]
    for line in compare_terms(effective, version):
        if effective is None:
            facts.append((line.title, line.proposed))
        elif line.changed:
            facts.append((line.title, f"{line.effective} → {line.proposed} ({line.change})"))
    return facts
