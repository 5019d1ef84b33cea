"""How the list of loans is narrowed down, and what of it waits for somebody."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial

from django.db.models import Exists, F, OuterRef, Q, QuerySet
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
    """Those whose collateral does not cover them."""
    return loans.filter(Exists(Shortfall.objects.filter(loan=OuterRef("pk"), cured_at=None)))


# From this part of the most a loan may be of its collateral's value, it is near its shortfall.
_NEAR_SHARE = Decimal("0.9")
# The list's own column, the highest first.
_BY_LOAN_TO_VALUE = "-6"


def near_margin_call(loans: Loans) -> Loans:
    """Open ones not yet short, whose principal owed is 90 % or more of what the collateral's value
    at the last valuation lends.
    """
    return loans.filter(
        status__in=OPEN, valuation__loan_to_value__gte=F("collateral_ratio") * _NEAR_SHARE
    ).exclude(pk__in=in_shortfall(Loan.objects.all()))


def _pending_closures() -> QuerySet[ClosureProposal]:
    return ClosureProposal.objects.filter(loan=OuterRef("pk"), status=_PENDING)


def with_pending_closure(loans: Loans) -> Loans:
    """Those with a proposal that waits for its second person."""
    return loans.filter(Exists(_pending_closures()))


def defaulted_without_proposal(loans: Loans) -> Loans:
    """Defaulted ones that nobody has proposed to end."""
    return loans.filter(~Exists(_pending_closures()), status=LoanStatus.DEFAULTED)


QUEUE = Queue(
    "Loan endings to confirm",
    closures.PERMISSION,
    filter_pending=with_pending_closure,
    proposed_by=lambda user: Q(
        Exists(_pending_closures().filter(closures.CLOSURES.proposed_by(user)))
    ),
)


def _due_within(loans: Loans, days: int) -> Loans:
    now = timezone.now()
    return loans.filter(
        status__in=OPEN, repayment_date__gt=now, repayment_date__lte=now + timedelta(days=days)
    )


class LoanFilters(ListFilters):
    decision = QueueFilter(QUEUE)
    status__exact = ChoiceFilter("status", LoanStatus.choices, title="status")
    shortfall = OptionFilter(
        "shortfall",
        ("open", "Open", in_shortfall),
        ("near", "Near: 90 % or more of what may be lent", near_margin_call),
        ("none", "None open", lambda loans: loans.exclude(pk__in=in_shortfall(Loan.objects.all()))),
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
        ("pending", "A proposal waits", with_pending_closure),
        ("none", "Defaulted, nothing proposed", defaulted_without_proposal),
    )
    due = OptionFilter(
        "due date",
        (
            "late",
            "Past, and open",
            lambda loans: loans.filter(status__in=OPEN, repayment_date__lte=timezone.now()),
        ),
        ("week", "Within 7 days", partial(_due_within, days=7)),
        ("month", "Within 30 days", partial(_due_within, days=30)),
        (
            "later",
            "Later than that",
            lambda loans: loans.filter(
                status__in=OPEN, repayment_date__gt=timezone.now() + timedelta(days=30)
            ),
        ),
    )
    currency__code__exact = currency_filter()
    creditor_name = OrganisationNameFilter("creditor")
    creditor__id__exact = id_filter("creditor")


@dataclass(frozen=True, slots=True)
class LoanQueue:
    """What waits for credit officers, and where it is listed; `more` when there is yet more."""

    words: str
    url: str
    count: int
    more: bool


def count_loan_queues() -> list[LoanQueue]:
    """What waits, counted as the lists that it leads to are filtered."""
    address = reverse("admin:credit_loan_changelist")
    found = []
    for words, query, narrow in (
        ("Loans short of collateral", "shortfall=open", in_shortfall),
        ("Loans near their shortfall", f"shortfall=near&o={_BY_LOAN_TO_VALUE}", near_margin_call),
        ("Defaulted loans, nothing proposed", "closure=none", defaulted_without_proposal),
    ):
        count = narrow(Loan.objects.order_by())[:COUNT_LIMIT].count()
        found.append(LoanQueue(words, f"{address}?{query}", count, count >= COUNT_LIMIT))
    return found
