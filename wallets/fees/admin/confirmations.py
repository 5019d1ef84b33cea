"""Confirmations of settings changes: facts, consequences and blockers of each decision."""

from __future__ import annotations

from decimal import Decimal

from django.utils import timezone

from exchange.admin.base import Section
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import difference, format_duration, record_link
from exchange.core.currencies import payout_currencies
from exchange.core.numbers import format_grouped
from exchange.staff.approvals import first_error_message
from exchange.staff.models import StaffUser
from wallets.fees import services
from wallets.fees.models import Configuration, SettingChange, SettingChangeStatus
from wallets.fees.selectors import effective_setting, upcoming_changes

_SECOND = "%Y-%m-%d %H:%M:%S UTC"


def number(value: Decimal | None) -> str:
    """Return `1,234.5`, or a dash for None."""
    return "-" if value is None else format_grouped(value)


def with_unit(key: str, value: Decimal | None) -> str:
    """Return a value of the setting `key` with its unit: `50 NGN`, `1,500 NGN per USD`."""
    codes = payout_currencies()
    code = next((c for c in codes if key.startswith(f"{c}_") or key.endswith(f"_{c}")), "")
    unit = f"{code} per USD" if code and key.endswith("_USD_RATE") else code
    return f"{number(value)} {unit}".rstrip()


def current_value(change: SettingChange) -> Decimal:
    """Return the effective value of the same setting."""
    now = effective_setting(change.configuration_id)
    return change.configuration.value if now is None else now


def is_upcoming(change: SettingChange) -> bool:
    """Return whether the change is approved and takes effect later."""
    return not first_error_message(lambda: services.require_upcoming(change))


def change_section(change: SettingChange) -> Section:
    """Return the change compared with the effective value, and when it takes effect."""
    now = current_value(change)
    when = change.effective_at or change.effective_from
    if when is None or when <= timezone.now():
        starts = "on approval"
    else:
        starts = f"{when:{_SECOND}}, in {format_duration(when - timezone.now())}"
    headings = ("", "Effective value", "New value", "Change", "Effective from")
    row = (
        change.configuration.description,
        with_unit(change.configuration_id, now),
        with_unit(change.configuration_id, change.value),
        difference(now, change.value),
        starts,
    )
    return Section("Proposed change", headings, [row], right=(1, 2, 3))


def proposal(key: Configuration) -> Confirmation:
    """Return the confirmation of proposing a change of `key`."""
    return Confirmation(
        title=f"Propose a change of {key.key}",
        facts=[("Description", key.description), *_current_facts(key)],
        text=f"A second person must approve it. {_effect(key.key)}",
        submit="Propose",
    )


def approval(change: SettingChange, user: StaffUser) -> Confirmation:
    """Return the confirmation of an approval, by someone other than the proposer."""
    return Confirmation(
        title=f"Approve {_name(change)}?",
        facts=_facts(change),
        text=_effect(change.configuration_id),
        submit=f"Approve {number(change.value)}",
        blocker=services.SETTING_CHANGES.describe_blocker(change, user),
    )


def rejection(change: SettingChange, _user: StaffUser) -> Confirmation:
    """Return the confirmation of a rejection, with a reason."""
    return Confirmation(
        title=f"Reject {_name(change)}?",
        facts=_facts(change),
        text="The effective value stays unchanged.",
        submit=f"Reject {number(change.value)}",
        blocker=services.SETTING_CHANGES.describe_closed(change),
        final=True,
    )


def proposal_cancellation(change: SettingChange, user: StaffUser) -> Confirmation:
    """Return the confirmation of cancelling one's own proposal."""
    return Confirmation(
        title=f"Cancel the proposal of {_name(change)}?",
        facts=_facts(change),
        text="The effective value stays unchanged.",
        submit="Cancel proposal",
        blocker=first_error_message(lambda: services.require_proposer(change, user)),
    )


def cancellation_request(change: SettingChange, _user: StaffUser) -> Confirmation:
    """Return the confirmation of requesting cancellation, by the first of two people."""
    return Confirmation(
        title=f"Request cancellation of {_name(change)}?",
        facts=_facts(change),
        text="A second person must confirm before it takes effect.",
        submit="Request cancellation",
        blocker=first_error_message(lambda: services.require_no_cancellation_request(change)),
    )


def cancellation(change: SettingChange, user: StaffUser) -> Confirmation:
    """Return the confirmation of a cancellation, by the second of two people."""
    return Confirmation(
        title=f"Cancel {_name(change)}?",
        facts=[*_facts(change), *_cancellation_facts(change)],
        text=f"The change does not take effect: {number(current_value(change))} stays effective.",
        submit=f"Cancel {number(change.value)}",
        blocker=services.describe_cancellation_blocker(change, user),
        final=True,
    )


def cancellation_dismissal(change: SettingChange, _user: StaffUser) -> Confirmation:
    """Return the confirmation of dismissing a cancellation request."""
    return Confirmation(
        title=f"Keep {_name(change)}?",
        facts=[*_facts(change), *_cancellation_facts(change)],
        text="The change takes effect as approved.",
        submit=f"Keep {number(change.value)}",
        blocker=first_error_message(lambda: services.require_cancellation_request(change)),
    )


def _effect(key: str) -> str:
    """Return what a change of the setting `key` applies to."""
    if key == services.PAYOUTS_ON_HOLD:
        return (
            "Applies to every payout that is not sent yet. Before you end a hold after a restore,"
            " look at the reconciliations of every day since."
        )
    return (
        "Applies to withdrawals requested from the effective date. Existing withdrawals are"
        " unaffected."
    )


def _name(change: SettingChange) -> str:
    return f"{change.configuration_id} {number(change.value)}"


def _current_facts(key: Configuration) -> list[tuple[str, object]]:
    """Return the effective value and the approved upcoming changes."""
    current = effective_setting(key.key)
    ahead = [
        f"{with_unit(key.key, row.value)} from {row.effective_at:{_SECOND}}"
        for row in upcoming_changes().filter(configuration=key)
    ]
    return [
        ("Effective value", with_unit(key.key, key.value if current is None else current)),
        ("Upcoming changes", "; ".join(ahead) or "none"),
    ]


def _facts(change: SettingChange) -> list[tuple[str, object]]:
    key = change.configuration
    facts: list[tuple[str, object]] = [
        ("Setting", record_link(key, key.key)),
        ("Description", key.description),
        *_current_facts(key),
        ("New value", with_unit(key.key, change.value)),
        ("Change", difference(current_value(change), change.value)),
        ("Effective from", _effective_label(change)),
        ("Proposed by", change.proposed_by or "Command"),
        ("Reason", change.reason),
    ]
    if change.status == SettingChangeStatus.APPROVED:
        facts.append(("Approved by", change.decided_by))
    return facts


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
