"""Approving and rejecting withdrawals: one from its page, or many from the list.

Every decision takes two steps. The first POST shows a page that repeats amount and payee and
changes nothing; the second, from that page, decides on exactly the versions it showed. Of many,
each is decided on its own, in its own transaction, and the answer tells what came of each. Sent
again, the same answer's versions are stale, so nothing is decided twice. Whoever comes by GET, by
the browser's back or after giving a fresh second factor, is led to the page it began on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern

from exchange.admin.base import SafeAdmin, staff_of
from exchange.admin.show import age, page_of
from exchange.errors import Conflict, DomainError
from exchange.ids import parse_id
from exchange.models import StaffUser
from wallets.admin.concerns import match_tone, name_match
from wallets.admin.review import changes_since, hindrance, summary
from wallets.admin.second_approval import BY_SIZE, explain, second_approval
from wallets.admin.show import money
from wallets.models import Withdrawal, WithdrawalStatus
from wallets.selectors.approvals import Requirement, approval_requirements
from wallets.selectors.scrutiny import with_account_use
from wallets.services import decisions
from wallets.services.transitions import conflict

log = structlog.get_logger(__name__)

AT_ONCE = 100
APPROVE, REJECT = "approve", "reject"
_SERVICES: dict[str, Callable[..., Withdrawal]] = {
    APPROVE: decisions.approve,
    REJECT: decisions.reject,
}
_NO_REASON = "A rejection needs a reason"


class DecisionForm(forms.Form):
    """A decision about the version the person saw; `confirmed` on the second step."""

    version = forms.IntegerField(min_value=1)
    reason = forms.CharField(max_length=500, required=False)
    confirmed = forms.BooleanField(required=False)


class BulkForm(forms.Form):
    """What to do with the rows that come along as `row`: `<id>:<version>`."""

    decision = forms.ChoiceField(choices=[(APPROVE, "Approve"), (REJECT, "Reject")])
    reason = forms.CharField(max_length=500, required=False)


@dataclass(frozen=True, slots=True)
class Chosen:
    """One row of the page that asks whether to decide many; `refusal` says why this one cannot."""

    withdrawal: Withdrawal
    owner: str
    amount: str
    match: str
    match_tone: str
    notes: str
    age: str
    refusal: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one row."""

    withdrawal: str
    amount: str
    payee: str
    tone: str
    word: str
    text: str
    decided: Withdrawal | None = None


class Deciding(SafeAdmin):
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
        return self.may(request, "wallets.decide_withdrawal")

    # --- one, from its page ---

    def approve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """One approval of the version seen."""
        return self._decide(request, object_id, APPROVE)

    def reject(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Refuses the version seen; the reason is required."""
        return self._decide(request, object_id, REJECT)

    def _decide(self, request: HttpRequest, object_id: UUID, decision: str) -> HttpResponse:
        withdrawal: Withdrawal = self.record(request, object_id)
        self._must_decide(request)
        if request.method != "POST":
            return self.back_to(object_id)
        form = DecisionForm(request.POST)
        if not form.is_valid():
            messages.error(request, "The form was not complete. Nothing was done.")
            return self.back_to(object_id)
        version, reason = form.cleaned_data["version"], form.cleaned_data["reason"]
        if not form.cleaned_data["confirmed"]:
            refusal = self._refusal(withdrawal, version, decision, reason, staff_of(request))
            if not refusal:
                return self._ask(request, withdrawal, decision, reason)
            messages.error(request, refusal)
            return self.back_to(object_id)
        try:
            decided = _SERVICES[decision](
                withdrawal_id=object_id,
                version=version,
                approver=staff_of(request),
                reason=reason,
            )
        except DomainError as error:
            messages.error(request, refusal_in_words(object_id, version, error))
        else:
            messages.success(request, _done(decided))
        return self.back_to(object_id)

    def _refusal(
        self, withdrawal: Withdrawal, version: int, decision: str, reason: str, user: StaffUser
    ) -> str:
        """Why the service would refuse, found out before anybody is asked; "" if it would not."""
        if withdrawal.status != WithdrawalStatus.PENDING or withdrawal.version != version:
            stale = conflict(withdrawal.pk, (WithdrawalStatus.PENDING,))
            return refusal_in_words(withdrawal.pk, version, stale)
        if decision == REJECT:
            return "" if reason.strip() else _NO_REASON
        return hindrance(withdrawal, user)

    def _ask(
        self, request: HttpRequest, withdrawal: Withdrawal, decision: str, reason: str
    ) -> HttpResponse:
        why_two = ""
        if decision == APPROVE and withdrawal.first_approver_id is None:
            why_two = second_approval(withdrawal, staff_of(request))
        return self.page(
            request,
            "admin/wallets/withdrawal/confirm.html",
            "Approve?" if decision == APPROVE else "Reject?",
            record=withdrawal,
            approving=decision == APPROVE,
            why_two=why_two,
            reason=reason,
            owner=withdrawal.member or withdrawal.organisation,
            decide_at=self.address(decision, withdrawal.pk),
            back=self.address("change", withdrawal.pk),
            **summary(withdrawal),
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
        found = list(with_account_use(queryset).order_by("created_at", "pk")[: AT_ONCE + 1])
        if len(found) > AT_ONCE:
            messages.error(
                request, f"At most {AT_ONCE} withdrawals at once. Nothing has been done."
            )
            return None
        rows = _chosen_rows(found, decision, user)
        ready = [row.withdrawal for row in rows if not row.refusal]
        return self._many_page(request, decision, rows, ready)

    def _many_page(
        self,
        request: HttpRequest,
        decision: str,
        rows: Sequence[Chosen],
        ready: Sequence[Withdrawal],
        **context: Any,
    ) -> HttpResponse:
        verb = "Approve" if decision == APPROVE else "Reject"
        return self.page(
            request,
            "admin/wallets/withdrawal/confirm_many.html",
            f"{verb} {len(ready)}?" if ready else "Nothing to decide",
            decision=decision,
            verb=verb,
            rows=rows,
            ready=len(ready),
            left_out=len(rows) - len(ready),
            totals=_totals((row.currency_id, row.amount) for row in ready),
            payments=_totals((row.currency_id, row.disburse_amount) for row in ready),
            decide_at=self.address("bulk"),
            back=self.address("changelist"),
            **context,
        )

    def bulk(self, request: HttpRequest) -> HttpResponse:
        """Decides each of the rows that the page showed, and tells what came of each."""
        self._must_decide(request)
        if request.method != "POST":
            return HttpResponseRedirect(self.address("changelist"))
        form = BulkForm(request.POST)
        wanted = _wanted(request.POST.getlist("row"))
        if not form.is_valid() or not wanted or len(wanted) > AT_ONCE:
            messages.error(request, "The form was not complete. Nothing was done.")
            return HttpResponseRedirect(self.address("changelist"))
        decision, reason = form.cleaned_data["decision"], form.cleaned_data["reason"].strip()
        chosen: QuerySet[Any] = self.get_queryset(request).filter(pk__in=wanted)
        found = {row.pk: row for row in chosen}
        if decision == REJECT and not reason:
            user = staff_of(request)
            again = with_account_use(chosen).order_by("created_at", "pk")
            rows = _chosen_rows(list(again), decision, user)
            ready = [row.withdrawal for row in rows if not row.refusal]
            return self._many_page(request, decision, rows, ready, error=_NO_REASON)
        act = partial(_SERVICES[decision], approver=staff_of(request), reason=reason)
        outcomes = [_outcome(act, pk, version, found.get(pk)) for pk, version in wanted.items()]
        decided = [one.decided for one in outcomes if one.decided is not None]
        final = [row for row in decided if row.status != WithdrawalStatus.PENDING]
        return self.page(
            request,
            "admin/wallets/withdrawal/outcomes.html",
            f"{len(decided)} of {len(outcomes)} decided",
            outcomes=outcomes,
            decided=len(decided),
            refused=len(outcomes) - len(decided),
            totals=_totals((row.currency_id, row.amount) for row in final),
            word="Approved" if decision == APPROVE else "Rejected",
            back=self.address("changelist"),
        )

    def _must_decide(self, request: HttpRequest) -> None:
        if not self.has_decide_permission(request):
            raise PermissionDenied


def refusal_in_words(object_id: UUID, version: int, error: DomainError) -> str:
    """Why a decision was refused; of a stale page, what happened since."""
    if not isinstance(error, Conflict):
        return error.message
    since = changes_since(Withdrawal.objects.get(pk=object_id), version)
    return f"{error.message.rstrip('.')}. Nothing was done. {since}".rstrip()


def _done(decided: Withdrawal) -> str:
    amount = money(decided.amount, decided.currency_id)
    if decided.status == WithdrawalStatus.PENDING:
        return f"Your approval of {amount} is kept. Another person must approve it too."
    if decided.status == WithdrawalStatus.REJECTED:
        return f"Rejected: {amount} went back to the wallet."
    return f"Approved: {money(decided.disburse_amount, decided.currency_id)} is paid out."


def _chosen_rows(found: Sequence[Any], decision: str, user: StaffUser) -> list[Chosen]:
    """Rows, annotated by `with_account_use`, as the page shows them."""
    first = [
        row.pk
        for row in found
        if decision == APPROVE
        and row.status == WithdrawalStatus.PENDING
        and row.first_approver_id is None
    ]
    requirements = approval_requirements(first)
    return [_chosen(row, decision, user, requirements.get(row.pk)) for row in found]


def _chosen(
    withdrawal: Any, decision: str, user: StaffUser, requirement: Requirement | None
) -> Chosen:
    refusal = ""
    if withdrawal.status != WithdrawalStatus.PENDING:
        refusal = f"It is {withdrawal.status}, no longer Pending."
    elif decision == APPROVE:
        refusal = hindrance(withdrawal, user)
    match = name_match(withdrawal)
    notes = []
    if not withdrawal.paid_before:
        notes.append("never paid to this account before")
    if withdrawal.shared:
        notes.append("other owners use this account")
    why_two = explain(withdrawal, requirement) if requirement else ""
    if why_two:
        notes.append("first of two approvals")
        if why_two != BY_SIZE:
            notes.append(why_two.removeprefix("Two approvals needed: ").rstrip("."))
    return Chosen(
        withdrawal=withdrawal,
        owner=str(withdrawal.member or withdrawal.organisation),
        amount=money(withdrawal.amount, withdrawal.currency_id),
        match=match.label if match else "not checked",
        match_tone=match_tone(match),
        notes="; ".join(notes),
        age=age(withdrawal.created_at),
        refusal=refusal,
    )


def _wanted(rows: Iterable[str]) -> dict[UUID, int]:
    """The versions to decide on by id, in their order; what cannot be read makes it empty."""
    wanted: dict[UUID, int] = {}
    for row in rows:
        text, _, version = row.partition(":")
        pk = parse_id(text)
        if pk is None or not (version.isascii() and version.isdigit() and len(version) < 9):
            return {}
        wanted[pk] = int(version)
    return wanted


def _outcome(
    act: Callable[..., Withdrawal], pk: UUID, version: int, seen: Withdrawal | None
) -> Outcome:
    """Decides one row, on its own, and tells what came of it."""
    decided: Withdrawal | None = None
    try:
        decided = act(withdrawal_id=pk, version=version)
    except DomainError as error:
        tone, word = "bad", "Refused"
        text = refusal_in_words(pk, version, error) if seen else error.message
    except DatabaseError:
        # The others are decided on their own, whatever happened to this one.
        log.exception("withdrawal_not_decided", withdrawal_id=str(pk))
        tone, word = "bad", "Not done"
        text = "The database did not take it. Look at it again before you decide."
    else:
        first = decided.status == WithdrawalStatus.PENDING
        tone = "moving" if first else "good"
        word = "First approval given" if first else decided.status
        text = "Another person must approve it too." if first else _done(decided)
    return Outcome(
        withdrawal=page_of(seen) if seen else str(pk),
        amount=money(seen.amount, seen.currency_id) if seen else "-",
        payee=str(seen.bank) if seen else "-",
        tone=tone,
        word=word,
        text=text,
        decided=decided,
    )


def _totals(amounts: Iterable[tuple[str, Decimal]]) -> list[tuple[int, str]]:
    """For each currency: how many, and what they add up to."""
    found: dict[str, list[Decimal]] = {}
    for currency, amount in amounts:
        found.setdefault(currency, []).append(amount)
    return [
        (len(each), money(sum(each, Decimal(0)), currency))
        for currency, each in sorted(found.items())
    ]
