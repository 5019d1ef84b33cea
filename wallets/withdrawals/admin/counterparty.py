"""A destination account on the pages of its bank records: who pays to it, what became of it, and
who verified it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django import forms
from django.db.models import Count, Max, Min, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import SafeAdmin, Section, Tool, staff_of
from exchange.admin.display import format_time, record_link
from exchange.admin.fields import ReasonField
from exchange.admin.forms import bind_form
from exchange.admin.panels import Panel
from exchange.core.currencies import format_money
from wallets.banks.models import BankAccount
from wallets.banks.verifications import VERIFY, verifications_of, verify_account
from wallets.withdrawals.admin.saved_views import returned_by_bank
from wallets.withdrawals.admin.show import withdrawal_badge
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus

VIEW_WITHDRAWALS = "wallets.view_withdrawal"
_ROWS = 20
_PAID = Q(status=WithdrawalStatus.COMPLETED) & ~returned_by_bank()
_NOT_PAID = Q(status__in=(WithdrawalStatus.FAILED, WithdrawalStatus.REVERSED)) | returned_by_bank()


class VerificationForm(forms.Form):
    """How an account was verified."""

    how = ReasonField(
        max_length=300, help_text="For example the telephone number that was called, or a document"
    )


def _same_account(record: BankAccount) -> QuerySet[Withdrawal]:
    """Return all withdrawals to the account of a bank record, of whatever owner."""
    return Withdrawal.objects.filter(
        bank__account_number=record.account_number, bank__code=record.code
    ).order_by()


class CounterpartyPanel(Panel):
    """Owners, names and payouts of the account, for those who may view withdrawals."""

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Tool]:
        """Return the link to the page that records a verification."""
        if not page.may(request, VERIFY):
            return ()
        return (Tool("Record verification", page.address("verify", record.pk)),)

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the URL of that page."""
        view = partial(self._verify, page)
        return [page.action_url("<uuid:object_id>/verify/", "verify", view, only_post=False)]

    def _verify(self, page: SafeAdmin, request: HttpRequest, object_id: object) -> HttpResponse:
        record = page.record(request, str(object_id), VERIFY)
        return page.form_page(
            request,
            bind_form(request, VerificationForm),
            lambda data: verify_account(record=record, how=data["how"], user=staff_of(request)),
            done="Verification recorded.",
            title=f"Record that you verified {record.account_name}",
            submit="Record verification",
            record=record,
            note=f"{record.name}, account {record.account_number}. Those who approve payouts to it"
            " see who verified it. No check is left out.",
        )

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Section]:
        """Return the tables."""
        if not page.may(request, VIEW_WITHDRAWALS):
            return ()
        return (_verifications(record), _owners(record), _names(record), _payouts(record))


def _uses(record: BankAccount) -> list[tuple[str, object]]:
    """Return how often the account was used, and since when."""
    found = _same_account(record).aggregate(
        first=Min("created_at"),
        paid=Count("pk", filter=_PAID),
        failed=Count("pk", filter=_NOT_PAID),
    )
    return [
        ("First seen (UTC)", format_time(found["first"] or record.created_at)),
        ("Paid", f"{found['paid']:,}"),
        ("Failed or returned", f"{found['failed']:,}"),
    ]


def _verifications(record: BankAccount) -> Section:
    found = list(verifications_of(record)[: _ROWS + 1])
    rows = [
        (format_time(each.created_at), each.account_name, each.verified_by, each.how)
        for each in found[:_ROWS]
    ]
    headings = ("Verified (UTC)", "Name", "By", "How")
    return Section(
        "Verifications", headings, rows, note=_note(found), empty="Not verified by staff."
    )


def _owners(record: BankAccount) -> Section:
    found = list(
        _same_account(record)
        # By id: owners may share a name.
        .values("organisation_id", "member_id", "organisation__name", "member__name")
        .annotate(
            requests=Count("pk"),
            paid=Count("pk", filter=_PAID),
            failed=Count("pk", filter=_NOT_PAID),
            first=Min("created_at"),
            last=Max("created_at"),
        )
        .order_by("-last", "organisation__name", "member__name")[: _ROWS + 1]
    )
    rows = [
        (
            row["member__name"] or "The organisation",
            row["organisation__name"],
            f"{row['requests']:,}",
            f"{row['paid']:,}",
            f"{row['failed']:,}",
            format_time(row["first"]),
            format_time(row["last"]),
        )
        for row in found[:_ROWS]
    ]
    headings = (
        "Owner", "Organisation", "Requests", "Paid", "Failed or returned", "First (UTC)",
        "Last (UTC)",
    )  # fmt: skip
    return Section(
        "Owners", headings, rows, right=(2, 3, 4), note=_note(found), facts=_uses(record)
    )


def _names(record: BankAccount) -> Section:
    found = list(
        BankAccount.objects.filter(account_number=record.account_number, code=record.code)
        .order_by()
        .values("provided_name", "account_name", "name_resolved")
        .annotate(count=Count("pk"), first=Min("created_at"), last=Max("created_at"))
        .order_by("-last", "provided_name", "account_name")[: _ROWS + 1]
    )
    rows = [
        (
            row["provided_name"],
            row["account_name"] if row["name_resolved"] else "Not provided by the bank",
            f"{row['count']:,}",
            format_time(row["first"]),
            format_time(row["last"]),
        )
        for row in found[:_ROWS]
    ]
    headings = ("Name provided", "Name at the bank", "Requests", "First (UTC)", "Last (UTC)")
    return Section("Names", headings, rows, right=(2,), note=_note(found))


def _payouts(record: BankAccount) -> Section:
    found = _same_account(record).select_related("organisation", "member", "bank", "payout")
    newest = list(found.order_by("-created_at", "-pk")[: _ROWS + 1])
    rows = [
        (
            format_time(withdrawal.created_at),
            record_link(withdrawal, withdrawal.reference),
            format_money(withdrawal.disburse_amount, withdrawal.currency_id),
            withdrawal.member or withdrawal.organisation,
            withdrawal_badge(withdrawal),
        )
        for withdrawal in newest[:_ROWS]
    ]
    headings = ("Requested (UTC)", "Withdrawal", "Net payout", "Owner", "Status")
    return Section("Withdrawals to this account", headings, rows, right=(2,), note=_note(newest))


def _note(found: Sequence[object]) -> str:
    return f"The latest {_ROWS}." if len(found) > _ROWS else ""
