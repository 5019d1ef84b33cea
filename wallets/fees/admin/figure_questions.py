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
from wallets.fees import services as figures
from wallets.fees.models import Configuration, ConfigurationFigure, FigureStatus
from wallets.fees.selectors import coming, figure_in_force

_SECOND = "%Y-%m-%d %H:%M:%S UTC"


def number(value: Decimal | None) -> str:
    """`1,234.5`; a dash for none."""
    return "-" if value is None else format_grouped(value)


def in_force_now(figure: ConfigurationFigure) -> Decimal:
    """The figure in force of the same key."""
    now = figure_in_force(figure.configuration_id)
    return figure.configuration.value if now is None else now


def is_to_come(figure: ConfigurationFigure) -> bool:
    """Whether it is approved and takes effect later."""
    return not first_error_message(lambda: figures.require_to_come(figure))


def what_changes(figure: ConfigurationFigure) -> Section:
    """The figure beside the one in force, and how long until it holds."""
    now = in_force_now(figure)
    when = figure.in_force_from or figure.effective_from
    if when is None or when <= timezone.now():
        starts = "as soon as it is approved"
    else:
        starts = f"{when:{_SECOND}}, in {format_duration(when - timezone.now())}"
    headings = ("", "In force now", "Then", "Change", "In force from")
    row = (
        figure.configuration.description,
        number(now),
        number(figure.value),
        difference(now, figure.value),
        starts,
    )
    return Section("What changes", headings, [row], right=(1, 2, 3))


def proposal(key: Configuration) -> Confirmation:
    """Asked for a new figure of `key`."""
    return Confirmation(
        title=f"Propose a figure for {key.key}",
        facts=[("What it is", key.description), *_as_it_is(key)],
        text="Somebody else must approve it; from its instant on it holds by itself. Withdrawals "
        "that exist keep what they have.",
        submit="Propose",
    )


def approval(figure: ConfigurationFigure, user: StaffUser) -> Confirmation:
    """Asked of another person than who proposed it."""
    return Confirmation(
        title=f"Approve {_name(figure)}?",
        facts=_facts(figure),
        text="From its instant on it holds for whatever is done then. Withdrawals that exist keep "
        "what they have.",
        submit=f"Yes, approve {number(figure.value)}",
        blocker=figures.FIGURES.describe_blocker(figure, user),
    )


def rejection(figure: ConfigurationFigure, _user: StaffUser) -> Confirmation:
    """Asked with a reason."""
    return Confirmation(
        title=f"Reject {_name(figure)}?",
        facts=_facts(figure),
        text="The figure in force stays as it is.",
        submit=f"Yes, reject {number(figure.value)}",
        blocker=figures.FIGURES.describe_closed(figure),
        final=True,
    )


def taking_back(figure: ConfigurationFigure, user: StaffUser) -> Confirmation:
    """Asked of whoever proposed it."""
    return Confirmation(
        title=f"Take {_name(figure)} back?",
        facts=_facts(figure),
        text="The figure in force stays as it is.",
        submit=f"Yes, take {number(figure.value)} back",
        blocker=first_error_message(lambda: figures.require_own(figure, user)),
    )


def withdrawal(figure: ConfigurationFigure, _user: StaffUser) -> Confirmation:
    """Asked, with a reason, of the first of two."""
    return Confirmation(
        title=f"Ask to withdraw {_name(figure)}?",
        facts=_facts(figure),
        text="Somebody else has to agree before it takes effect.",
        submit="Yes, ask to withdraw it",
        blocker=first_error_message(lambda: figures.require_not_asked_for(figure)),
    )


def agreement(figure: ConfigurationFigure, user: StaffUser) -> Confirmation:
    """Asked of the second of two."""
    return Confirmation(
        title=f"Withdraw {_name(figure)}?",
        facts=[*_facts(figure), *_asked_for(figure)],
        text=f"It never takes effect: {number(in_force_now(figure))} stays in force.",
        submit=f"Yes, withdraw {number(figure.value)}",
        blocker=figures.describe_obstacle_to_withdrawal(figure, user),
        final=True,
    )


def keeping(figure: ConfigurationFigure, _user: StaffUser) -> Confirmation:
    """Asked before the asking is ended."""
    return Confirmation(
        title=f"Keep {_name(figure)}?",
        facts=[*_facts(figure), *_asked_for(figure)],
        text="It takes effect as approved.",
        submit=f"Yes, keep {number(figure.value)}",
        blocker=first_error_message(lambda: figures.require_asked_for(figure)),
    )


def _name(figure: ConfigurationFigure) -> str:
    return f"{figure.configuration_id} {number(figure.value)}"


def _as_it_is(key: Configuration) -> list[tuple[str, object]]:
    """What holds of the key, and what is on its way."""
    in_force = figure_in_force(key.key)
    ahead = [
        f"{number(row.value)} from {row.in_force_from:{_SECOND}}"
        for row in coming().filter(configuration=key)
    ]
    return [
        ("In force now", number(key.value if in_force is None else in_force)),
        ("Approved and to come", "; ".join(ahead) or "nothing"),
    ]


def _facts(figure: ConfigurationFigure) -> list[tuple[str, object]]:
    key = figure.configuration
    facts: list[tuple[str, object]] = [
        ("Figure", record_link(key, key.key)),
        ("What it is", key.description),
        *_as_it_is(key),
        ("Proposed", number(figure.value)),
        ("Change", difference(in_force_now(figure), figure.value)),
        ("In force from", _starts(figure)),
        ("Proposed by", figure.proposed_by),
        ("Why", figure.reason),
    ]
    if figure.status == FigureStatus.APPROVED:
        facts.append(("Approved by", figure.decided_by))
    return facts


def _asked_for(figure: ConfigurationFigure) -> list[tuple[str, object]]:
    return [
        ("Asked to be withdrawn by", figure.withdrawal_asked_by),
        ("Why withdraw", figure.withdrawal_reason),
    ]


def _starts(figure: ConfigurationFigure) -> str:
    when = figure.in_force_from or figure.effective_from
    if when is None:
        return "its approval"
    if figure.status == FigureStatus.PENDING and when <= timezone.now():
        return f"its approval: {when:{_SECOND}} has passed"
    return f"{when:{_SECOND}}"
