"""Approval and rejection of withdrawals, single from the review page or in bulk from the list.

Every decision takes two POSTs. The first shows a confirmation page with amount, payee and flags and
changes nothing; the second decides exactly the versions and flags shown. A withdrawal with critical
flags is approved only on its own page, with a written reason. A bulk decision runs one transaction
per withdrawal and reports each result. A repeated POST carries outdated versions, so nothing is
decided twice. A GET (browser back, fresh second factor) redirects to the page it started from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern

from exchange.admin.base import staff_of
from exchange.admin.fields import VISIBLE, audience_help
from exchange.admin.queue_pages import queue_step, wants_next
from exchange.core.errors import DomainError
from exchange.staff.models import StaffUser
from wallets.withdrawals.admin.bulk_rows import (
    APPROVE,
    REJECT,
    BulkRow,
    build_rows,
    decide_row,
    describe_decision,
    describe_error,
    excluded_results,
    parse_seen_flags,
    parse_versions,
    total_by_currency,
)
from wallets.withdrawals.admin.review import (
    current_flags,
    decision_flags,
    describe_blocker,
    payment_summary,
)
from wallets.withdrawals.admin.review_page import ReviewPage
from wallets.withdrawals.admin.second_approval import explain_second_approval
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus
from wallets.withdrawals.services import decisions
from wallets.withdrawals.services.decisions import DECIDE
from wallets.withdrawals.services.transitions import build_conflict

MAX_BULK = 100
_SERVICES: dict[str, Callable[..., Withdrawal]] = {
    APPROVE: decisions.approve,
    REJECT: decisions.reject,
}
_REASON_HELP = audience_help(
    VISIBLE, "It sees the reason of a rejection. The note of an approval is internal"
)
_REASON_REQUIRED = "Enter a reason for the rejection"
# Error codes after which the page is shown again with the submitted values.
_REDISPLAY_CODES = {"critical_flag_not_overridden", "flagged_meanwhile"}
_OVERRIDE_REQUIRED = "Flagged as critical. Enter a reason to approve it anyway."


class DecisionForm(forms.Form):
    """Decision on the version shown; `confirmed` marks the second POST."""

    version = forms.IntegerField(min_value=1)
    reason = forms.CharField(max_length=500, required=False, help_text=_REASON_HELP)
    override = forms.CharField(max_length=500, required=False)
    confirmed = forms.BooleanField(required=False)


class BulkForm(forms.Form):
    """Bulk decision; the rows are posted as `row`: `<id>:<version>`."""

    decision = forms.ChoiceField(choices=[(APPROVE, "Approve"), (REJECT, "Reject")])
    reason = forms.CharField(max_length=500, required=False, help_text=_REASON_HELP)


class DecisionPages(ReviewPage):
    """Approval and rejection pages of the withdrawals admin."""

    actions = ("approve_selected", "reject_selected")  # type: ignore[assignment]

    def decision_urls(self) -> list[URLPattern]:
        """Return the URLs of this module's pages."""
        one = "<uuid:object_id>"
        return [
            self.action_url("decide/", "bulk", self.bulk, only_post=False),
            self.action_url(f"{one}/approve/", "approve", self.approve, only_post=False),
            self.action_url(f"{one}/reject/", "reject", self.reject, only_post=False),
        ]

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Return whether the user sees the bulk actions of the list."""
        return self.may(request, DECIDE)

    # --- one, from its page ---

    def approve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Approve the version shown."""
        return self._decide(request, object_id, APPROVE)

    def reject(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Reject the version shown; a reason is required."""
        return self._decide(request, object_id, REJECT)

    def _decide(self, request: HttpRequest, object_id: UUID, decision: str) -> HttpResponse:
        withdrawal: Withdrawal = self.record(request, object_id)
        self.require(request, DECIDE)
        if request.method != "POST":
            return self.redirect_to_record(object_id)
        form = DecisionForm(request.POST)
        if not form.is_valid():
            message = "The form is incomplete. No changes were made."
            wrong = {
                field: str(form.errors[name][0])
                for name, field in (("reason", decision), ("override", "override"))
                if name in form.errors
            }
            return self._show_error(request, withdrawal, message, wrong)
        version = form.cleaned_data["version"]
        if not form.cleaned_data["confirmed"]:
            blocker = self._find_blocker(withdrawal, decision, form.cleaned_data, staff_of(request))
            if not blocker:
                return self._confirm(request, withdrawal, decision, form.cleaned_data)
            fields = {_REASON_REQUIRED: decision, _OVERRIDE_REQUIRED: "override"}
            wrong = {fields[blocker]: blocker} if blocker in fields else {}
            return self._show_error(request, withdrawal, blocker, wrong)
        approval: dict[str, Any] = {}
        if decision == APPROVE:
            approval = {
                "override": form.cleaned_data["override"],
                "seen_flags": set(request.POST.getlist("seen")),
            }
        step, then_next = queue_step(self, request), wants_next(request)
        found = step.find_next(withdrawal, staff_of(request)) if then_next else None
        try:
            decided = _SERVICES[decision](
                withdrawal_id=object_id,
                version=version,
                approver=staff_of(request),
                reason=form.cleaned_data["reason"],
                **approval,
            )
        except DomainError as error:
            message = describe_error(object_id, version, error)
            wrong = {"override": message} if error.code in _REDISPLAY_CODES else {}
            return self._show_error(request, withdrawal, message, wrong)
        messages.success(request, describe_decision(decided))
        return step.redirect(request, found) if then_next else self.redirect_to_record(object_id)

    def _show_error(
        self, request: HttpRequest, withdrawal: Withdrawal, message: str, wrong: dict[str, str]
    ) -> HttpResponse:
        """Show the error; with field errors in `wrong`, on the page with the submitted values."""
        messages.error(request, message)
        if wrong:
            return self.record_page(request, withdrawal, wrong=wrong)
        return self.redirect_to_record(withdrawal.pk)

    def _find_blocker(
        self, withdrawal: Withdrawal, decision: str, data: dict[str, Any], user: StaffUser
    ) -> str:
        """Return why the service would reject the decision, or ""."""
        version = data["version"]
        if withdrawal.status != WithdrawalStatus.PENDING or withdrawal.version != version:
            stale = build_conflict(withdrawal.pk, (WithdrawalStatus.PENDING,))
            return describe_error(withdrawal.pk, version, stale)
        if decision == REJECT:
            return "" if data["reason"].strip() else _REASON_REQUIRED
        flags = current_flags(withdrawal)
        blocker = describe_blocker(withdrawal, user, flags["flags"])
        if not blocker and flags["stop"] and not data["override"].strip():
            return _OVERRIDE_REQUIRED
        return blocker

    def _confirm(
        self, request: HttpRequest, withdrawal: Withdrawal, decision: str, data: dict[str, Any]
    ) -> HttpResponse:
        why_two = ""
        if decision == APPROVE and withdrawal.first_approver_id is None:
            why_two = explain_second_approval(withdrawal, staff_of(request))
        return self.page(
            request,
            "admin/wallets/withdrawal/confirm.html",
            "Approve?" if decision == APPROVE else "Reject?",
            record=withdrawal,
            approving=decision == APPROVE,
            why_two=why_two,
            reason=data["reason"],
            override=data["override"].strip() if decision == APPROVE else "",
            decision_flags=decision_flags(withdrawal),
            owner=withdrawal.member or withdrawal.organisation,
            decide_at=self.address(decision, withdrawal.pk),
            back=self.address("change", withdrawal.pk),
            offers_next=queue_step(self, request).offers_next(request, withdrawal),
            **current_flags(withdrawal),
            **payment_summary(withdrawal),
        )

    # --- many, from the list ---

    @admin.action(description="Approve…", permissions=["decide"])
    def approve_selected(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal]
    ) -> HttpResponse | None:
        """Show the confirmation page for approving the selected rows."""
        return self._confirm_bulk(request, queryset, APPROVE)

    @admin.action(description="Reject…", permissions=["decide"])
    def reject_selected(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal]
    ) -> HttpResponse | None:
        """Show the confirmation page for rejecting the selected rows."""
        return self._confirm_bulk(request, queryset, REJECT)

    def _confirm_bulk(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal], decision: str
    ) -> HttpResponse | None:
        user = staff_of(request)
        found = list(queryset.order_by("created_at", "pk")[: MAX_BULK + 1])
        if len(found) > MAX_BULK:
            messages.error(request, f"Select at most {MAX_BULK} withdrawals. No changes were made.")
            return None
        return self._bulk_page(request, decision, build_rows(found, decision, user))

    def _bulk_page(
        self, request: HttpRequest, decision: str, rows: Sequence[BulkRow], **context: Any
    ) -> HttpResponse:
        ready = [row.withdrawal for row in rows if not row.exclusion]
        verb = "Approve" if decision == APPROVE else "Reject"
        noun = "withdrawal" if len(ready) == 1 else "withdrawals"
        return self.page(
            request,
            "admin/wallets/withdrawal/bulk_confirm.html",
            f"{verb} {len(ready)} {noun}?" if ready else "No withdrawals to decide",
            decision=decision,
            verb=verb,
            rows=rows,
            ready=len(ready),
            left_out=len(rows) - len(ready),
            totals=total_by_currency((row.currency_id, row.amount) for row in ready),
            payments=total_by_currency((row.currency_id, row.disburse_amount) for row in ready),
            decide_at=self.address("bulk"),
            back=self.address("changelist"),
            **context,
        )

    def bulk(self, request: HttpRequest) -> HttpResponse:
        """Decide each row of the confirmation page and show the results."""
        self.require(request, DECIDE)
        if request.method != "POST":
            return HttpResponseRedirect(self.address("changelist"))
        form = BulkForm(request.POST)
        wanted = parse_versions(request.POST.getlist("row"))
        if not form.is_valid() or not wanted or len(wanted) > MAX_BULK:
            messages.error(request, "The form is incomplete. No changes were made.")
            return HttpResponseRedirect(self.address("changelist"))
        decision, reason = form.cleaned_data["decision"], form.cleaned_data["reason"].strip()
        user = staff_of(request)
        chosen: QuerySet[Any] = self.get_queryset(request).filter(pk__in=wanted)
        if decision == REJECT and not reason:
            rows = build_rows(list(chosen.order_by("created_at", "pk")), decision, user)
            return self._bulk_page(request, decision, rows, error=_REASON_REQUIRED)
        seen_flags = parse_seen_flags(request.POST.getlist("seen"))

        def act(withdrawal_id: UUID, version: int) -> Withdrawal:
            shown = (
                {"seen_flags": seen_flags.get(withdrawal_id, set())} if decision == APPROVE else {}
            )
            return _SERVICES[decision](
                withdrawal_id=withdrawal_id,
                version=version,
                approver=user,
                reason=reason,
                **shown,
            )

        chosen_rows = {row.pk: row for row in chosen}
        outcomes = [
            decide_row(act, pk, version, chosen_rows.get(pk)) for pk, version in wanted.items()
        ]
        decided = [one.decided for one in outcomes if one.decided is not None]
        final = [row for row in decided if row.status != WithdrawalStatus.PENDING]
        out = [pk for pk in parse_seen_flags(request.POST.getlist("left_out")) if pk not in wanted]
        others = self.get_queryset(request).filter(pk__in=out[:MAX_BULK])
        omitted = excluded_results(list(others.order_by("created_at", "pk")), decision, user)
        return self.page(
            request,
            "admin/wallets/withdrawal/bulk_results.html",
            f"{len(decided)} of {len(outcomes)} decided",
            outcomes=[*outcomes, *omitted],
            decided=len(decided),
            refused=len(outcomes) - len(decided),
            left_out=len(omitted),
            totals=total_by_currency((row.currency_id, row.amount) for row in final),
            word="Approved" if decision == APPROVE else "Rejected",
            back=self.address("changelist"),
        )
