"""Confirmation pages: a page states what will happen, and its button executes it.

The form submits the facts it displayed. If any of them has changed since, nothing is executed and
the page lists the changes. Submitting twice executes once: the second time the record is no longer
pending. Services compare again under their lock where a change in between would matter.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import unescape
from typing import Any
from uuid import UUID

import msgspec
from django import forms
from django.contrib import messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import strip_tags

from exchange.admin.base import SafeAdmin, Section, staff_of
from exchange.admin.fields import ApprovalReasonForm
from exchange.admin.forms import add_form_error, bind_form, fieldsets_of
from exchange.admin.queue_pages import queue_step, wants_next
from exchange.admin.reasons import refuse_repeated_reason, remember_reason
from exchange.core.errors import DomainError, StateConflict

# What follows the action on a button: "Write off 40.00 KES", "Approve and pay 40.00 KES to …".
_AMOUNT_OR_MORE = re.compile(r"(?: and \w+| of)? (?=\d)|:")


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The content of a confirmation page.

    `facts` must not have changed when the form is submitted; `live_facts` may, ages for example.
    `blocker` says why the user cannot confirm now. `warnings` are shown in red, and the form is
    accepted only from a page that displayed them. `final` renders the button as destructive.
    """

    title: str
    text: str
    submit: str
    facts: Sequence[tuple[str, object]] = ()
    blocker: str = ""
    live_facts: Sequence[tuple[str, object]] = ()
    sections: Sequence[Section] = ()
    final: bool = False
    warnings: Sequence[str] = ()
    # Whether the warnings say what is not usual: who approves gives a reason, the keyword `reason`.
    asks_reason: bool = False

    @property
    def heading(self) -> str:
        """The heading of the facts."""
        return "You are proposing" if self.submit.startswith("Propose") else "Review and confirm"

    @property
    def submit_and_next(self) -> str:
        """The label of the button that continues with the next record of the queue."""
        action = _AMOUNT_OR_MORE.split(self.submit, maxsplit=1)[0]
        return f"{action} and next"

    def displayed_facts(self) -> dict[str, str]:
        """Return the facts as plain text."""
        return {name: unescape(strip_tags(str(value))) for name, value in self.facts}

    @property
    def displayed_warnings(self) -> str:
        """The warnings as the form submits them."""
        return json.dumps(list(self.warnings))

    def changes_since(self, seen: str) -> list[str]:
        """Return the differences from `seen`, the submitted facts, as sentences."""
        now, before = self.displayed_facts(), _parse_facts(seen)
        names = list(dict.fromkeys([*before, *now]))
        return [
            f"{name} was {before.get(name, 'none')} and is {now.get(name, 'none')}"
            for name in names
            if before.get(name) != now.get(name)
        ]


@dataclass(frozen=True, slots=True)
class ConfirmedAction:
    """An action on a record with a confirmation page.

    `decide` is the service: it receives the record's id as keyword `key`, the user as `user`, and
    the fields of `form`. `done` is the success message, or builds it from the service's result.
    """

    name: str
    key: str
    permissions: Sequence[str]
    confirmation: Callable[[Any, Any], Confirmation]
    decide: Callable[..., Any]
    done: str | Callable[[Any], str]
    form: type[forms.Form] | None = None


class ConfirmationAdmin(SafeAdmin):
    """An admin with confirmation pages."""

    confirmed_actions: Sequence[ConfirmedAction] = ()

    def get_urls(self) -> list[URLPattern]:
        """Return the URLs of the confirmed actions, and those of the record."""
        return [
            *(
                self.action_url(
                    f"<uuid:object_id>/{action.name.replace('_', '-')}/",
                    action.name,
                    partial(self.confirmed_action_view, action=action),
                    only_post=False,
                )
                for action in self.confirmed_actions
            ),
            *super().get_urls(),
        ]

    def confirmed_action_view(
        self, request: HttpRequest, object_id: UUID, *, action: ConfirmedAction
    ) -> HttpResponse:
        """Show the action's confirmation page; execute the action when it is confirmed."""
        record, user = self.record(request, object_id, *action.permissions), staff_of(request)
        return self.confirm_page(
            request,
            record,
            action.confirmation(record, user),
            partial(action.decide, **{action.key: record.pk}, user=user),
            action.done,
            form=bind_form(request, action.form) if action.form else None,
        )

    def confirm_page(
        self,
        request: HttpRequest,
        record: Model,
        confirmation: Confirmation,
        act: Callable[..., Any],
        done: str | Callable[[Any], str],
        *,
        form: forms.Form | None = None,
        decided: Model | None = None,
        template: str = "admin/confirm.html",
        **context: Any,
    ) -> HttpResponse:
        """Show `confirmation`; when it is confirmed call `act`, a service, and report `done`.

        `done` is a message, or builds one from the result of `act`. The fields of `form` are passed
        to `act`; input is kept while the form has errors. `decided` is the record whose queue
        continues, if it is not `record`. `template` extends the page and reads `context`.
        """
        if form is None and confirmation.asks_reason:
            form = bind_form(request, ApprovalReasonForm)
        if confirmation.blocker:
            messages.error(request, f"{confirmation.blocker.rstrip('.')}. No changes were made.")
            return self.redirect_to_record(record.pk)
        seen = request.POST.get("seen", "")
        changes = confirmation.changes_since(seen) if seen else []
        if changes:
            changed = "; ".join(changes)
            messages.error(
                request,
                f"No changes were made. Since you opened the page: {changed}. Review it again.",
            )
        elif (
            confirmation.warnings and request.POST.get("warned") != confirmation.displayed_warnings
        ):
            pass  # The page below displays them.
        elif (
            seen and (form is None or form.is_valid()) and not refuse_repeated_reason(request, form)
        ):
            step, then_next = queue_step(self, request, decided), wants_next(request)
            found = step.find_next(decided or record, staff_of(request)) if then_next else None
            try:
                result = act(**form.cleaned_data) if form is not None else act()
            except DomainError as error:
                # A record that has changed is not confirmed by another input.
                if form is None or error.code == StateConflict.code:
                    messages.error(request, error.message)
                    return self.redirect_to_record(record.pk)
                add_form_error(form, error)
            else:
                remember_reason(request, form)
                message = done if isinstance(done, str) else done(result)
                if then_next:
                    return step.redirect(request, found, message)
                messages.success(request, message)
                return self.redirect_to_record(record.pk)
        fields = {} if form is None else {"form": form, "fieldsets": fieldsets_of(form)}
        return self.page(
            request,
            template,
            confirmation.title,
            record=record,
            confirmation=confirmation,
            seen=json.dumps(confirmation.displayed_facts()),
            back=self.address("change", record.pk),
            offers_next=queue_step(self, request, decided).offers_next(request, decided or record),
            **fields,
            **context,
        )


def _parse_facts(seen: str) -> dict[str, str]:
    """Return the facts that the page was opened with; none for a value that it did not send."""
    try:
        return msgspec.json.decode(seen, type=dict[str, str])
    except msgspec.DecodeError:
        return {}
