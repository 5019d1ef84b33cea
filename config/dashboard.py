"""The front page of the admin: what matters first, each figure with the list behind it.

Only what the person may see is gathered. The number of queries does not grow with the rows; counts
stop where the lists they lead to stop counting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from config.roles import decides
from credit.admin.loan_lists import work as loan_work
from credit.models import LoanConfiguration
from credit.models.configurations import VersionStatus
from credit.selectors.overview import loans_by_state, owed_by_currency
from exchange.admin.bars import Bars, stacked_bars
from exchange.admin.base import COUNTED_AT_MOST, staff_of
from exchange.admin.show import age
from exchange.models import (
    AccessProposal,
    AccessProposalStatus,
    ApprovalStatus,
    Event,
    Quote,
    StaffUser,
)
from exchange.models.events import EventStatus
from wallets.admin.show import money
from wallets.admin.worklists import waiting, worklists_for
from wallets.models import (
    Alert,
    BooksProof,
    ConfigurationFigure,
    Deposit,
    DepositStatus,
    FigureStatus,
    Proposal,
    ProposalStatus,
    ReportStatus,
    WithdrawalStatus,
)
from wallets.selectors.overview import (
    Day,
    Paid,
    floats,
    last_comparison,
    last_proof,
    payouts_on_hold,
    payouts_that_ended,
    waiting_withdrawals,
)

CHART_DAYS = 30
# A proof older than this says nothing of today: it runs daily.
PROOF_GOOD_FOR = timedelta(hours=26)


@dataclass(frozen=True, slots=True)
class Item:
    """Something to be done: how many there are, and the list of them."""

    words: str
    url: str
    count: int
    explanation: str = ""

    @property
    def shown(self) -> str:
        """The count as it is read: `12`, or `10,000+` where counting stopped."""
        return f"{self.count:,}{'+' if self.count >= COUNTED_AT_MOST else ''}"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table on the page; `url` is the list behind its first cell."""

    words: str
    url: str
    cells: Sequence[object] = ()
    share: int = 0


@dataclass(frozen=True, slots=True)
class Proof:
    """The last proof of books: whether it holds, in a word and a sentence."""

    word: str
    words: str
    url: str
    good: bool
    when: object = ""


@dataclass(frozen=True, slots=True)
class Floats:
    """The provider's balances beside our clearing accounts, as the last report has them."""

    rows: Sequence[Row]
    word: str
    words: str
    url: str
    good: bool
    when: object = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """What the front page shows; what the person may not see is None."""

    decides: bool
    to_decide: Sequence[Item]
    stuck: Sequence[Item] | None
    waiting: Sequence[Row] | None
    payouts: Bars | None
    payout_days: Sequence[Row]
    paid: Sequence[Row]
    loans: Sequence[Row] | None
    owed: Sequence[Row]
    floats: Floats | None
    proof: Proof | None


def front(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """`context` of the front page with what it shows, for the settings of the theme."""
    return {**context, "desk": desk_of(staff_of(request))}


def desk_of(user: StaffUser) -> Desk:
    """The front page for `user`."""
    money_out = user.has_perm("wallets.view_withdrawal")
    credit = user.has_perm("credit.view_loan")
    counts = waiting(user) if money_out else {}
    ended, paid = payouts_that_ended(days=CHART_DAYS) if money_out else ([], [])
    bars, days = _payouts(ended) if money_out else (None, [])
    return Desk(
        decides=decides(user),
        to_decide=list(_to_decide(user, counts)),
        stuck=list(_stuck(user, counts)),
        waiting=_waiting() if money_out else None,
        payouts=bars,
        payout_days=days,
        paid=_paid(paid),
        loans=_loans() if credit else None,
        owed=_owed() if credit else [],
        floats=_floats() if user.has_perm("wallets.view_reconciliation") else None,
        proof=_proof() if user.has_perm("wallets.view_booksproof") else None,
    )


def _list(model: str, **query: str) -> str:
    """The address of a list of the admin, filtered."""
    address = reverse(f"admin:{model}_changelist")
    return f"{address}?{urlencode(query)}" if query else address


def _count(rows: QuerySet[Any]) -> int:
    return rows.order_by()[:COUNTED_AT_MOST].count()


_WITHDRAWALS_TO_DECIDE = ("mine", "second", "missing")


@dataclass(frozen=True, slots=True)
class _Queue:
    """Rows of one list that wait for somebody, for whoever may see that list."""

    app: str
    model: str
    words: str
    query: dict[str, str]
    rows: Callable[[], QuerySet[Any]]

    def item(self, user: StaffUser) -> Iterator[Item]:
        """What there is to do, if the person may see it."""
        if user.has_perm(f"{self.app}.view_{self.model}"):
            yield Item(
                self.words, _list(f"{self.app}_{self.model}", **self.query), _count(self.rows())
            )


def _in_status(model: type[Model], words: str, status: str) -> _Queue:
    """The rows of `model` in `status`."""
    app, name = model._meta.label_lower.split(".")
    rows = partial(model._default_manager.filter, status=status)
    return _Queue(app, name, words, {"status__exact": status}, rows)


_QUEUES = (
    _in_status(
        Proposal, "Lost or returned payouts, proposals to confirm", ProposalStatus.OPEN.value
    ),
    _in_status(Deposit, "Deposits to confirm", DepositStatus.PENDING.value),
    _in_status(AccessProposal, "Access proposals to confirm", AccessProposalStatus.PENDING.value),
    _in_status(Quote, "Quotes to approve", ApprovalStatus.PENDING.value),
    _in_status(ConfigurationFigure, "Figures to approve", FigureStatus.PENDING.value),
    _Queue(
        "credit",
        "loanconfiguration",
        "Loan configurations to decide",
        {"waiting": "yes"},
        lambda: LoanConfiguration.objects.filter(versions__status=VersionStatus.PENDING).distinct(),
    ),
)
_STUCK = (
    _in_status(Event, "Webhooks nobody took", EventStatus.EXHAUSTED.value),
    _Queue(
        "wallets",
        "alert",
        "Alerts",
        {"resolved_at__isempty": "1"},
        lambda: Alert.objects.filter(resolved_at=None),
    ),
)


def _to_decide(user: StaffUser, counts: dict[str, int]) -> Iterator[Item]:
    yield from _worklists(user, counts, "Withdrawals", to_decide=True)
    for queue in _QUEUES:
        yield from queue.item(user)
    if user.has_perm("credit.view_loan"):
        for work in loan_work():
            yield Item(work.words, work.url, work.count)


def _stuck(user: StaffUser, counts: dict[str, int]) -> Iterator[Item]:
    hold = payouts_on_hold(at_most=COUNTED_AT_MOST) if counts else None
    if hold is not None:
        yield Item(
            "Payouts on hold: the payment provider fails",
            _list("wallets_withdrawal", status=WithdrawalStatus.APPROVED.value),
            hold.waiting,
            f"For {age(hold.since)}. They are sent once the provider accepts one again.",
        )
    yield from _worklists(user, counts, "Payouts", to_decide=False)
    for queue in _STUCK:
        yield from queue.item(user)


def _worklists(
    user: StaffUser, counts: dict[str, int], what: str, *, to_decide: bool
) -> Iterator[Item]:
    """The saved views of withdrawals; `counts` is empty for who may not see withdrawals."""
    for one in worklists_for(user):
        if one.key in counts and (one.key in _WITHDRAWALS_TO_DECIDE) == to_decide:
            yield Item(
                f"{what}: {one.title.lower()}",
                _list("wallets_withdrawal", view=one.key),
                counts[one.key],
                one.explanation,
            )


def _waiting() -> list[Row]:
    return [
        Row(
            found.currency,
            _list("wallets_withdrawal", status="Pending", currency=found.currency),
            (f"{found.count:,}", money(found.amount, found.currency), age(found.oldest)),
        )
        for found in waiting_withdrawals()
    ]


def _payouts(days: Sequence[Day]) -> tuple[Bars, list[Row]]:
    completed = sum(day.completed for day in days)
    failed = sum(day.failed for day in days)
    returned = sum(day.reversed for day in days)
    bars = stacked_bars(
        name="payouts",
        title=f"Payouts that ended, by day, last {CHART_DAYS} days",
        words=f"{completed:,} completed, {failed:,} failed, {returned:,} returned by the bank.",
        series=("Completed", "Failed", "Returned"),
        columns=[(f"{day.day:%d %b}", (day.completed, day.failed, day.reversed)) for day in days],
    )
    rows = [
        Row(
            f"{day.day:%Y-%m-%d}",
            "",
            (
                _ended(WithdrawalStatus.COMPLETED, day.day, day.completed),
                _ended(WithdrawalStatus.FAILED, day.day, day.failed),
                _ended(WithdrawalStatus.REVERSED, day.day, day.reversed),
            ),
        )
        for day in reversed(days)
        if day.completed or day.failed or day.reversed
    ]
    return bars, rows


def _ended(status: WithdrawalStatus, day: date, count: int) -> str:
    """The count, leading to the payouts that ended so on that day."""
    if not count:
        return "0"
    query = {
        "status": status.value,
        "updated_at__gte": _midnight(day),
        "updated_at__lt": _midnight(day + timedelta(days=1)),
    }
    return format_html('<a href="{}">{}</a>', _list("wallets_withdrawal", **query), f"{count:,}")


def _midnight(day: date) -> str:
    return f"{day}T00:00:00Z"


def _paid(paid: Sequence[Paid]) -> list[Row]:
    since = timezone.now().date() - timedelta(days=CHART_DAYS - 1)
    return [
        Row(
            found.currency,
            _list(
                "wallets_withdrawal",
                status=WithdrawalStatus.COMPLETED.value,
                currency=found.currency,
                updated_at__gte=_midnight(since),
            ),
            (f"{found.count:,}", money(found.amount, found.currency)),
        )
        for found in paid
    ]


def _loans() -> list[Row]:
    found = loans_by_state()
    most = max((state.count for state in found), default=0) or 1
    return [
        Row(
            state.status.label,
            _list("credit_loan", status__exact=state.status),
            (f"{state.count:,}",),
            share=round(100 * state.count / most),
        )
        for state in found
    ]


def _owed() -> list[Row]:
    return [
        Row(
            found.currency,
            _list("credit_loan", currency__code__exact=found.currency),
            (f"{found.count:,}", money(found.amount, found.currency)),
        )
        for found in owed_by_currency()
    ]


def _bare(amount: Decimal | None, currency: str) -> str:
    """An amount in a row that names its currency."""
    return money(amount, currency).removesuffix(f" {currency}")


_COMPARED = {
    ReportStatus.AGREES: "The provider's transfers of the day agree with ours.",
    ReportStatus.DIFFERS: "The provider's transfers of the day differ from ours.",
    ReportStatus.INCOMPLETE: "The provider could not be relied on; nothing is shown to agree.",
}


def _floats() -> Floats:
    report = last_comparison()
    if report is None:
        every = _list("wallets_reconciliation")
        return Floats([], "Never compared", "No report has been made yet.", every, good=False)
    url = reverse("admin:wallets_reconciliation_change", args=[report.pk])
    rows = [
        Row(
            found.currency,
            url,
            (
                _bare(found.provider, found.currency),
                _bare(found.clearing, found.currency),
                _bare(found.under_way, found.currency),
                _bare(found.unexplained, found.currency),
            ),
        )
        for found in floats(report)
    ]
    status = ReportStatus(report.status)
    return Floats(
        rows,
        status.label,
        f"{report.day}: {_COMPARED[status]}",
        url,
        good=status == ReportStatus.AGREES,
        when=age(report.finished_at or report.created_at),
    )


def _proof() -> Proof:
    proof: BooksProof | None = last_proof()
    every = _list("wallets_booksproof")
    if proof is None:
        return Proof("Never ran", "The books have not been proven yet.", every, good=False)
    address = reverse("admin:wallets_booksproof_change", args=[proof.pk])
    when = age(proof.ran_at)
    if not proof.passed:
        off = len(proof.findings)
        words = f"{off:,} {'equality does' if off == 1 else 'equalities do'} not hold."
        return Proof("Off", words, address, good=False, when=when)
    if timezone.now() - proof.ran_at > PROOF_GOOD_FOR:
        words = "The last proof held, but it should have run again since."
        return Proof("Too old", words, address, good=False, when=when)
    return Proof("Holds", "Every equality holds.", address, good=True, when=when)
