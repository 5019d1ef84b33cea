"""The back-office pages of proposals: one person proposes, another one approves or rejects.

A subject declares on its `ProposalAdmin` what its pages say and which services decide. Columns of
the list, the approval panel, the confirmation pages and their URLs are the same for all.
`ApprovalPages` is for the page of a record that has proposals, such as a freeze to be lifted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import label_for_field, lookup_field
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import format_html
from django.utils.text import capfirst

from exchange.admin.base import PendingDecision, Section, Tool, staff_of
from exchange.admin.columns import column, status_column, time_column
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin
from exchange.admin.display import age, format_time, status_badge
from exchange.admin.forms import bind_form
from exchange.staff.admin.pending import VIEW_ONLY, describe_approvers
from exchange.staff.approvals import TwoPersonApproval
from exchange.staff.models import ApprovalStatus, StaffUser


@dataclass(frozen=True, slots=True)
class Step:
    """A decision about a proposal: its page's name, the service, and what is reported.

    `decide` receives the proposal's id as keyword `key`, the user as keyword `person`, and the
    fields of `form`. `done` is the success message, or builds it from the service's result.
    `permission` is that of the approval, unless it says otherwise.
    """

    name: str
    key: str
    decide: Callable[..., Any]
    done: str | Callable[[Any], str]
    form: type[forms.Form] | None = None
    permission: str = ""
    person: str = "user"


def ask_to_close(
    what: str, text: str, *, own: bool, submit: str = "Reject", final: bool = False
) -> Confirmation:
    """Return the page that rejects `what`, or that cancels one's own proposal."""
    return Confirmation(
        title=f"{'Cancel' if own else 'Reject'} {what}?",
        text=text,
        submit="Cancel proposal" if own else submit,
        final=final,
    )


class ApprovalPages(ConfirmationAdmin):
    """Base of pages on which proposals are decided."""

    approval: ClassVar[TwoPersonApproval[Any]]
    approve_step: Step
    reject_step: Step
    # How the proposer cancels, where it is not by rejecting.
    cancel_step: Step | None = None
    cancel_label = "Cancel proposal"
    only_proposer_cancels = "Only the proposer can cancel this proposal"
    # The name of the record's proposals, and what is read with one; empty: it is the proposal.
    proposals = ""
    proposals_related: Sequence[str] = ("proposed_by", "decided_by")
    # Whether the record's proposals have a list, and so a queue, of their own.
    proposals_listed = False
    # The route of a step's page; with `<uuid:proposal_id>` where it names a record's proposal.
    step_route = "<uuid:object_id>/{}/"
    # Columns that the confirmation pages show as facts.
    fact_fields: Sequence[str] = ()

    # --- what a subject declares ---

    def ask_approval(self, proposal: Any) -> Confirmation:
        """Return the page that approves `proposal`; facts, blocker and notices are added."""
        raise NotImplementedError

    def ask_rejection(self, proposal: Any, *, own: bool) -> Confirmation:
        """Return the page that rejects `proposal`, or cancels one's own; facts are added."""
        raise NotImplementedError

    def ask_cancellation(self, proposal: Any) -> Confirmation:
        """Return the page of `cancel_step`; facts are added."""
        raise NotImplementedError

    def facts(self, proposal: Any) -> Sequence[tuple[str, object]]:
        """Return the facts on the confirmation pages, by default `fact_fields`."""
        return self.field_facts(proposal, *self.fact_fields)

    def find_notices(self, proposal: Any) -> Sequence[str]:
        """Return what is not usual about a pending proposal; its approval takes a reason."""
        return ()

    def describe(self, proposal: Any) -> str:
        """Return what the panel says is proposed."""
        return self.ask_approval(proposal).title

    def label_approval(self, proposal: Any) -> str:
        """Return the label of the panel's button."""
        return self.ask_approval(proposal).submit

    def panel_facts(self, proposal: Any) -> Sequence[tuple[str, object]]:
        """Return what the panel shows and the record's fields lack."""
        return ()

    def expected(self, step: Step, proposal: Any) -> dict[str, Any]:
        """Return what the page shows and the service is to find unchanged, as keywords."""
        return {}

    def proposer_of(self, proposal: Any) -> Any:
        """Return who proposed, a user or words."""
        return proposal.proposed_by or "the system"

    # --- what is the same for all ---

    def field_facts(self, record: Any, *names: str) -> list[tuple[str, object]]:
        """Return columns of the record as facts."""
        found: list[tuple[str, object]] = []
        for name in names:
            label = self.labels.get(name) or str(label_for_field(name, self.model, self))
            found.append((capfirst(label), lookup_field(name, record, self)[2]))
        return found

    def find_proposal(self, record: Any, proposal_id: UUID | None = None) -> Any:
        """Return the record's proposal with this id, or its newest; None if there is none."""
        if not self.proposals:
            return record
        rows = getattr(record, self.proposals).select_related(*self.proposals_related)
        return (rows.filter(pk=proposal_id) if proposal_id else rows).first()

    def step_address(self, step: Step, record: Any, proposal: Any) -> str:
        """Return the URL of a step's page."""
        by_id = "proposal_id" in self.step_route
        return self.address(step.name, record.pk, *([proposal.pk] if by_id else ()))

    def permission_of(self, step: Step) -> str:
        """Return the permission that a step takes."""
        return step.permission or self.approval.permission

    def get_urls(self) -> list[URLPattern]:
        """Return the URLs of the decisions, and those of the record."""
        pages = [(self.approve_step, self.approval_page), (self.reject_step, self.rejection_page)]
        if self.cancel_step is not None:
            pages.append((self.cancel_step, self.cancellation_page))
        return [
            *(
                self.action_url(
                    self.step_route.format(step.name),
                    step.name,
                    partial(self.decide_view, step=step, build=build),
                    only_post=False,
                )
                for step, build in pages
            ),
            *super().get_urls(),
        ]

    def decision(self, request: HttpRequest, obj: Any) -> PendingDecision | None:
        """Return the panel of the pending proposal."""
        return self.panel(request, obj, self.find_proposal(obj))

    def panel(self, request: HttpRequest, record: Any, proposal: Any) -> PendingDecision | None:
        """Return the panel of a proposal about `record`; None unless it is pending."""
        if proposal is None or proposal.status != ApprovalStatus.PENDING:
            return None
        user, proposer = staff_of(request), self.proposer_of(proposal)
        cancel = self.cancel_step or self.reject_step
        own = proposer == user and user.has_perm(self.permission_of(cancel))
        may = user.has_perm(self.approval.permission)
        blocker = self.approval.describe_blocker(proposal, user) if may or own else VIEW_ONLY

        def tool(step: Step, label: str) -> Tool:
            return Tool(label, self.step_address(step, record, proposal))

        close = tool(cancel, self.cancel_label) if own else tool(self.reject_step, "Reject")
        return PendingDecision(
            proposal=self.describe(proposal).rstrip("?"),
            facts=self.panel_facts(proposal),
            summary=format_html("Proposed by {} {} ago.", proposer, age(proposal.created_at)),
            eligible=describe_approvers(
                self.approval.permission, *self.approval.proposers(proposal)
            ),
            approve=None if blocker else tool(self.approve_step, self.label_approval(proposal)),
            other_tools=[close] if may or own else [],
            blocker=blocker,
        )

    def proposals_section(self, record: Any, title: str, empty: str) -> Section:
        """Return the table of the record's proposals, which have an explanation each."""
        found = getattr(record, self.proposals).select_related(*self.proposals_related)
        rows = [
            (
                format_time(each.created_at),
                each.proposed_by,
                each.explanation,
                status_badge(each.status),
                each.decided_by or "-",
                format_time(each.decided_at) if each.decided_at else "-",
                each.reason or "-",
            )
            for each in found
        ]
        headings = (
            "Proposed (UTC)", "By", "Explanation", "Status", "Decided by", "Decided (UTC)",
            "Rejection reason",
        )  # fmt: skip
        return Section(title, headings, rows, empty=empty)

    def decide_view(
        self,
        request: HttpRequest,
        object_id: UUID,
        proposal_id: UUID | None = None,
        *,
        step: Step,
        build: Callable[[Any, StaffUser], Confirmation],
    ) -> HttpResponse:
        """Show the confirmation page of a step; carry it out when it is confirmed."""
        record = self.record(request, object_id, self.permission_of(step))
        proposal, user = self.find_proposal(record, proposal_id), staff_of(request)
        if proposal is None:
            raise Http404
        values = {step.key: proposal.pk, step.person: user, **self.expected(step, proposal)}
        return self.confirm_page(
            request,
            record,
            build(proposal, user),
            partial(step.decide, **values),
            step.done,
            form=bind_form(request, step.form) if step.form else None,
            decided=proposal if self.proposals_listed else None,
        )

    def approval_page(self, proposal: Any, user: StaffUser) -> Confirmation:
        """Return the page on which `user` approves `proposal`."""
        page, notices = self.ask_approval(proposal), self.find_notices(proposal)
        return replace(
            page,
            facts=page.facts or self.facts(proposal),
            blocker=self.approval.describe_blocker(proposal, user) or page.blocker,
            warnings=[*notices, *page.warnings],
            asks_reason=bool(notices),
        )

    def rejection_page(self, proposal: Any, user: StaffUser) -> Confirmation:
        """Return the page on which `user` rejects `proposal`, or cancels their own.

        Raises `PermissionDenied` for others than its proposer and approvers.
        """
        own = self.proposer_of(proposal) == user
        if not own and not user.has_perm(self.approval.permission):
            raise PermissionDenied
        return replace(
            self.ask_rejection(proposal, own=own),
            facts=self.facts(proposal),
            blocker=self.approval.describe_closed(proposal),
        )

    def cancellation_page(self, proposal: Any, user: StaffUser) -> Confirmation:
        """Return the page on which `user` cancels their own `proposal`."""
        foreign = "" if self.proposer_of(proposal) == user else self.only_proposer_cancels
        return replace(
            self.ask_cancellation(proposal),
            facts=self.facts(proposal),
            blocker=self.approval.describe_closed(proposal) or foreign,
        )


class ProposalAdmin(ApprovalPages):
    """Base of the list and the pages of proposals."""

    list_select_related: ClassVar[Any] = ("proposed_by", "decided_by")
    labels: Mapping[str, str] = MappingProxyType({"created_at": "proposed (UTC)"})
    # Ids grow with time and have an index.
    ordering: ClassVar[Any] = ("-pk",)

    state_display = status_column()
    proposed_age = column("age", lambda each: age(each.created_at), ordering="created_at")
    proposed_time = time_column("proposed (UTC)", "created_at", ordering="created_at")
    decided_time = time_column("decided (UTC)", "decided_at", ordering="decided_at")

    def warnings(self, obj: Any) -> Sequence[str]:
        """Return what is not usual about the pending proposal."""
        return self.find_notices(obj) if obj.status == ApprovalStatus.PENDING else ()


def decision_of(request: HttpRequest, record: Model, proposal: Model) -> PendingDecision | None:
    """Return the panel of a proposal about `record`, for another page than the record's."""
    page: Any = admin.site._registry[type(record)]
    found: PendingDecision | None = page.panel(request, record, proposal)
    return found
