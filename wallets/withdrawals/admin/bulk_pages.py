"""Decisions about many withdrawals at once: confirmation, waiting and result pages.

A bulk decision runs one transaction per withdrawal and reports each result. An approval first waits
for some seconds, in which it can be undone. Confirmations and results are answers to GET, so the
browser's Back and Reload show them again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils import timezone
from django.views.decorators.http import require_safe

from exchange.admin.base import staff_of
from exchange.admin.confirmation import ConfirmationAdmin
from exchange.admin.progress import Progress, progress_response
from exchange.admin.reasons import describe_reason_error, keep_reason
from exchange.core.ids import parse_id
from wallets.withdrawals.admin.bulk_rows import (
    APPROVE,
    REJECT,
    BulkDecision,
    BulkResult,
    ChosenRow,
    build_rows,
    describe_result,
    exclude_from_approval,
    exclude_from_rejection,
    excluded_results,
    parse_seen_flags,
    parse_versions,
    total_by_currency,
)
from wallets.withdrawals.admin.review_page import ReviewPage
from wallets.withdrawals.admin.saved_views import actions_of_view
from wallets.withdrawals.models import (
    BulkApproval,
    BulkStatus,
    Withdrawal,
    WithdrawalStatus,
)
from wallets.withdrawals.services import decisions
from wallets.withdrawals.services.bulk import (
    ShownRow,
    attempt,
    queue_approvals,
    run_approvals,
    undo_approvals,
)
from wallets.withdrawals.services.decisions import DECIDE

MAX_BULK = 100
_RESULTS = "bulk_results"
REASON_REQUIRED = "Enter a reason for the rejection"
MAX_REASON = 500
INCOMPLETE = "The form is incomplete"


def _reject(row: ChosenRow) -> Withdrawal:
    return decisions.reject(
        withdrawal_id=row.withdrawal_id,
        version=row.version,
        approver=row.user,
        reason=row.reason,
    )


class BulkPages(ConfirmationAdmin, ReviewPage):
    """Bulk decisions of the withdrawals admin."""

    actions: Any = ("approve_selected", "reject_selected")
    # Decisions from the list, by their name in its URLs; `wallets.payouts` adds one.
    bulk_decisions: ClassVar[Mapping[str, BulkDecision]] = {
        APPROVE: BulkDecision(
            verb="Approve",
            noun="approval",
            word="Approved",
            permission=DECIDE,
            find_exclusion=exclude_from_approval,
            final=False,
        ),
        REJECT: BulkDecision(
            verb="Reject",
            noun="rejection",
            word="Rejected",
            permission=DECIDE,
            reason_required=REASON_REQUIRED,
            find_exclusion=exclude_from_rejection,
            decide=_reject,
        ),
    }

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("undo/", "undo", self.undo),
            *(
                self.action_url(route, name, view, only_post=False)
                for route, name, view in (
                    ("decide/", "bulk", self.bulk),
                    ("decided/", "decided", self.decided),
                    ("bulk-progress/", "bulk_progress", require_safe(self.bulk_progress)),
                )
            ),
            *super().get_urls(),
        ]

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Return whether the user sees the bulk actions of the list."""
        return self.may(request, DECIDE)

    @admin.action(description="Approve…", permissions=["decide"])
    def approve_selected(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal]
    ) -> HttpResponse | None:
        """Lead to the confirmation page for approving the selected rows."""
        return self.select_rows(request, queryset, APPROVE)

    @admin.action(description="Reject…", permissions=["decide"])
    def reject_selected(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal]
    ) -> HttpResponse | None:
        """Lead to the confirmation page for rejecting the selected rows."""
        return self.select_rows(request, queryset, REJECT)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the actions that the rows of the list's view may take."""
        found = super().get_actions(request)
        names = actions_of_view(request.GET)
        return {name: action for name, action in found.items() if name in names}

    def select_rows(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal], name: str
    ) -> HttpResponse | None:
        """Redirect to the confirmation page of the decision `name` on the selected rows."""
        found = queryset.order_by("created_at", "pk")[: MAX_BULK + 1]
        if len(found) > MAX_BULK:
            messages.error(request, f"Select at most {MAX_BULK} withdrawals. No changes were made.")
            return None
        rows = [f"{row.pk}:{row.version}" for row in found]
        query = urlencode({"decision": name, "row": rows}, doseq=True)
        filters = self.get_preserved_filters(request)
        return HttpResponseRedirect(f"{self.address('bulk')}?{query}&{filters}".rstrip("&"))

    def _bulk_page(
        self, request: HttpRequest, name: str, chosen: QuerySet[Any], error: str
    ) -> HttpResponse:
        decision = self.bulk_decisions[name]
        rows = build_rows(list(chosen.order_by("created_at", "pk")), decision, staff_of(request))
        ready = [row for row in rows if not row.exclusion]
        noun = "withdrawal" if len(ready) == 1 else "withdrawals"
        decided = [row.withdrawal for row in ready]
        return self.page(
            request,
            "admin/wallets/withdrawal/bulk_confirm.html",
            f"{decision.verb} {len(ready)} {noun}?" if ready else "No withdrawals to decide",
            name=name,
            decision=decision,
            rows=ready,
            excluded=[row for row in rows if row.exclusion],
            totals=total_by_currency((row.currency_id, row.amount) for row in decided),
            payments=total_by_currency((row.currency_id, row.disburse_amount) for row in decided),
            decide_at=self.address("bulk"),
            back=self.address("changelist"),
            error=error,
            reason=request.POST.get("reason", ""),
        )

    def bulk(self, request: HttpRequest) -> HttpResponse:
        """Show the confirmation page; decide each of its rows when it is confirmed."""
        posted = request.method == "POST"
        data = request.POST if posted else request.GET
        name, reason = data.get("decision", ""), data.get("reason", "").strip()
        decision, wanted = self.bulk_decisions.get(name), parse_versions(data.getlist("row"))
        self.require(request, decision.permission if decision else DECIDE)
        fits = 0 < len(wanted) <= MAX_BULK and len(reason) <= MAX_REASON and "\0" not in reason
        if decision is None or not fits:
            messages.error(request, f"{INCOMPLETE}. No changes were made.")
            return HttpResponseRedirect(self.address("changelist"))
        user = staff_of(request)
        chosen: QuerySet[Any] = self.get_queryset(request).filter(pk__in=wanted)
        error = self._reason_error(request, decision, reason, chosen) if posted else ""
        if not posted or error:
            return self._bulk_page(request, name, chosen, error)
        if decision.reason_required:
            keep_reason(request, reason)
        out = [pk for pk in parse_seen_flags(request.POST.getlist("left_out")) if pk not in wanted]
        if decision.decide is None:
            flags = parse_seen_flags(request.POST.getlist("seen"))
            shown = [
                ShownRow(pk, version, sorted(flags.get(pk, ()))) for pk, version in wanted.items()
            ]
            queued = queue_approvals(rows=shown, reason=reason, user=user)
            if not settings.BULK_APPROVAL_UNDO_SECONDS:
                run_approvals(queued.pk)
            found: dict[str, Any] = {"bulk": str(queued.pk)}
        else:
            known = {row.pk: row for row in chosen}
            results = [
                describe_result(
                    attempt(partial(decision.decide, ChosenRow(pk, version, reason, user))),
                    decision.word,
                    pk,
                    version,
                    known.get(pk),
                )
                for pk, version in wanted.items()
            ]
            found = {"results": [asdict(one) for one in results]}
        # In the session, so that the results are an answer to GET.
        request.session[_RESULTS] = {
            "decision": name, "left_out": [str(pk) for pk in out[:MAX_BULK]], **found,
        }  # fmt: skip
        return HttpResponseRedirect(self.address("decided"))

    def _reason_error(
        self, request: HttpRequest, decision: BulkDecision, reason: str, chosen: QuerySet[Any]
    ) -> str:
        """Return what is wrong with the reason of a decision that requires one, or ""."""
        if not decision.reason_required:
            return ""
        if not reason:
            return decision.reason_required
        error = describe_reason_error(request, reason)
        # A form that is sent twice is answered with what became of its rows.
        rows = build_rows(list(chosen), decision, staff_of(request)) if error else []
        return error if any(not row.exclusion for row in rows) else ""

    def decided(self, request: HttpRequest) -> HttpResponse:
        """Show the latest bulk decision in this session: until it starts with *Undo*."""
        self.require(request, *(each.permission for each in self.bulk_decisions.values()))
        kept = request.session.get(_RESULTS)
        if kept is None:
            return HttpResponseRedirect(self.address("changelist"))
        user, decision = staff_of(request), self.bulk_decisions[kept["decision"]]
        results = [BulkResult(**each) for each in kept.get("results", ())]
        if "bulk" in kept:
            bulk = BulkApproval.objects.get(pk=kept["bulk"], approver=user)
            if bulk.status == BulkStatus.WAITING:
                return self._waiting_page(request, bulk)
            results = self._bulk_results(request, bulk)
        others = self.get_queryset(request).filter(pk__in=kept["left_out"])
        omitted = excluded_results(list(others.order_by("created_at", "pk")), decision, user)
        count = sum(bool(one.status) for one in results)
        return self.page(
            request,
            "admin/wallets/withdrawal/bulk_results.html",
            f"{count} of {len(results)} decided",
            back=self.address("changelist"),
            outcomes=[asdict(one) for one in (*results, *omitted)],
            decided=count,
            refused=len(results) - count,
            left_out=len(omitted),
            totals=self._totals(request, results),
            word=decision.word,
        )

    def _totals(self, request: HttpRequest, results: Sequence[BulkResult]) -> list[tuple[int, str]]:
        """Return count and total by currency of those that await no other person."""
        final = [one.pk for one in results if one.status not in ("", WithdrawalStatus.PENDING)]
        rows = self.get_queryset(request).filter(pk__in=final).order_by("pk")
        return total_by_currency((row.currency_id, row.amount) for row in rows)

    def _bulk_results(self, request: HttpRequest, bulk: BulkApproval) -> list[BulkResult]:
        """Return the results of a bulk that has ended."""
        known = self.get_queryset(request).in_bulk([row["id"] for row in bulk.rows])
        return [
            describe_result(
                found,
                self.bulk_decisions[APPROVE].word,
                UUID(row["id"]),
                row["version"],
                known.get(UUID(row["id"])),
            )
            for row, found in zip(bulk.rows, bulk.results, strict=False)
        ]

    def _waiting_page(self, request: HttpRequest, bulk: BulkApproval) -> HttpResponse:
        """Show a bulk that has not started, with a button that undoes it."""
        rows = self.get_queryset(request).filter(pk__in=[row["id"] for row in bulk.rows])
        return self.page(
            request,
            "admin/wallets/withdrawal/bulk_waiting.html",
            f"{len(bulk.rows)} approvals queued",
            bulk=bulk,
            totals=total_by_currency((row.currency_id, row.amount) for row in rows),
            undo_at=self.address("undo"),
            progress=self._bulk_progress(bulk),
            back=self.address("changelist"),
        )

    def undo(self, request: HttpRequest) -> HttpResponse:
        """Undo the bulk approval that the page showed, whatever was confirmed since."""
        self.require(request, DECIDE)
        kept, bulk_id = request.session.get(_RESULTS) or {}, parse_id(request.POST.get("bulk", ""))
        if bulk_id is None:
            return HttpResponseRedirect(self.address("changelist"))
        undone = self.attempt(
            request,
            partial(undo_approvals, bulk_id=bulk_id, user=staff_of(request)),
            "Undone. Nothing was approved.",
        )
        if undone and kept.get("bulk") == str(bulk_id):
            del request.session[_RESULTS]
        return HttpResponseRedirect(self.address("changelist" if undone else "decided"))

    def bulk_progress(self, request: HttpRequest) -> HttpResponse:
        """Return the progress of the latest bulk approval for the page's script."""
        self.require(request, DECIDE)
        kept = request.session.get(_RESULTS) or {}
        mine = BulkApproval.objects.filter(approver=staff_of(request))
        bulk = mine.filter(pk=kept["bulk"]).first() if "bulk" in kept else None
        waiting = bulk is not None and bulk.status == BulkStatus.WAITING
        return progress_response(self._bulk_progress(bulk) if bulk and waiting else None)

    def _bulk_progress(self, bulk: BulkApproval) -> Progress:
        left = max((bulk.starts_at - timezone.now()).total_seconds(), 0)
        text = f"Starts in {left:.0f} s" if left else "Approving"
        return Progress(self.address("bulk_progress"), text, len(bulk.results), len(bulk.rows))
