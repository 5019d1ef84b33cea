"""Lines of bank statements in the admin: each is matched with a record, or set aside.

A match books nothing. Where no record is found, one is proposed in the form of its own subject,
filled in from the line, and another person approves it as always.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern
from django.utils.html import format_html
from django.utils.text import capfirst

from exchange.admin.base import Section, Tool, staff_of
from exchange.admin.columns import column, money_column, status_column
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin, ConfirmedAction
from exchange.admin.display import record_link, record_url
from exchange.admin.fields import ReasonForm
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilter,
    ListFilters,
    amount_range,
    currency_filter,
    day_field,
    id_filter,
)
from exchange.admin.paging import COUNT_LIMIT
from exchange.admin.saved_views import SavedView
from exchange.core.currencies import format_money
from exchange.staff.models import StaffUser
from wallets.adjustments.admin import EntryForm, entry_terms
from wallets.adjustments.models import AdjustmentKind, Direction
from wallets.adjustments.services import ADJUST, find_adjustment_notices
from wallets.bank_statements.models import MATCHES, LineStatus, OwnBankAccount, StatementLine
from wallets.bank_statements.selectors import KINDS, MatchKind, find_candidates, line_totals
from wallets.bank_statements.services import matching
from wallets.bank_statements.services.permission import MATCH
from wallets.deposits.admin.deposits import DepositForm, incoming_payment
from wallets.deposits.services.manual import ENTER, find_payment_notices
from wallets.treasury.admin import MovementForm, movement_terms
from wallets.treasury.models import TreasuryKind
from wallets.treasury.services import MOVE, find_movement_notices

_ARRIVED = (TreasuryKind.DRAW_DOWN, TreasuryKind.FEE_PAYOUT)
_LEFT = (TreasuryKind.TOP_UP,)
_CLOSING = ("bought_currency", "bought_amount", "closed_amount")


def _amount(line: StatementLine) -> str:
    return format_money(line.amount, line.currency_id)


def _match(line: StatementLine) -> Any:
    return line.deposit or line.movement or line.adjustment


def _match_link(record: Any) -> str:
    """Return a link by the kind of the record: its amount is the line's."""
    return record_link(record, capfirst(record._meta.verbose_name)) if record else "-"


def _words(line: StatementLine) -> list[str]:
    return [text for text in (line.counterparty, line.description) if text]


def _facts(line: StatementLine) -> list[tuple[str, object]]:
    return [
        ("Line", f"{_amount(line)}, booked {line.booked_on}"),
        ("Account", line.account.name),
        ("Bank's reference", line.bank_reference or "-"),
        ("Payer's reference", line.payment_reference or "-"),
        ("Payer or payee", line.counterparty or "-"),
        ("Description", line.description or "-"),
    ]


def _not(line: StatementLine, status: LineStatus) -> str:
    return "" if line.status == status else f"The line is {line.status.lower()}"


def _ask_to_set_aside(line: StatementLine, _user: StaffUser) -> Confirmation:
    return Confirmation(
        title=f"Set aside {_amount(line)}?",
        text="The line is explained by your reason, and no record is expected for it.",
        submit="Set aside",
        facts=_facts(line),
        blocker=_not(line, LineStatus.OPEN),
    )


def _ask_to_reopen(line: StatementLine, _user: StaffUser) -> Confirmation:
    return Confirmation(
        title=f"Reopen {_amount(line)}?",
        text="The line is open again.",
        submit="Reopen",
        facts=[*_facts(line), ("Reason", line.reason)],
        blocker=_not(line, LineStatus.SET_ASIDE),
    )


def _ask_to_remove(line: StatementLine, _user: StaffUser) -> Confirmation:
    return Confirmation(
        title=f"Remove the match of {_amount(line)}?",
        text="The line is open again. What was booked for the record stays as it is.",
        submit="Remove match",
        facts=[*_facts(line), ("Matched with", str(_match(line)))],
        blocker=_not(line, LineStatus.MATCHED),
        final=True,
    )


def _action(
    name: str,
    ask: Callable[[StatementLine, StaffUser], Confirmation],
    decide: Callable[..., Any],
    done: str,
    form: type[forms.Form] | None = None,
) -> ConfirmedAction:
    return ConfirmedAction(name, "line_id", (MATCH,), ask, decide, done, form)


class LineFilters(ListFilters):
    status__exact = ChoiceFilter("status", LineStatus.choices, title="status")
    account_id = ChoiceFilter(
        "account_id",
        lambda: [(str(row.pk), row.name) for row in OwnBankAccount.objects.all()],
        title="account",
    )
    currency__code__exact = currency_filter()
    day_from = ListFilter("booked_on", "gte", title="booked", **day_field("From"))
    day_to = ListFilter("booked_on", "lte", title="booked", **day_field("To"))
    amount_from, amount_to = amount_range()
    file_id = id_filter("file_id")


def _view(status: LineStatus, explanation: str) -> SavedView:
    return SavedView(status.label.capitalize(), explanation, {"status__exact": status.value})


@admin.register(StatementLine)
class StatementLineAdmin(ConfirmationAdmin):
    confirmed_actions = (
        _action("set_aside", _ask_to_set_aside, matching.set_aside, "Set aside.", ReasonForm),
        _action("reopen", _ask_to_reopen, matching.reopen, "Open again."),
        _action("remove_match", _ask_to_remove, matching.remove_match, "Match removed."),
    )
    record_pages = ("propose_deposit", "propose_movement", "propose_entry")
    filters = LineFilters
    saved_views = (
        _view(LineStatus.OPEN, "Without a match: find the record, or propose it."),
        _view(LineStatus.PROPOSED, "A second person is to approve the record."),
        _view(LineStatus.MATCHED, "The record was approved by two people."),
        _view(LineStatus.SET_ASIDE, "Explained by a reason."),
        SavedView("All", "Every line.", {}),
    )
    list_display = (
        "booked_on", "amount_display", "account_name", "reference_display", "counterparty",
        "state_display", "match_display",
    )  # fmt: skip
    list_select_related = ("account", *MATCHES)
    search_fields = ("bank_reference", "payment_reference", "counterparty", "description")
    search_help_text = "Reference, payer, payee, description, amount or ID"
    amount_fields = ("amount",)
    labels = {"booked_on": "booked", "value_on": "value date", "counterparty": "payer or payee"}
    fields = (
        ("amount_display", "state_display"), ("booked_on", "value_on"), ("account", "file"),
        ("bank_reference", "payment_reference"), ("counterparty", "reversal_display"),
        "description", "match_display", ("handled_by", "handled_at"), "reason",
    )  # fmt: skip

    amount_display = money_column("amount", "amount", ordering="amount")
    state_display = status_column()
    account_name = column("account", lambda line: line.account.name)
    reference_display = column(
        "reference", lambda line: line.bank_reference or line.payment_reference or "-"
    )
    reversal_display = column(
        "reversal", lambda line: "Of an earlier entry" if line.is_reversal else "No"
    )
    match_display = column("match", lambda line: _match_link(_match(line)))

    def heading(self, obj: StatementLine) -> str:
        return f"{_amount(obj)} on {obj.booked_on}"

    def get_urls(self) -> list[URLPattern]:
        """Return the URL that matches a record, and those of the line."""
        route = "<uuid:object_id>/match/<slug:kind>/<uuid:record_id>/"
        return [
            self.action_url(route, "match", self.match, only_post=False),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Render the list with the sums of its lines, unless they are too many to add up."""
        response: HttpResponse = super().changelist_view(request, extra_context)
        if isinstance(response, TemplateResponse) and response.context_data:
            shown = response.context_data.get("cl")
            if shown is not None and 0 < shown.result_count < COUNT_LIMIT:
                response.context_data["totals"] = [
                    (
                        f"{each.count:,}",
                        format_money(each.arrived, each.currency),
                        format_money(each.left, each.currency),
                    )
                    for each in line_totals(shown.queryset)
                ]
        return response

    def tools(self, request: HttpRequest, obj: StatementLine) -> list[Tool]:
        if not self.may(request, MATCH):
            return []
        if obj.status == LineStatus.MATCHED:
            return [Tool("Remove match", self.address("remove_match", obj.pk))]
        if obj.status == LineStatus.SET_ASIDE:
            return [Tool("Reopen", self.address("reopen", obj.pk))]
        shown = []
        if obj.status == LineStatus.OPEN:
            if obj.amount > 0 and self.may(request, ENTER):
                shown.append(Tool("Propose deposit", self.address("propose_deposit", obj.pk)))
            if self.may(request, MOVE):
                page = self.address("propose_movement", obj.pk)
                shown.append(Tool("Propose treasury movement", page))
            if self.may(request, ADJUST):
                shown.append(Tool("Propose adjusting entry", self.address("propose_entry", obj.pk)))
            shown.append(Tool("Set aside", self.address("set_aside", obj.pk)))
        return shown

    def sections(self, request: HttpRequest, obj: StatementLine) -> list[Section]:
        if obj.status != LineStatus.OPEN:
            return []
        may = self.may(request, MATCH)
        rows = []
        for kind, record in find_candidates(obj):
            address = self.address("match", obj.pk, kind.field, record.pk)
            rows.append(
                (
                    record_link(record),
                    kind.noun.capitalize(),
                    f"{record.created_at:%Y-%m-%d}",
                    "Same" if record.same_reference else "Other",
                    record.status,
                    format_html('<a href="{}">Match</a>', address) if may else "",
                )
            )
        return [
            Section(
                "Records that it may be",
                ("Record", "Kind", "Entered", "Reference", "Status", "Match"),
                rows,
                empty="No approved record has this amount and currency, and this reference or a"
                " day close to it.",
            )
        ]

    def match(
        self, request: HttpRequest, object_id: UUID, kind: str, record_id: UUID
    ) -> HttpResponse:
        """Confirm that the line is a record that two people approved."""
        line: StatementLine = self.record(request, object_id, MATCH)
        found = KINDS.get(kind)
        record: Any = found and found.model._default_manager.filter(pk=record_id).first()
        if found is None or record is None:
            raise Http404
        return self.confirm_page(
            request,
            line,
            _ask_to_match(line, found, record),
            partial(
                matching.confirm_match,
                line_id=line.pk,
                kind=found,
                record_id=record_id,
                user=staff_of(request),
            ),
            "Matched. Nothing was booked.",
        )

    def propose_deposit(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Enter the deposit of the line, which a second person must confirm."""
        line = self._line(request, object_id, ENTER)
        return self._propose(
            request,
            line,
            DepositForm,
            incoming_payment,
            find_payment_notices,
            title="Enter the deposit of the line",
            note=", ".join(_words(line))[:300],
        )

    def propose_movement(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose the treasury movement of the line, which a second person must confirm."""
        line = self._line(request, object_id, MOVE)
        kinds = _ARRIVED if line.amount > 0 else _LEFT

        def make(*given: Any, **options: Any) -> forms.Form:
            form = MovementForm(*given, **options)
            form.fields["kind"].choices = [(kind.value, kind.label) for kind in kinds]  # type: ignore[attr-defined]
            for name in _CLOSING:
                del form.fields[name]
            form.groups = [group for group in form.groups if group[0] != "Position"]
            return form

        return self._propose(
            request,
            line,
            make,
            lambda data: movement_terms(dict.fromkeys(_CLOSING) | data),
            find_movement_notices,
            title="Propose the treasury movement of the line",
        )

    def propose_entry(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose the adjusting entry of the line, which a second person must confirm."""
        line = self._line(request, object_id, ADJUST)
        left = line.amount < 0
        return self._propose(
            request,
            line,
            EntryForm,
            entry_terms,
            find_adjustment_notices,
            title="Propose the adjusting entry of the line",
            fixed=("currency", "amount", "direction"),
            direction=Direction.LESS if left else Direction.MORE,
            kind=AdjustmentKind.BANK_CHARGE if left else AdjustmentKind.CORRECTION,
        )

    def _line(self, request: HttpRequest, object_id: UUID, permission: str) -> StatementLine:
        """Return the line if the user may match it, and propose with `permission`."""
        line: StatementLine = self.record(request, object_id, MATCH)
        self.require(request, permission)
        return line

    def _propose(
        self,
        request: HttpRequest,
        line: StatementLine,
        make: Callable[..., forms.Form],
        terms: Callable[[dict[str, Any]], Any],
        find_notices: Callable[[Any], Sequence[str]],
        *,
        title: str,
        fixed: Sequence[str] = ("currency", "amount"),
        **initial: Any,
    ) -> HttpResponse:
        """Render the form of a record with what the line says; the `fixed` fields stay so."""
        if problem := _not(line, LineStatus.OPEN):
            messages.error(request, f"{problem}. No changes were made.")
            return self.redirect_to_record(line.pk)
        form = bind_form(
            request,
            make,
            currency=line.currency_id,
            amount=abs(line.amount),
            reference=line.bank_reference or line.payment_reference,
            **initial,
        )
        for name in fixed:
            form.fields[name].disabled = True
            form.fields[name].help_text = "As on the statement"
        return self.form_page(
            request,
            form,
            lambda data: matching.propose_record(
                line_id=line.pk, terms=terms(data), user=staff_of(request)
            ),
            title=title,
            submit="Propose",
            done="Proposed. A second person must confirm it.",
            record=line,
            note=", ".join(
                [f"{_amount(line)} booked {line.booked_on}", str(line.account), *_words(line)]
            ),
            find_notices=lambda data: find_notices(terms(data)),
        )


def _ask_to_match(line: StatementLine, kind: MatchKind, record: Any) -> Confirmation:
    blocker = _not(line, LineStatus.OPEN)
    if not blocker and not kind.fitting(line).filter(pk=record.pk).exists():
        blocker = matching.describe_difference(line, kind, record.pk)
    return Confirmation(
        title=f"Match {_amount(line)} with {record}?",
        text="Records that the line is this record. Nothing is booked.",
        submit="Confirm match",
        facts=[
            *_facts(line),
            (kind.noun.capitalize(), format_money(record.amount, record.currency_id)),
            ("Its reference", record.reference),
            ("Entered (UTC)", f"{record.created_at:%Y-%m-%d %H:%M}"),
            ("Status", record.status),
        ],
        blocker=blocker,
    )


def line_link(record: Any) -> Tool | None:
    """Return the link to the statement line of a record, if it has one."""
    field = next(kind.field for kind in KINDS.values() if isinstance(record, kind.model))
    line = StatementLine.objects.filter(**{field: record}).first()
    return Tool("Bank statement line", record_url(line), opens_record=True) if line else None
