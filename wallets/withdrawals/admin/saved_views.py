"""Saved views of the withdrawals list: a condition each, and the number of matches.

`awaiting_my_approval`  Pending, complete, neither entered nor approved by the user
`first_approval`        Pending, complete, without an approval; for those who do not approve
`second_approval`       Pending with one of two approvals, not by the user
`awaiting_others`       Pending, entered or approved by the user
`missing_details`       Pending without all details its payout needs
`stuck`                 Unknown; Approved for 15 minutes; Processing for 4 hours
`returned`              Completed, and returned by the bank
`failed`                Failed since midnight, UTC
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q
from django.http import QueryDict
from django.utils import timezone

from exchange.admin.saved_views import SavedView
from exchange.core.actors import Actor
from exchange.core.currencies import payout_currencies
from exchange.questions.selectors import waiting_since
from exchange.staff.admin.pending import Queue
from exchange.staff.models import StaffUser
from wallets.banks.payout_details import required_fields
from wallets.withdrawals.admin.show import RETURNED
from wallets.withdrawals.models import OPEN_STATUSES, Withdrawal, WithdrawalStatus
from wallets.withdrawals.services.decisions import DECIDE

APPROVED_TOO_LONG = timedelta(minutes=15)
PROCESSING_TOO_LONG = timedelta(hours=4)
_DECISIONS = ("approve_selected", "reject_selected")
_REVERSAL = ("reverse_selected",)
_PENDING = Q(status=WithdrawalStatus.PENDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawalView(SavedView):
    """Saved view of the list, chosen by its key; `rows` is its condition for a user."""

    rows: Callable[[StaffUser], Q]
    # Whether only approvers have it, or only others; None: everybody.
    for_approvers: bool | None = None
    # Bulk actions that its rows may take.
    actions: tuple[str, ...] = _DECISIONS

    @property
    def key(self) -> str:
        """The value of the parameter `view`."""
        return self.query["view"]

    def is_for(self, user: StaffUser) -> bool:
        """Return whether `user` has the view."""
        return self.for_approvers in (None, user.has_perm(DECIDE))

    def is_shown(self, query: QueryDict) -> bool:
        """Return whether the list shows the view, whatever else it filters by."""
        return query.get("view") == self.key


def missing_details() -> Q:
    """Return withdrawals whose bank record lacks required payout details."""
    lacking = Q(pk__in=())
    for currency in payout_currencies():
        missing = Q(pk__in=())
        for name in required_fields(currency):
            missing |= Q(**{f"bank__{name}__regex": r"^\s*$"})
        lacking |= Q(currency=currency) & missing
    return lacking


def awaiting_second_approval() -> Q:
    """Return Pending withdrawals with one of two approvals."""
    return _PENDING & Q(approvals_needed=2, first_approver__isnull=False, second_approver=None)


def stuck() -> Q:
    """Return payouts with an unknown outcome or open for too long."""
    now = timezone.now()
    # The first condition selects the partial index of open withdrawals.
    return Q(status__in=OPEN_STATUSES) & (
        Q(status=WithdrawalStatus.UNKNOWN)
        | Q(status=WithdrawalStatus.APPROVED, updated_at__lt=now - APPROVED_TOO_LONG)
        | Q(status=WithdrawalStatus.PROCESSING, updated_at__lt=now - PROCESSING_TOO_LONG)
    )


def returned_by_bank() -> Q:
    """Return Completed payouts that the bank returned; uses the `payout_returned` index."""
    return Q(
        status=WithdrawalStatus.COMPLETED,
        payout__provider_status="FAILED",
        payout__settled_at__isnull=False,
    )


def failed_today() -> Q:
    """Return payouts that failed since midnight, UTC."""
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return Q(status=WithdrawalStatus.FAILED, updated_at__gte=midnight)


def _entered_or_approved_by(user: StaffUser) -> Q:
    """Return those that `user` requested or approved and so cannot decide."""
    return Q(requested_by=str(Actor.staff(user.pk, ""))) | Q(first_approver=user)


def awaiting_approval_by(user: StaffUser) -> Q:
    """Return Pending ones that `user` can approve now."""
    return _PENDING & ~_entered_or_approved_by(user) & ~missing_details()


QUEUE = Queue(
    "Withdrawals to approve",
    DECIDE,
    lambda rows: rows.filter(_PENDING).exclude(missing_details()),
    _entered_or_approved_by,
    waiting_since("created_at"),
)
SAVED_VIEWS = (
    WithdrawalView(
        title="Awaiting my approval",
        explanation="You can approve these now.",
        query={"view": "awaiting_my_approval"},
        rows=awaiting_approval_by,
        for_approvers=True,
    ),
    WithdrawalView(
        title="First approval",
        explanation="No approval is recorded yet.",
        query={"view": "first_approval"},
        rows=lambda _: _PENDING & Q(first_approver=None) & ~missing_details(),
        for_approvers=False,
    ),
    WithdrawalView(
        title="Second approval",
        explanation="One of two approvals is recorded.",
        query={"view": "second_approval"},
        rows=lambda user: awaiting_second_approval() & ~_entered_or_approved_by(user),
    ),
    WithdrawalView(
        title="Awaiting others",
        explanation="You requested or approved these.",
        query={"view": "awaiting_others"},
        rows=lambda user: _PENDING & _entered_or_approved_by(user),
        for_approvers=True,
    ),
    WithdrawalView(
        title="Missing details",
        explanation="Payout details are incomplete.",
        query={"view": "missing_details"},
        rows=lambda _: _PENDING & missing_details(),
    ),
    WithdrawalView(
        title="Stuck",
        explanation="Unknown outcome, approved for 15 minutes, or at the provider for 4 hours.",
        query={"view": "stuck"},
        rows=lambda _: stuck(),
        actions=(),
    ),
    WithdrawalView(
        title=RETURNED,
        explanation="Reversal requires dual approval.",
        query={"view": "returned"},
        rows=lambda _: returned_by_bank(),
        actions=_REVERSAL,
    ),
    WithdrawalView(
        title="Failed today",
        explanation="Since midnight UTC.",
        query={"view": "failed"},
        rows=lambda _: failed_today(),
        actions=(),
    ),
)  # fmt: skip


def actions_of_view(query: Mapping[str, str]) -> tuple[str, ...]:
    """Return the bulk actions that the rows of a list with this query may take."""
    chosen = next((one for one in SAVED_VIEWS if one.key == query.get("view")), None)
    if chosen is not None:
        return chosen.actions
    status = query.get("status") or WithdrawalStatus.PENDING
    if status == "all":
        return (*_DECISIONS, *_REVERSAL)
    if status == "Returned":
        return _REVERSAL
    return _DECISIONS if status == WithdrawalStatus.PENDING else ()


def saved_views_for(user: StaffUser) -> tuple[WithdrawalView, ...]:
    """Return the views available to `user`."""
    return tuple(one for one in SAVED_VIEWS if one.is_for(user))


def count_by_view(user: StaffUser) -> dict[str, int]:
    """Return the number of withdrawals in each view of the user, by key, in two queries."""
    by_status = [one for one in saved_views_for(user) if one.key != "returned"]
    counts: dict[str, int] = Withdrawal.objects.filter(
        Q(status__in=OPEN_STATUSES) | failed_today()
    ).aggregate(**{one.key: Count("pk", filter=one.rows(user)) for one in by_status})
    # Counted separately, by its own index.
    return {**counts, "returned": Withdrawal.objects.filter(returned_by_bank()).order_by().count()}
