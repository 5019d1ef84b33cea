"""Distributions in the back office: what is paid to whom, and the proposals that two people decide.

They are proposed on the page of their token (`token_panel`) or by the issuer.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.forms import Form
from django.http import HttpRequest, HttpResponse

from credit.distributions.admin.calendar import calendar_page
from credit.distributions.admin.forms import (
    AssignForm,
    ChangeForm,
    CorrectionForm,
    ExplanationForm,
    initial_terms,
    read_terms,
)
from credit.distributions.admin.sections import (
    changed_terms,
    largest_incomes,
    list_proposals,
    money_and_holders,
    previous_ones,
)
from credit.distributions.models import (
    Distribution,
    DistributionAction,
    DistributionProposal,
    DistributionStatus,
    DistributionType,
    Income,
)
from credit.distributions.schedule import DAY_COUNT
from credit.distributions.selectors import expected_gross
from credit.distributions.services.assigning import unpaid_of_closed
from credit.distributions.services.proposals import (
    ASSIGNABLE,
    PROPOSALS,
    PROPOSE,
    STEPS,
    approve,
    propose_assignment,
    propose_change,
    propose_distribution,
    propose_step,
    reject,
)
from credit.distributions.services.terms import DistributionTerms
from exchange.admin.base import Section, Tool, actor_of, staff_of
from exchange.admin.columns import column, link_column, time_column
from exchange.admin.confirmation import Confirmation, ConfirmedAction
from exchange.admin.display import format_time, record_link, status_badge
from exchange.admin.fields import ReasonForm
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, currency_filter, day_range
from exchange.core.currencies import format_money
from exchange.core.numbers import format_grouped, format_units
from exchange.participants.models import Member
from exchange.staff.admin.pending import QueueFilter, approval_queue
from exchange.staff.admin.proposals import ApprovalPages, Step, ask_to_close
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.ledger.selectors.wallets import available_balance

_STEPS = {DistributionAction.FUND: "funding", DistributionAction.CANCEL: "cancellation"}
# The announcement of a correction.
_CORRECT = "correct"
# What each step does, read before proposing and before approving.
_EFFECTS: dict[str, str] = {
    DistributionAction.ANNOUNCE: "The issuer and all organisations with holders are notified. At"
    " the record the holdings are stored; what is due is taken from the issuer's wallet on the"
    " payment date.",
    _CORRECT: "The issuer and all organisations with holders are notified, and the difference of"
    " each holder is recorded at once. From the payment date on, what was too little is taken from"
    " the issuer's wallet, and what was too much from what each holder has available.",
    DistributionAction.CHANGE: "The distribution stays announced, with these terms as its next"
    " version. The issuer is notified.",
    DistributionAction.FUND: "All that the record says is due leaves the issuer's wallet now.",
    DistributionAction.CANCEL: "Nothing is paid. What was funded goes back to the issuer. Final.",
    DistributionAction.ASSIGN: "The income is paid to this owner within a minute. A closed member"
    " that is to be paid itself is reopened.",
}
_DONE: dict[str, str] = {
    DistributionAction.ANNOUNCE: "Announced.",
    DistributionAction.CHANGE: "Terms changed.",
    DistributionAction.FUND: "Funded.",
    DistributionAction.CANCEL: "Cancelled. Nothing is paid.",
    DistributionAction.ASSIGN: "Assigned. It is paid within a minute.",
}
_PROPOSED = "Proposed. Nothing changes until a second person approves."
_TIMES: tuple[tuple[str, Callable[[DistributionTerms], str]], ...] = (
    ("Record (UTC)", lambda terms: format_time(terms.record_at)),
    ("Payment date", lambda terms: str(terms.payment_date)),
)


class DistributionListFilters(ListFilters):
    decision = QueueFilter(approval_queue("Distributions to decide", PROPOSALS, "distribution"))
    status__exact = ChoiceFilter("status", DistributionStatus.choices, title="status")
    type__exact = ChoiceFilter("type", DistributionType.choices, title="type")
    currency__code__exact = currency_filter()
    day_from, day_to = day_range()


def _money(distribution: Distribution, name: str) -> str:
    return format_money(getattr(distribution, name), distribution.currency_id)


def _basis(distribution: Distribution) -> str:
    basis = distribution.basis
    if basis is None:
        return "-"
    principal = format_money(basis.principal_per_unit, distribution.currency_id)
    return (
        f"{format_grouped(basis.rate)} % a year on {principal} for {basis.days} days ({DAY_COUNT})"
    )


def _due(distribution: Distribution) -> str:
    """Return what the issuer pays for the distribution; empty before the record."""
    return "" if distribution.gross is None else _money(distribution, "gross")


def _ask_step(action: DistributionAction, what: str, obj: Distribution, _user: Any) -> Confirmation:
    """Return the page that proposes a step, `what` in words."""
    return Confirmation(
        title=f"Propose {what} of {obj}?",
        facts=[
            ("Token", record_link(obj.token)),
            ("Issuer", record_link(obj.token.issuer)),
            ("Due", _due(obj) or "Known at the record"),
        ],
        text=f"{_EFFECTS[action]} Nothing changes until a second person approves.",
        submit=f"Propose {what}",
    )


@admin.register(Distribution)
class DistributionAdmin(ApprovalPages):
    reports = {"calendar": calendar_page}
    approval = PROPOSALS
    proposals = "proposals"
    proposals_related = ("decided_by",)
    step_route = "<uuid:object_id>/proposals/<uuid:proposal_id>/{}/"
    approve_step = Step("approve", "proposal_id", approve, lambda done: _DONE[done.action])
    reject_step = Step("reject", "proposal_id", reject, "Proposal closed.", ReasonForm)
    record_pages = ("change_terms", "propose_assignment", "propose_correction")
    confirmed_actions = [
        ConfirmedAction(
            f"propose_{what}",
            "distribution_id",
            (PROPOSE,),
            partial(_ask_step, action, what),
            partial(propose_step, action=action),
            _PROPOSED,
            ExplanationForm,
        )
        for action, what in _STEPS.items()
    ]
    filters = DistributionListFilters
    list_display = (
        "name_display", "kind_display", "state_display", "amount_display", "record_display",
        "payment_date", "gross_display", "proposal_display",
    )  # fmt: skip
    list_select_related = ("token__issuer",)
    search_fields = ("token__symbol", "token__name", "token__issuer__name")
    search_help_text = "Token, issuer or ID"
    id_fields = ("pk", "token_id")
    ordering = ("-pk",)
    fields = (
        ("token_display", "issuer_display"), ("kind_display", "state_display"), "corrects_display",
        ("amount_display", "basis_display"), ("record_display", "payment_date"),
        ("version", "final_display"),
        ("holders", "units_display"), ("gross_display", "tax_display", "net_display"),
        ("proposer_display", "created_at"),
    )  # fmt: skip

    def heading(self, obj: Distribution) -> str:
        return str(obj)

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        waiting = DistributionProposal.objects.filter(status=ApprovalStatus.PENDING)
        return (
            super().rows(user).prefetch_related(Prefetch("proposals", waiting, "pending_proposals"))
        )

    # Not a link: the first column leads to the distribution.
    name_display = column("token", lambda row: str(row.token))
    proposer_display = column("proposed by", lambda row: row.proposed_by_label or row.proposed_by)
    token_display = link_column("token", "token")
    issuer_display = link_column("issuer", "token.issuer")
    kind_display = column("type", lambda row: row.kind, ordering="type")
    corrects_display = link_column("corrects", "corrects")
    final_display = column("units", lambda row: "Taken back as they are paid" if row.final else "-")
    state_display = column(
        "status",
        lambda row: status_badge("Overdue" if row.overdue else row.status),
        ordering="status",
    )
    amount_display = column("amount per unit", lambda row: _money(row, "amount_per_unit"))
    basis_display = column("basis", _basis)
    record_display = time_column("record (UTC)", "record_at", ordering="record_at")
    units_display = column(
        "units", lambda row: "-" if row.units is None else format_units(row.units)
    )
    gross_display = column("gross", lambda row: _money(row, "gross"), ordering="gross")
    tax_display = column("tax", lambda row: _money(row, "tax"))
    net_display = column("net", lambda row: _money(row, "net"))

    @admin.display(description="proposal")
    def proposal_display(self, obj: Distribution) -> str:
        found: list[DistributionProposal] = getattr(obj, "pending_proposals", [])
        return found[0].get_action_display() if found else "-"

    def tools(self, request: HttpRequest, obj: Distribution) -> list[Tool]:
        if not self.may(request, PROPOSE):
            return []
        if obj.proposals.filter(status="Pending").exists():
            return []
        found = []
        if obj.status == DistributionStatus.ANNOUNCED:
            found.append(Tool("Change terms", self.address("change_terms", obj.pk)))
        if obj.status in STEPS[DistributionAction.FUND]:
            found.append(Tool("Propose funding", self.address("propose_funding", obj.pk)))
        if obj.status in STEPS[DistributionAction.CANCEL]:
            found.append(Tool("Propose cancellation", self.address("propose_cancellation", obj.pk)))
        if obj.status in ASSIGNABLE and unpaid_of_closed(obj).exists():
            found.append(Tool("Propose assignment", self.address("propose_assignment", obj.pk)))
        if obj.status == DistributionStatus.PAID and not obj.corrects_id:
            found.append(Tool("Propose correction", self.address("propose_correction", obj.pk)))
        return found

    def sections(self, request: HttpRequest, obj: Distribution) -> list[Section]:
        return [
            money_and_holders(obj),
            largest_incomes(obj),
            previous_ones(obj),
            changed_terms(obj),
            list_proposals(obj),
        ]

    # --- proposals ---

    def proposer_of(self, proposal: DistributionProposal) -> Any:
        kind, _, key = proposal.proposed_by.partition(":")
        person = StaffUser.objects.filter(pk=key).first() if kind == "staff" else None
        return person or proposal.proposed_by_label or proposal.proposed_by

    def describe(self, proposal: DistributionProposal) -> str:
        return f"{proposal.get_action_display()}: {proposal.distribution}"

    def label_approval(self, proposal: DistributionProposal) -> str:
        return f"{proposal.get_action_display()} {_due(proposal.distribution)}".strip()

    def ask_approval(self, proposal: DistributionProposal) -> Confirmation:
        announces = proposal.action == DistributionAction.ANNOUNCE
        corrects = announces and proposal.distribution.corrects_id is not None
        return Confirmation(
            title=f"{proposal.get_action_display()}: {proposal.distribution}?",
            text=_EFFECTS[_CORRECT if corrects else proposal.action],
            submit=self.label_approval(proposal),
            final=proposal.action == DistributionAction.CANCEL,
        )

    def ask_rejection(self, proposal: DistributionProposal, *, own: bool) -> Confirmation:
        draft = proposal.action == DistributionAction.ANNOUNCE
        return ask_to_close(
            f"the proposal to {proposal.get_action_display().lower()}",
            "The distribution is cancelled. No money moves."
            if draft
            else "The distribution stays as it is. No money moves.",
            own=own,
            final=draft,
        )

    def facts(self, proposal: DistributionProposal) -> list[tuple[str, object]]:
        distribution = proposal.distribution
        if proposal.action == DistributionAction.ASSIGN:
            return _assignment_facts(proposal)
        names = ["token_display", "issuer_display", "amount_display", "basis_display"]
        facts = self.field_facts(distribution, *names)
        now = DistributionTerms.of(distribution)
        then = DistributionTerms.from_json(distribution, proposal.terms) if proposal.terms else now
        if proposal.terms:
            amount = format_money(then.amount_per_unit, then.currency)
            facts.append(("Amount per unit, proposed", amount))
        for label, show in _TIMES:
            facts.append((label, show(now)))
            if proposal.terms:
                facts.append((f"{label}, proposed", show(then)))
        return [
            *facts,
            *_corrected_facts(distribution),
            ("Due" if distribution.holders else "Due if recorded now", _expected(distribution)),
            ("Available to the issuer", _available(distribution)),
            *([("Units", "Taken back as they are paid")] if distribution.final else []),
            ("Proposed by", str(self.proposer_of(proposal))),
            ("Explanation", proposal.explanation or "-"),
        ]

    def change_terms(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose other terms of an announced distribution."""
        obj: Distribution = self.record(request, object_id, PROPOSE)

        def act(typed: dict[str, Any]) -> DistributionProposal:
            return propose_change(
                distribution_id=obj.pk,
                terms=read_terms(obj.token, obj.type, typed),
                explanation=typed["explanation"],
                user=staff_of(request),
            )

        form = bind_form(request, partial(ChangeForm, obj.type), **initial_terms(obj))
        return self._form_page(request, obj, form, act, "Propose other terms")

    def propose_assignment(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose who is paid the income of a closed member."""
        obj: Distribution = self.record(request, object_id, PROPOSE)
        form = bind_form(request, AssignForm)
        form.fields["income"].queryset = unpaid_of_closed(obj)  # type: ignore[attr-defined]

        def act(typed: dict[str, Any]) -> DistributionProposal:
            income, member = typed["income"], typed["member"]
            return propose_assignment(
                distribution_id=obj.pk,
                income_id=income.pk,
                owner_id=member.pk if member else income.organisation_id,
                explanation=typed["explanation"],
                user=staff_of(request),
            )

        return self._form_page(request, obj, form, act, "Assign the income of a closed member")

    def propose_correction(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose the terms that would have been right for a paid distribution."""
        obj: Distribution = self.record(request, object_id, PROPOSE)

        def act(typed: dict[str, Any]) -> Distribution:
            return propose_distribution(
                token_id=obj.token_id,
                terms=replace(
                    read_terms(obj.token, obj.type, {**typed, "record_at": obj.record_at}),
                    final=False,
                ),
                actor=actor_of(request),
                explanation=typed["explanation"],
                corrects=obj.pk,
            )

        form = bind_form(request, partial(CorrectionForm, obj.type), **initial_terms(obj))
        done = "Proposed. Nothing is paid or taken back until a second person approves."
        return self._form_page(request, obj, form, act, "Propose the right terms", done=done)

    def _form_page(
        self,
        request: HttpRequest,
        obj: Distribution,
        form: Form,
        act: Callable[[dict[str, Any]], object],
        title: str,
        *,
        done: str = _PROPOSED,
    ) -> HttpResponse:
        return self.form_page(
            request, form, act, title=title, submit="Propose", done=done, record=obj
        )


def _corrected_facts(distribution: Distribution) -> list[tuple[str, object]]:
    """Return what a correction corrects, and what was paid for a unit."""
    original = distribution.corrects
    if original is None:
        return []
    return [
        ("Corrects", record_link(original)),
        ("Amount per unit, paid", _money(original, "amount_per_unit")),
        ("Basis, paid", _basis(original)),
    ]


def _assignment_facts(proposal: DistributionProposal) -> list[tuple[str, object]]:
    terms = proposal.terms or {}
    income = Income.objects.select_related("member", "organisation").get(pk=terms["income"])
    owner = Member.objects.filter(pk=terms["owner"]).first() or income.organisation
    return [
        ("Income of", str(income.assigned_from or income.member)),
        ("Organisation", str(income.organisation)),
        ("Net", format_money(income.net, proposal.distribution.currency_id)),
        ("Paid to", f"{owner}, which is reopened" if owner == income.member else str(owner)),
        ("Proposed by", str(proposal.proposed_by_label or proposal.proposed_by)),
        ("Explanation", proposal.explanation or "-"),
    ]


def _expected(distribution: Distribution) -> str:
    due = expected_gross([distribution])[distribution.pk]
    return format_money(due, distribution.currency_id)


def _available(distribution: Distribution) -> str:
    currency = distribution.currency_id
    return format_money(available_balance(distribution.token.issuer_id, currency), currency)
