"""What is asked before somebody decides about a figure, and what stands in the way."""

from __future__ import annotations

from decimal import Decimal

from django.utils import timezone

from exchange.admin.base import Section
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import difference, format_duration, record_link
from exchange.core.numbers import format_grouped
from exchange.staff.approvals import first_error_message
from exchange.staff.models import StaffUser
from wallets.fees import services
from wallets.fees.models import Configuration, SettingChange, SettingChangeStatus
from wallets.fees.selectors import effective_setting, upcoming_changes

_SECOND = "%Y-%m-%d %H:%M:%S UTC"


def number(value: Decimal | None) -> str:
    """`1,234.5`; a dash for none."""
    return "-" if value is None else format_grouped(value)


def current_value(change: SettingChange) -> Decimal:
    """The figure in force of the same key."""
    now = effective_setting(change.configuration_id)
    return change.configuration.value if now is None else now


def is_upcoming(change: SettingChange) -> bool:
    """Whether it is approved and takes effect later."""
    return not first_error_message(lambda: services.require_upcoming(change))


def change_section(change: SettingChange) -> Section:
    """The figure beside the one in force, and how long until it holds."""
    now = current_value(change)
    when = change.effective_at or change.effective_from
    if when is None or when <= timezone.now():
        starts = "as soon as it is approved"
    else:
        starts = f"{when:{_SECOND}}, in {format_duration(when - timezone.now())}"
    headings = ("", "In force now", "Then", "Change", "In force from")
    row = (
        change.configuration.description,
        number(now),
        number(change.value),
        difference(now, change.value),
        starts,
    )
    return Section("What changes", headings, [row], right=(1, 2, 3))


def proposal(key: Configuration) -> Confirmation:
    """Asked for a new figure of `key`."""
    return Confirmation(
        title=f"Propose a figure for {key.key}",
        facts=[("What it is", key.description), *_current_facts(key)],
        text="Somebody else must approve it; from its instant on it holds by itself. Withdrawals "
        "that exist keep what they have.",
        submit="Propose",
    )


def approval(change: SettingChange, user: StaffUser) -> Confirmation:
    """Asked of another person than who proposed it."""
    return Confirmation(
        title=f"Approve {_name(change)}?",
        facts=_facts(change),
        text="From its instant on it holds for whatever is done then. Withdrawals that exist keep "
        "what they have.",
        submit=f"Yes, approve {number(change.value)}",
        blocker=services.SETTING_CHANGES.describe_blocker(change, user),
    )


def rejection(change: SettingChange, _user: StaffUser) -> Confirmation:
    """Asked with a reason."""
    return Confirmation(
        title=f"Reject {_name(change)}?",
        facts=_facts(change),
        text="The figure in force stays as it is.",
        submit=f"Yes, reject {number(change.value)}",
        blocker=services.SETTING_CHANGES.describe_closed(change),
        final=True,
    )


def confirm_take_back(change: SettingChange, user: StaffUser) -> Confirmation:
    """Asked of whoever proposed it."""
    return Confirmation(
        title=f"Take {_name(change)} back?",
        facts=_facts(change),
        text="The figure in force stays as it is.",
        submit=f"Yes, take {number(change.value)} back",
        blocker=first_error_message(lambda: services.require_proposer(change, user)),
    )


def cancellation_request(change: SettingChange, _user: StaffUser) -> Confirmation:
    """Asked, with a reason, of the first of two."""
    return Confirmation(
        title=f"Ask to withdraw {_name(change)}?",
        facts=_facts(change),
        text="Somebody else has to agree before it takes effect.",
        submit="Yes, ask to withdraw it",
        blocker=first_error_message(lambda: services.require_no_cancellation_request(change)),
    )


def cancellation(change: SettingChange, user: StaffUser) -> Confirmation:
    """Asked of the second of two."""
    return Confirmation(
        title=f"Withdraw {_name(change)}?",
        facts=[*_facts(change), *_cancellation_facts(change)],
        text=f"It never takes effect: {number(current_value(change))} stays in force.",
        submit=f"Yes, withdraw {number(change.value)}",
        blocker=services.describe_cancellation_blocker(change, user),
        final=True,
    )


def cancellation_dismissal(change: SettingChange, _user: StaffUser) -> Confirmation:
    """Asked before the asking is ended."""
    return Confirmation(
        title=f"Keep {_name(change)}?",
        facts=[*_facts(change), *_cancellation_facts(change)],
        text="It takes effect as approved.",
        submit=f"Yes, keep {number(change.value)}",
        blocker=first_error_message(lambda: services.require_cancellation_request(change)),
    )


def _name(change: SettingChange) -> str:
    return f"{change.configuration_id} {number(change.value)}"


def _current_facts(key: Configuration) -> list[tuple[str, object]]:
    """What holds of the key, and what is on its way."""
    current = effective_setting(key.key)
    ahead = [
        f"{number(row.value)} from {row.effective_at:{_SECOND}}"
        for row in upcoming_changes().filter(configuration=key)
    ]
    return [
        ("In force now", number(key.value if current is None else current)),
        ("Approved and to come", "; ".join(ahead) or "nothing"),
    ]


def _facts(change: SettingChange) -> list[tuple[str, object]]:
    key = change.configuration
    facts: list[tuple[str, object]] = [
        ("Figure", record_link(key, key.key)),
        ("What it is", key.description),
        *_current_facts(key),
        ("Proposed", number(change.value)),
        ("Change", difference(current_value(change), change.value)),
        ("In force from", _effective_label(change)),
        ("Proposed by", change.proposed_by),
        ("Why", change.reason),
    ]
    if change.status == SettingChangeStatus.APPROVED:
        facts.append(("Approved by", change.decided_by))
    return facts


def _cancellation_facts(change: SettingChange) -> list[tuple[str, object]]:
    return [
        ("Asked to be withdrawn by", change.cancellation_requested_by),
        ("Why withdraw", change.cancellation_reason),
    ]


def _effective_label(change: SettingChange) -> str:
    when = change.effective_at or change.effective_from
    if when is None:
        return "its approval"
    if change.status == SettingChangeStatus.PENDING and when <= timezone.now():
        return f"its approval: {when:{_SECOND}} has passed"
    return f"{when:{_SECOND}}"
