"""Filters of the loan list, and the queues that link to it."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone

from credit.loans.models import (
    OPEN,
    ClosureProposal,
    ClosureStatus,
    Loan,
    LoanStatus,
    Shortfall,
    Valuation,
)
from credit.loans.services import closures
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilters,
    OptionFilter,
    currency_filter,
    id_filter,
)
from exchange.admin.paging import COUNT_LIMIT
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.staff.admin.pending import Queue, QueueFilter

Loans = QuerySet[Loan]

_PENDING = ClosureStatus.PENDING


def in_shortfall(loans: Loans) -> Loans:
    """Filter loans with an open shortfall."""
    return loans.filter(Exists(Shortfall.objects.filter(loan=OuterRef("pk"), cured_at=None)))


# A loan is near its margin call from this share of its maximum LTV.
_NEAR_SHARE = Decimal("0.9")
# Sort order of the list: LTV column, descending.
_BY_LOAN_TO_VALUE = "-6"


def near_margin_call(loans: Loans) -> Loans:
    """Filter open loans without a shortfall whose last LTV is at least 90 % of their maximum."""
    return loans.filter(
        status__in=OPEN, valuation__loan_to_value__gte=F("collateral_ratio") * _NEAR_SHARE
    ).exclude(pk__in=in_shortfall(Loan.objects.all()))


def _pending_closures() -> QuerySet[ClosureProposal]:
    return ClosureProposal.objects.filter(loan=OuterRef("pk"), status=_PENDING)


def with_pending_closure(loans: Loans) -> Loans:
    """Filter loans with a pending closure proposal."""
    return loans.filter(Exists(_pending_closures()))


def defaulted_without_proposal(loans: Loans) -> Loans:
    """Filter defaulted loans without a pending closure proposal."""
    return loans.filter(~Exists(_pending_closures()), status=LoanStatus.DEFAULTED)


QUEUE = Queue(
    "Loan closures to confirm",
    closures.PERMISSION,
    filter_pending=with_pending_closure,
    proposed_by=lambda user: Q(
        Exists(_pending_closures().filter(closures.CLOSURES.proposed_by(user)))
    ),
    since=Subquery(_pending_closures().order_by("created_at").values("created_at")[:1]),
)


def _due_within(loans: Loans, days: int) -> Loans:
    now = timezone.now()
    return loans.filter(
        status__in=OPEN, repayment_date__gt=now, repayment_date__lte=now + timedelta(days=days)
    )


class LoanListFilters(ListFilters):
    decision = QueueFilter(QUEUE)
    status__exact = ChoiceFilter("status", LoanStatus.choices, title="status")
    state = OptionFilter(
        "open or closed",
        ("open", "Open", lambda loans: loans.filter(status__in=OPEN)),
        ("closed", "Closed", lambda loans: loans.exclude(status__in=OPEN)),
    )
    shortfall = OptionFilter(
        "margin call",
        ("open", "Open", in_shortfall),
        ("near", "Near: at least 90 % of maximum LTV", near_margin_call),
        ("none", "None", lambda loans: loans.exclude(pk__in=in_shortfall(Loan.objects.all()))),
        (
            "unvalued",
            "Cannot be valued",
            lambda loans: loans.filter(
                Exists(Valuation.objects.filter(loan=OuterRef("pk")).exclude(problem="")),
                status__in=OPEN,
            ),
        ),
    )
    closure = OptionFilter(
        "closure",
        ("pending", "Proposal pending", with_pending_closure),
        ("none", "Defaulted, no proposal", defaulted_without_proposal),
    )
    due = OptionFilter(
        "due date",
        (
            "late",
            "Overdue",
            lambda loans: loans.filter(status__in=OPEN, repayment_date__lte=timezone.now()),
        ),
        ("week", "Within 7 days", partial(_due_within, days=7)),
        ("month", "Within 30 days", partial(_due_within, days=30)),
        (
            "later",
            "Later",
            lambda loans: loans.filter(
                status__in=OPEN, repayment_date__gt=timezone.now() + timedelta(days=30)
            ),
        ),
    )
    currency__code__exact = currency_filter()
    creditor_name = OrganisationNameFilter("creditor", title="lender")
    creditor__id__exact = id_filter("creditor")


@dataclass(frozen=True, slots=True)
class LoanQueue:
    """A queue of loans for credit officers. `more` marks a count cut off at the limit."""

    label: str
    url: str
    count: int
    more: bool


def count_loan_queues() -> list[LoanQueue]:
    """Count the loan queues, with the filters of the lists they link to."""
    address = reverse("admin:credit_loan_changelist")
    found = []
    for label, query, narrow in (
        ("Loans with a margin call", "shortfall=open", in_shortfall),
        ("Loans near margin call", f"shortfall=near&o={_BY_LOAN_TO_VALUE}", near_margin_call),
        ("Defaulted loans without a proposal", "closure=none", defaulted_without_proposal),
    ):
        count = narrow(Loan.objects.order_by())[:COUNT_LIMIT].count()
        found.append(LoanQueue(label, f"{address}?{query}", count, count >= COUNT_LIMIT))
    return found
