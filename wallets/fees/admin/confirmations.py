"""Confirmations of settings changes: facts, consequences and blockers of each decision."""

from decimal import Decimal

from django.utils import timezone

from exchange.admin.base import Section
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import difference, format_duration, record_link, status_badge
from exchange.staff.approvals import first_error_message
from exchange.staff.models import StaffUser
from exchange.staff.plausibility import find_notices
from wallets.fees import services
from wallets.fees.definitions import describe_value, name_setting, setting_definitions
from wallets.fees.models import Configuration, SettingChange, SettingChangeStatus
from wallets.fees.selectors import effective_setting, upcoming_changes

_SECOND = "%Y-%m-%d %H:%M:%S UTC"


def current_value(change: SettingChange) -> Decimal:
    """Return the effective value of the same setting."""
    now = effective_setting(change.configuration_id)
    return change.configuration.value if now is None else now


def is_upcoming(change: SettingChange) -> bool:
    """Return whether the change is approved and takes effect later."""
    return not first_error_message(lambda: services.require_upcoming(change))


def describe_start(change: SettingChange) -> str:
    """Return when a change takes effect: on approval, or at its time."""
    when = change.effective_at or change.effective_from
    if when is None or when <= timezone.now():
        return "on approval"
    return f"{when:{_SECOND}}, in {format_duration(when - timezone.now())}"


def change_section(change: SettingChange) -> Section:
    """Return the change compared with the effective value, and when it takes effect."""
    now = current_value(change)
    headings = ("", "Effective value", "New value", "Change", "Effective from")
    row = (
        name_setting(change.configuration_id),
        describe_value(change.configuration_id, now),
        new_value(change),
        _change_cell(change),
        describe_start(change),
    )
    return Section("Proposed change", headings, [row], right=(1, 2, 3))


def proposal(key: Configuration, value: Decimal | None) -> Confirmation:
    """Return the confirmation of proposing `value` for `key`; None before it is entered."""
    return Confirmation(
        title=f"Propose a change of {name_setting(key.key)}",
        facts=[("Description", describe_setting(key)), *_current_facts(key)],
        text=f"A second person must approve it. {describe_effect(key.key)}",
        submit="Propose",
        warnings=[] if value is None else find_notices(services.compare(key.key, value)),
    )


def find_change_notices(change: SettingChange) -> list[str]:
    """Return what the change does beyond its band."""
    return find_notices(services.compare(change.configuration_id, change.value))


def cancellation_request(change: SettingChange, _user: StaffUser) -> Confirmation:
    """Return the confirmation of requesting cancellation, by the first of two people."""
    return Confirmation(
        title=f"Request cancellation of {_name(change)}?",
        facts=change_facts(change),
        text="A second person must confirm before it takes effect.",
        submit="Request cancellation",
        blocker=first_error_message(lambda: services.require_no_cancellation_request(change)),
    )


def cancellation(change: SettingChange, user: StaffUser) -> Confirmation:
    """Return the confirmation of a cancellation, by the second of two people."""
    return Confirmation(
        title=f"Cancel {_name(change)}?",
        facts=[*change_facts(change), *_cancellation_facts(change)],
        text=f"The change does not take effect: {_current(change)} stays effective.",
        submit=f"Cancel {new_value(change)}",
        blocker=services.describe_cancellation_blocker(change, user),
        final=True,
    )


def cancellation_dismissal(change: SettingChange, _user: StaffUser) -> Confirmation:
    """Return the confirmation of dismissing a cancellation request."""
    return Confirmation(
        title=f"Keep {_name(change)}?",
        facts=[*change_facts(change), *_cancellation_facts(change)],
        text="The change takes effect as approved.",
        submit=f"Keep {new_value(change)}",
        blocker=first_error_message(lambda: services.require_cancellation_request(change)),
    )


def describe_effect(key: str) -> str:
    """Return what a change of the setting `key` applies to."""
    facts = setting_definitions().get(key)
    return facts.effect if facts else ""


def describe_setting(key: Configuration) -> str:
    """Return what the setting decides."""
    facts = setting_definitions().get(key.key)
    return facts.description if facts else key.description


def _name(change: SettingChange) -> str:
    return f"{name_setting(change.configuration_id)}: {new_value(change)}"


def _current(change: SettingChange) -> str:
    return describe_value(change.configuration_id, current_value(change))


def new_value(change: SettingChange) -> str:
    """Return the proposed value in words."""
    return describe_value(change.configuration_id, change.value)


def _current_facts(key: Configuration) -> list[tuple[str, object]]:
    """Return the effective value and the approved upcoming changes."""
    current = effective_setting(key.key)
    ahead = [
        f"{describe_value(key.key, row.value)} from {row.effective_at:{_SECOND}}"
        for row in upcoming_changes().filter(configuration=key)
    ]
    return [
        ("Effective value", describe_value(key.key, key.value if current is None else current)),
        ("Upcoming changes", "; ".join(ahead) or "none"),
    ]


def change_facts(change: SettingChange) -> list[tuple[str, object]]:
    """Return the facts about a change on the pages that decide about it."""
    key = change.configuration
    facts: list[tuple[str, object]] = [
        ("Setting", record_link(key, name_setting(key.key))),
        ("Description", describe_setting(key)),
        *_current_facts(key),
        ("New value", new_value(change)),
        ("Change", _change_cell(change)),
        ("Effective from", _effective_label(change)),
        ("Proposed by", change.proposed_by or "Command"),
        ("Reason", change.reason),
    ]
    if change.status == SettingChangeStatus.APPROVED:
        facts.append(("Approved by", change.decided_by))
        facts.append(("Reason of the approval", change.approval_reason or "none"))
    return facts


def _change_cell(change: SettingChange) -> str:
    text = difference(current_value(change), change.value)
    return status_badge(text, "bad") if find_change_notices(change) else text


def _cancellation_facts(change: SettingChange) -> list[tuple[str, object]]:
    return [
        ("Cancellation requested by", change.cancellation_requested_by),
        ("Cancellation reason", change.cancellation_reason),
    ]


def _effective_label(change: SettingChange) -> str:
    when = change.effective_at or change.effective_from
    if when is None:
        return "On approval"
    if change.status == SettingChangeStatus.PENDING and when <= timezone.now():
        return f"On approval ({when:{_SECOND}} has passed)"
    return f"{when:{_SECOND}}"
