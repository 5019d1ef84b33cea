"""Approving and rejecting withdrawals: one from its page, or many from the list.

Every decision takes two steps. The first POST shows a page that repeats amount, payee and flags
and changes nothing; the second, from that page, decides on exactly the versions and flags it
showed. What is flagged Critical is approved on its own page only, with a written reason. Of many,
each is decided on its own, in its own transaction, and the answer tells what came of each. Sent
again, the same answer's versions are stale, so nothing is decided twice. Whoever comes by GET, by
the browser's back or after giving a fresh second factor, is led to the page it began on.
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
    VISIBLE, "It reads the reason of a rejection. A note of an approval is internal"
)
_REASON_REQUIRED = "A rejection needs a reason"
# Refusals of the service after which the page is shown anew, with what was typed.
_REDISPLAY_CODES = {"stop_not_overridden", "flagged_meanwhile"}
_OVERRIDE_REQUIRED = "Flagged as critical. Enter a reason to approve it anyway."


class DecisionForm(forms.Form):
    """A decision about the version the person saw; `confirmed` on the second step, with the codes
    of the flags that the first one showed.
    """

    version = forms.IntegerField(min_value=1)
    reason = forms.CharField(max_length=500, required=False, help_text=_REASON_HELP)
    override = forms.CharField(max_length=500, required=False)
    confirmed = forms.BooleanField(required=False)


class BulkForm(forms.Form):
    """What to do with the rows that come along as `row`: `<id>:<version>`."""

    decision = forms.ChoiceField(choices=[(APPROVE, "Approve"), (REJECT, "Reject")])
    reason = forms.CharField(max_length=500, required=False, help_text=_REASON_HELP)


class DecisionPages(ReviewPage):
    """The decisions of a withdrawal's admin."""

    actions = ("approve_selected", "reject_selected")  # type: ignore[assignment]

    def decision_urls(self) -> list[URLPattern]:
        """Addresses of this module's pages."""
        one = "<uuid:object_id>"
        return [
            self.action_url("decide/", "bulk", self.bulk, only_post=False),
            self.action_url(f"{one}/approve/", "approve", self.approve, only_post=False),
            self.action_url(f"{one}/reject/", "reject", self.reject, only_post=False),
        ]

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Who sees the list's actions."""
        return self.may(request, DECIDE)

    # --- one, from its page ---

    def approve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """One approval of the version seen."""
        return self._decide(request, object_id, APPROVE)

    def reject(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Refuses the version seen; the reason is required."""
        return self._decide(request, object_id, REJECT)

    def _decide(self, request: HttpRequest, object_id: UUID, decision: str) -> HttpResponse:
        withdrawal: Withdrawal = self.record(request, object_id)
        self.require(request, DECIDE)
        if request.method != "POST":
            return self.redirect_to_record(object_id)
        form = DecisionForm(request.POST)
        if not form.is_valid():
            told = "The form was not complete. No changes were made."
            wrong = {
                field: str(form.errors[name][0])
                for name, field in (("reason", decision), ("override", "override"))
                if name in form.errors
            }
            return self._refused(request, withdrawal, told, wrong)
        version = form.cleaned_data["version"]
        if not form.cleaned_data["confirmed"]:
            refusal = self._refusal(withdrawal, decision, form.cleaned_data, staff_of(request))
            if not refusal:
                return self._ask(request, withdrawal, decision, form.cleaned_data)
            fields = {_REASON_REQUIRED: decision, _OVERRIDE_REQUIRED: "override"}
            wrong = {fields[refusal]: refusal} if refusal in fields else {}
            return self._refused(request, withdrawal, refusal, wrong)
        approval: dict[str, Any] = {}
        if decision == APPROVE:
            approval = {
                "override": form.cleaned_data["override"],
                "seen_flags": set(request.POST.getlist("seen")),
            }
        try:
            decided = _SERVICES[decision](
                withdrawal_id=object_id,
                version=version,
                approver=staff_of(request),
                reason=form.cleaned_data["reason"],
                **approval,
            )
        except DomainError as error:
            told = describe_error(object_id, version, error)
            wrong = {"override": told} if error.code in _REDISPLAY_CODES else {}
            return self._refused(request, withdrawal, told, wrong)
        messages.success(request, describe_decision(decided))
        return self.redirect_to_record(object_id)

    def _refused(
        self, request: HttpRequest, withdrawal: Withdrawal, told: str, wrong: dict[str, str]
    ) -> HttpResponse:
        """Tell why not; where a field is `wrong`, by its form, on the page with what was typed."""
        messages.error(request, told)
        if wrong:
            return self.record_page(request, withdrawal, wrong=wrong)
        return self.redirect_to_record(withdrawal.pk)

    def _refusal(
        self, withdrawal: Withdrawal, decision: str, given: dict[str, Any], user: StaffUser
    ) -> str:
        """Why the service would refuse, found out before anybody is asked; "" if it would not."""
        version = given["version"]
        if withdrawal.status != WithdrawalStatus.PENDING or withdrawal.version != version:
            stale = build_conflict(withdrawal.pk, (WithdrawalStatus.PENDING,))
            return describe_error(withdrawal.pk, version, stale)
        if decision == REJECT:
            return "" if given["reason"].strip() else _REASON_REQUIRED
        refusal = describe_blocker(withdrawal, user)
        if not refusal and current_flags(withdrawal)["stop"] and not given["override"].strip():
            return _OVERRIDE_REQUIRED
        return refusal

    def _ask(
        self, request: HttpRequest, withdrawal: Withdrawal, decision: str, given: dict[str, Any]
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
            reason=given["reason"],
            override=given["override"].strip() if decision == APPROVE else "",
            decision_flags=decision_flags(withdrawal),
            owner=withdrawal.member or withdrawal.organisation,
            decide_at=self.address(decision, withdrawal.pk),
            back=self.address("change", withdrawal.pk),
            **current_flags(withdrawal),
            **payment_summary(withdrawal),
        )

    # --- many, from the list ---

    @admin.action(description="Approve…", permissions=["decide"])
    def approve_selected(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal]
    ) -> HttpResponse | None:
        """Asks whether to approve the chosen ones; changes nothing."""
        return self._ask_for_many(request, queryset, APPROVE)

    @admin.action(description="Reject…", permissions=["decide"])
    def reject_selected(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal]
    ) -> HttpResponse | None:
        """Asks whether, and why, to reject the chosen ones; changes nothing."""
        return self._ask_for_many(request, queryset, REJECT)

    def _ask_for_many(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal], decision: str
    ) -> HttpResponse | None:
        user = staff_of(request)
        found = list(queryset.order_by("created_at", "pk")[: MAX_BULK + 1])
        if len(found) > MAX_BULK:
            messages.error(
                request, f"At most {MAX_BULK} withdrawals at once. Nothing has been done."
            )
            return None
        return self._many_page(request, decision, build_rows(found, decision, user))

    def _many_page(
        self, request: HttpRequest, decision: str, rows: Sequence[BulkRow], **context: Any
    ) -> HttpResponse:
        ready = [row.withdrawal for row in rows if not row.refusal]
        verb = "Approve" if decision == APPROVE else "Reject"
        return self.page(
            request,
            "admin/wallets/withdrawal/bulk_confirm.html",
            f"{verb} {len(ready)}?" if ready else "Nothing to decide",
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
        """Decides each of the rows that the page showed, and tells what came of each."""
        self.require(request, DECIDE)
        if request.method != "POST":
            return HttpResponseRedirect(self.address("changelist"))
        form = BulkForm(request.POST)
        wanted = parse_versions(request.POST.getlist("row"))
        if not form.is_valid() or not wanted or len(wanted) > MAX_BULK:
            messages.error(request, "The form was not complete. No changes were made.")
            return HttpResponseRedirect(self.address("changelist"))
        decision, reason = form.cleaned_data["decision"], form.cleaned_data["reason"].strip()
        user = staff_of(request)
        chosen: QuerySet[Any] = self.get_queryset(request).filter(pk__in=wanted)
        if decision == REJECT and not reason:
            rows = build_rows(list(chosen.order_by("created_at", "pk")), decision, user)
            return self._many_page(request, decision, rows, error=_REASON_REQUIRED)
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

        shown_rows = {row.pk: row for row in chosen}
        outcomes = [
            decide_row(act, pk, version, shown_rows.get(pk)) for pk, version in wanted.items()
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
