"""Loans on the page of their borrower, of the borrower's organisation and of the lender."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from credit.loans.admin.loan_page import is_open, loan_state
from credit.loans.models import Loan, LoanStatus
from credit.loans.services.valuation import amount_owed
from exchange.admin.base import SafeAdmin, Section
from exchange.admin.display import format_time, record_link, status_badge
from exchange.core.currencies import format_money
from exchange.participants.admin.owner_records import Owner, OwnerRecords, TimelineColumns
from exchange.participants.models import Member


class LoansPanel(OwnerRecords):
    """The newest loans to a member, or to members of an organisation and by it as lender."""

    model = Loan
    title = "Loans"
    headings = (
        "Disbursed (UTC)",
        "Principal",
        "Outstanding",
        "Borrower",
        "Lender",
        "Due",
        "Status",
    )
    right = (1, 2)
    related = ("borrower", "creditor")
    has_member = False
    tab = "Loans"
    timeline = TimelineColumns("Loan", amount="amount", currency="currency_id", state="status")

    def branches(self, owner: Owner) -> Sequence[Q]:
        if isinstance(owner, Member):
            return (Q(borrower=owner.pk),)
        return (Q(organisation=owner.pk), Q(creditor=owner.pk))

    def cells(self, record: Loan, owner: Owner) -> tuple[object, ...]:
        borrower, lender = record.borrower, record.creditor
        owed = amount_owed(record) if is_open(record) else None
        return (
            format_time(record.created_at),
            record_link(record, format_money(record.amount, record.currency_id)),
            format_money(owed, record.currency_id),
            str(borrower) if borrower == owner else record_link(borrower),
            str(lender) if lender == owner else record_link(lender),
            f"{record.repayment_date:%Y-%m-%d}",
            loan_state(record),
        )

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Section]:
        """Return the table, and how many loans are overdue, if any."""
        sections = super().sections(page, request, record)
        if not any(section.rows for section in sections):
            return sections
        late = Q(status__in=(LoanStatus.OVERDUE, LoanStatus.DEFAULTED))
        owned = Q.create(list(self.branches(record)), connector=Q.OR)
        found = self.rows().filter(late, owned).count()
        overdue = [("Overdue loans", status_badge(str(found), "bad"))] if found else []
        return [replace(section, facts=overdue) for section in sections]

    def list_query(self, owner: Owner) -> Mapping[str, str]:
        return {"q": str(owner.pk)}
