"""Contents of a loan configuration's page. Read-only."""

from typing import Any

from credit.configurations.admin.terms import build_difference_rows, compare_terms, format_rate
from credit.configurations.models import ConfigurationVersion, LoanConfiguration, VersionStatus
from credit.configurations.services.configurations import VERSIONS, proposers
from credit.configurations.services.plausibility import find_version_notices
from exchange.admin.base import Section
from exchange.admin.display import age, format_time, record_link, status_badge
from exchange.events.models import Event
from exchange.staff.admin.pending import VIEW_ONLY, describe_approvers
from exchange.staff.models import StaffUser


def displayed_version(configuration: LoanConfiguration) -> ConfigurationVersion:
    """Return the effective version, or the newest if none is effective."""
    versions = configuration.versions.all()  # the newest first
    effective = [v for v in versions if v.status == VersionStatus.APPROVED]
    return effective[0] if effective else versions[0]


def build_review(
    user: StaffUser, configuration: LoanConfiguration, lent: Section
) -> dict[str, Any]:
    """Build the template context of the page; `lent` summarises its loans."""
    versions = list(configuration.versions.select_related("decided_by"))
    effective = next((v for v in versions if v.status == VersionStatus.APPROVED), None)
    pending = next((v for v in versions if v.status == VersionStatus.PENDING), None)
    found: dict[str, Any] = {
        "configuration": configuration,
        "creditor": record_link(configuration.creditor),
        "status": status_badge(configuration.status),
        "pending": pending,
        "sections": [
            *([] if pending else [_terms(effective or versions[0])]),
            lent,
            _versions(versions),
            _events(configuration),
        ],
    }
    if pending is not None:
        blocker = VERSIONS.describe_blocker(pending, user)
        found |= {
            "difference": _difference(effective, pending),
            "warnings": find_version_notices(pending),
            "proposed": age(pending.created_at),
            "blocker": f"{blocker}." if blocker else "",
            "view_only": VIEW_ONLY,
            "others": describe_approvers(VERSIONS.permission, *proposers(pending)),
        }
    return found


def _difference(effective: ConfigurationVersion | None, pending: ConfigurationVersion) -> Section:
    lines = compare_terms(effective, pending)
    if effective is None:
        rows: list[tuple[object, ...]] = [(line.title, line.proposed) for line in lines]
        return Section("Proposed terms (none effective yet)", ("Term", "Proposed"), rows)
    changes = sum(line.changed for line in lines)
    title = f"Effective and proposed terms: {changes or 'no'} of {len(lines)} changed"
    headings = (
        "Term",
        f"Effective (version {effective.number})",
        f"Proposed (version {pending.number})",
        "Change",
    )
    return Section(title, headings, build_difference_rows(lines))


def _terms(version: ConfigurationVersion) -> Section:
    lines = compare_terms(version, None)
    effective = version.status == VersionStatus.APPROVED
    title = f"{'Effective' if effective else 'Last proposed'} terms, version {version.number}"
    return Section(title, ("Term", "Value"), [(line.title, line.effective) for line in lines])


def _versions(versions: list[ConfigurationVersion]) -> Section:
    rows = [
        (
            version.number,
            status_badge(version.status),
            version.name,
            format_rate(version.collateral_ratio),
            format_rate(version.interest_rate),
            f"{version.duration} months",
            version.proposed_by_label or version.proposed_by,
            format_time(version.created_at),
            version.decided_by or "-",
            format_time(version.decided_at) if version.decided_at else "-",
            version.reason or "-",
        )
        for version in versions
    ]
    headings = (
        "Version", "Status", "Name", "Maximum LTV", "Monthly interest rate", "Maximum term",
        "Proposed by", "Proposed (UTC)", "Decided by", "Decided (UTC)", "Reason",
    )  # fmt: skip
    return Section("Versions", headings, rows, right=(3, 4))


def _events(configuration: LoanConfiguration) -> Section:
    events = Event.objects.filter(subject_id=configuration.pk).order_by("created_at", "id")
    rows = [
        (format_time(e.created_at), record_link(e, e.type), status_badge(e.status), e.attempts)
        for e in events
    ]
    headings = ("Time (UTC)", "Event", "Delivery", "Attempts")
    return Section("Webhook events to the lender", headings, rows, right=(3,))
