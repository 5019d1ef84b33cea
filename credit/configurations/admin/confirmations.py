"""What is asked before somebody decides about a loan configuration, and what stands in the way."""

from __future__ import annotations

from credit.configurations.admin.review import displayed_version
from credit.configurations.admin.terms import compare_terms
from credit.configurations.models import (
    ConfigurationStatus,
    ConfigurationVersion,
    LoanConfiguration,
    VersionStatus,
)
from credit.configurations.services.configurations import VERSIONS
from exchange.admin.base import Section
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import record_link
from exchange.staff.models import StaffUser


def build_change_confirmation(configuration: LoanConfiguration) -> Confirmation:
    """Asked for new terms: what they would take the place of."""
    blocker = ""
    words = "Somebody else must approve them. Loans that exist keep the terms they were made on."
    if configuration.status == ConfigurationStatus.RETIRED:
        blocker = "The loan configuration is Retired: that is final"
    elif configuration.status == ConfigurationStatus.PENDING:
        words = f"They take the place of the terms that wait. {words}"
    return Confirmation(
        title=f"Propose new terms of {displayed_version(configuration).name}",
        facts=[("Creditor", record_link(configuration.creditor)), *_current_state(configuration)],
        text=words,
        submit="Propose",
        blocker=blocker,
    )


def build_approval_confirmation(
    user: StaffUser, configuration: LoanConfiguration, version: ConfigurationVersion
) -> Confirmation:
    """What is asked before `version` is in force: every term that changes, from what to what."""
    return Confirmation(
        title=f"Approve version {version.number} of {version.name}?",
        facts=_proposed_changes(configuration, version),
        text="New loans are made on these terms at once. Loans that exist keep theirs.",
        submit=f"Yes, approve version {version.number}",
        blocker=VERSIONS.describe_blocker(version, user),
    )


def build_rejection_confirmation(
    configuration: LoanConfiguration, version: ConfigurationVersion
) -> Confirmation:
    """Asked with a reason before `version` is closed."""
    return Confirmation(
        title=f"Reject version {version.number} of {version.name}?",
        facts=_proposed_changes(configuration, version),
        text="What is in force stays so. The creditor is told, with the reason.",
        submit=f"Yes, reject version {version.number}",
        blocker=VERSIONS.describe_closed(version),
        final=True,
    )


def build_retirement_confirmation(configuration: LoanConfiguration, lent: Section) -> Confirmation:
    """Asked before a configuration makes no more loans; `lent` is what its loans come to."""
    effective = _version(configuration, VersionStatus.APPROVED)
    blocker = ""
    if configuration.status != ConfigurationStatus.APPROVED:
        status = configuration.status
        blocker = f"Only an Approved loan configuration is retired: it is {status}"
    return Confirmation(
        title=f"Retire {displayed_version(configuration).name}?",
        facts=[
            ("Creditor", record_link(configuration.creditor)),
            *_current_state(configuration),
            *((line.title, line.effective) for line in compare_terms(effective, None)),
        ],
        text="It makes no more loans, and this cannot be undone. Loans that exist keep their "
        "terms; a change that waits is rejected.",
        submit="Yes, retire the configuration",
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
    waiting = _version(configuration, VersionStatus.PENDING)
    return [
        ("State", configuration.status),
        ("In force", f"version {effective.number}" if effective else "nothing"),
        ("Waits for a decision", f"version {waiting.number}" if waiting else "nothing"),
    ]


def _proposed_changes(
    configuration: LoanConfiguration, version: ConfigurationVersion
) -> list[tuple[str, object]]:
    """Whose version it is, and every term that it changes."""
    effective = _version(configuration, VersionStatus.APPROVED)
    facts: list[tuple[str, object]] = [
        ("Creditor", record_link(configuration.creditor)),
        ("Version", version.number),
        (
            "Takes the place of",
            f"version {effective.number}" if effective else "nothing: it is new",
        ),
        ("Proposed by", version.proposed_by_label or version.proposed_by),
    ]
    for line in compare_terms(effective, version):
        if effective is None:
            facts.append((line.title, line.proposed))
        elif line.changed:
            facts.append((line.title, f"{line.effective} → {line.proposed} ({line.change})"))
    return facts
