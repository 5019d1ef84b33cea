"""Reconciliation breaks in the admin: one person explains a break, another closes it."""

from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse

from exchange.admin.base import Section, Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation, ConfirmedAction
from exchange.admin.display import age, record_link, status_badge
from exchange.admin.fields import ReasonField, ReasonForm
from exchange.admin.forms import ModelChoice, bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilter, ListFilters, day_field
from exchange.core.currencies import currencies, format_money
from exchange.core.numbers import format_plain, parse_typed_amount
from exchange.staff.admin.pending import QueueFilter, approval_queue
from exchange.staff.admin.proposals import ApprovalPages, Step
from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import eligible_approvers
from wallets.reconciliation.models import (
    BreakExplanation,
    BreakStatus,
    LineKind,
    Reconciliation,
    ReconciliationBreak,
    ReconciliationLine,
)
from wallets.reconciliation.services import explanations

_TONES = {BreakStatus.OPEN: "bad", BreakStatus.EXPLAINED: "waiting", BreakStatus.CLOSED: "good"}


class BreakExplanationForm(forms.Form):
    """Explanation of a break."""

    explanation = ReasonField(
        max_length=500,
        help_text="What happened, and where to verify it. Read by the person who closes the break",
    )


class OwnerForm(forms.Form):
    """New owner of a break."""

    owner = ModelChoice(queryset=StaffUser.objects.none())

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["owner"].queryset = eligible_approvers(  # type: ignore[attr-defined]
            explanations.DECIDE
        )


_NONE = "none"


def about(line: ReconciliationLine | ReconciliationBreak) -> str:
    """Return the withdrawal or payment of a difference, else its reference or currency."""
    subject = line.withdrawal or line.payment
    if subject is not None:
        return record_link(subject)
    return line.reference or line.currency_id or "-"


def side(text: str, amount: Decimal | None, line: ReconciliationLine | ReconciliationBreak) -> str:
    """Return one side of a difference as text."""
    number = (
        format_money(amount, line.currency_id) if amount is not None and line.currency_id else ""
    )
    if number and text and line.kind not in {LineKind.AMOUNT, LineKind.FEE}:
        return f"{number} ({text})"
    return number or text or "-"


def break_state(found: ReconciliationBreak) -> str:
    """Return the status as a coloured label."""
    return status_badge(found.status, _TONES[BreakStatus(found.status)])


def format_difference(found: ReconciliationBreak) -> str:
    """Return the difference, where it is an amount."""
    if found.difference is None or found.currency_id is None:
        return "-" if found.difference is None else format_plain(found.difference)
    return format_money(found.difference, found.currency_id)


def presence(found: ReconciliationBreak) -> str:
    """Return whether the latest report still has the difference."""
    return (
        "Yes" if found.in_latest_report else f"No longer in the report of {found.latest_report.day}"
    )


class OpenFilter(ChoiceFilter):
    """Breaks that are not closed: all, one's own, or unassigned."""

    def __init__(self) -> None:
        choices = [("all", "Not closed"), ("mine", "Assigned to me"), ("nobody", "Unassigned")]
        super().__init__(choices=choices, title="open")

    def filter(self, qs: QuerySet[Any], value: Any) -> QuerySet[Any]:
        left = qs.exclude(status=BreakStatus.CLOSED) if value else qs
        owners = {"mine": self.parent.user, "nobody": None}
        return left.filter(owner=owners[value]) if value in owners else left


def _ask_to_explain(found: ReconciliationBreak, _user: StaffUser) -> Confirmation:
    return Confirmation(
        title="Explain the break",
        text="The break stays open until a second person closes it with your explanation.",
        submit="Propose to close",
        facts=_facts(found),
        blocker=explanations.describe_break_blocker(found),
    )


_EXPLAIN = ConfirmedAction(
    "explain",
    "break_id",
    (explanations.DECIDE,),
    _ask_to_explain,
    explanations.explain_break,
    "Explained. A second person must close the break.",
    BreakExplanationForm,
)


class BreakFilters(ListFilters):
    open = OpenFilter()
    decision = QueueFilter(approval_queue("Breaks to close", explanations.EXPLANATIONS, "subject"))
    status__exact = ChoiceFilter("status", BreakStatus.choices, title="status")
    kind__exact = ChoiceFilter("kind", [(kind, kind) for kind in LineKind.values], title="kind")
    currency__code__exact = ChoiceFilter(
        choices=lambda: [*((code, code) for code in currencies()), (_NONE, "-")],
        condition=lambda code: Q(currency=None if code == _NONE else code),
        title="currency",
    )
    day_from = ListFilter("day", "gte", title="day", **day_field("From"))
    day_to = ListFilter("day", "lte", title="day", **day_field("To"))
    day__exact = ListFilter("day", field=forms.DateField)


@admin.register(ReconciliationBreak)
class ReconciliationBreakAdmin(ApprovalPages):
    confirmed_actions = (_EXPLAIN,)
    record_pages = ("assign",)
    record_posts = ("take",)
    approval = explanations.EXPLANATIONS
    proposals = "explanations"
    step_route = "<uuid:object_id>/{}/<uuid:proposal_id>/"
    approve_step = Step("close", "explanation_id", explanations.close_break, "Break closed.")
    reject_step = Step(
        "reject",
        "explanation_id",
        explanations.reject_explanation,
        lambda explained: (
            "Explanation cancelled. The break is open again."
            if explained.decided_by_id == explained.proposed_by_id
            else "Rejected. The break is open again."
        ),
        ReasonForm,
    )
    cancel_label = "Cancel explanation"
    filters = BreakFilters
    list_display = (
        "day", "what", "about", "difference_display", "state_display", "owned_by", "still_there",
        "found",
    )  # fmt: skip
    list_display_links = ("day", "what")
    list_select_related = ("withdrawal", "payment", "owner", "latest_report", "first_report")
    search_fields = ("reference", "provider_id")
    search_help_text = "Reference, provider ID, amount or ID"
    id_fields = ("pk", "withdrawal_id", "payment_id")
    amount_fields = ("our_amount", "their_amount", "difference")
    # Ids grow with time and have an index.
    ordering = ("-pk",)
    fields = (
        "day", "what", "state_display", "owned_by", "about", "provider_id", "ours", "theirs",
        "difference_display", "still_there", "first_in", "latest_in", "created_at",
    )  # fmt: skip

    def heading(self, obj: ReconciliationBreak) -> str:
        return f"Break of {obj.day}: {obj}"

    def exact_match(self, term: str) -> Q | None:
        """Match as other lists do; a difference matches with either sign."""
        unsigned = term.removeprefix("-")
        found, amount = super().exact_match(unsigned), parse_typed_amount(unsigned)
        return found if found is None or amount is None else found | Q(difference=-amount)

    what = column("kind", lambda found: found.kind, ordering="kind")
    state_display = column("status", break_state, ordering="status")
    owned_by = column(
        "owner", lambda found: str(found.owner or "Unassigned"), ordering="owner__username"
    )
    about = column("subject", about)
    ours = column("ours", lambda found: side(found.our_text, found.our_amount, found))
    theirs = column("provider", lambda found: side(found.their_text, found.their_amount, found))
    difference_display = column("difference", format_difference, ordering="difference")
    still_there = column("in latest report", presence)
    first_in = column("first report", lambda found: _report(found.first_report))
    latest_in = column("latest report", lambda found: _report(found.latest_report))
    found = column("found", lambda found: age(found.created_at), ordering="created_at")

    def tools(self, request: HttpRequest, obj: ReconciliationBreak) -> list[Tool]:
        if not self.may(request, explanations.DECIDE) or obj.status == BreakStatus.CLOSED:
            return []
        shown = []
        if obj.status == BreakStatus.OPEN:
            shown.append(Tool("Explain", self.address("explain", obj.pk)))
        if obj.owner_id != staff_of(request).pk:
            shown.append(Tool("Assign to me", self.address("take", obj.pk), post=True))
        return [*shown, Tool("Assign", self.address("assign", obj.pk))]

    def sections(self, request: HttpRequest, obj: ReconciliationBreak) -> list[Section]:
        return [self.proposals_section(obj, "Explanations", "No explanation yet.")]

    def take(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Assign the break to the current user."""
        found: ReconciliationBreak = self.record(request, object_id, explanations.DECIDE)
        user = staff_of(request)
        act = partial(explanations.assign_break, break_id=found.pk, owner=user, user=user)
        self.attempt(request, act, "Assigned to you.")
        return self.redirect_to_record(found.pk)

    def assign(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Assign the break to a chosen person."""
        found: ReconciliationBreak = self.record(request, object_id, explanations.DECIDE)
        return self.form_page(
            request,
            bind_form(request, OwnerForm, owner=found.owner_id),
            lambda data: explanations.assign_break(
                break_id=found.pk, owner=data["owner"], user=staff_of(request)
            ),
            title="Assign the break",
            submit="Assign",
            done=lambda assigned: f"Assigned to {assigned.owner}.",
            record=found,
            note="The owner investigates the break. Anyone with the permission can explain it.",
        )

    def describe(self, proposal: BreakExplanation) -> str:
        return f"Close the break of {proposal.subject.day}: {proposal.subject.kind.lower()}"

    def panel_facts(self, proposal: BreakExplanation) -> list[tuple[str, object]]:
        return [
            ("Difference", format_difference(proposal.subject)),
            ("Explanation", proposal.explanation),
        ]

    def facts(self, proposal: BreakExplanation) -> list[tuple[str, object]]:
        return [
            *_facts(proposal.subject),
            ("Explanation", proposal.explanation),
            ("Explained by", proposal.proposed_by),
        ]

    def ask_approval(self, proposal: BreakExplanation) -> Confirmation:
        found, text = proposal.subject, "This cannot be undone."
        if found.kind == LineKind.UNEXPLAINED and found.in_latest_report:
            text += " The variance counts as explained from now on."
        return Confirmation(
            title=f"Close the break of {found.day}?", text=text, submit="Close the break"
        )

    def ask_rejection(self, proposal: BreakExplanation, *, own: bool) -> Confirmation:
        return Confirmation(
            title="Cancel the explanation?" if own else "Reject the explanation?",
            text="The break reopens.",
            submit=self.cancel_label if own else "Reject",
        )


def breaks_section(report: Reconciliation) -> Section | None:
    """Return the breaks of the report's day, and those that it updated last."""
    if report.provisional:
        return None
    rows = [
        (
            record_link(each, each.kind),
            each.day,
            about(each),
            format_difference(each),
            break_state(each),
            each.owner or "Unassigned",
            presence(each),
        )
        for each in ReconciliationBreak.objects.filter(
            Q(day=report.day) | Q(latest_report=report)
        ).select_related("withdrawal", "owner", "latest_report")[:_SHOWN]
    ]
    headings = ("Kind", "Day", "Subject", "Difference", "Status", "Owner", "In latest report")
    return Section(
        "Breaks",
        headings,
        rows,
        right=(3,),
        empty="No breaks.",
    )


_SHOWN = 500


def _report(report: Reconciliation) -> str:
    return record_link(report, f"{report.day}, requested {report.created_at:%Y-%m-%d %H:%M} UTC")


def _facts(found: ReconciliationBreak) -> list[tuple[str, object]]:
    return [
        ("Day", found.day),
        ("Kind", found.kind),
        ("Subject", about(found)),
        ("Ours", side(found.our_text, found.our_amount, found)),
        ("Provider", side(found.their_text, found.their_amount, found)),
        ("Difference", format_difference(found)),
        ("In latest report", presence(found)),
    ]
