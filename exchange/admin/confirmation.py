"""Decisions in two steps: a page that repeats what would be done, and its button, which does it.

The page sends along what it showed. If any of that is different by the time the button is pressed,
nothing is done and the person is told what has changed. Looking at the page changes nothing, and
pressing the button twice decides once: the second time there is nothing left to decide. Where a
change in the instant between would matter, the service compares once more under its lock.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import unescape
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import strip_tags

from exchange.admin.base import (
    SafeAdmin,
    Section,
    add_form_error,
    bind_form,
    fieldsets_of,
    staff_of,
)
from exchange.core.errors import DomainError


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What is to be decided. `facts` are what the person relies on, so they hold no ages, which
    change by themselves; what is worth seeing and changes by itself stands in `passing`, and is no
    reason to refuse. `blocker` says why it cannot be decided now, by this person. `warnings`
    stand in red above it all, and the button works only on a page that showed them.
    """

    title: str
    facts: Sequence[tuple[str, object]]
    text: str
    submit: str
    blocker: str = ""
    live_facts: Sequence[tuple[str, object]] = ()
    sections: Sequence[Section] = ()
    final: bool = False
    warnings: Sequence[str] = ()

    def displayed_facts(self) -> dict[str, str]:
        """The facts as text."""
        return {name: unescape(strip_tags(str(value))) for name, value in self.facts}

    @property
    def displayed_warnings(self) -> str:
        """The warnings as the page sends them along."""
        return json.dumps(list(self.warnings))

    def changes_since(self, seen: str) -> list[str]:
        """What is different from `seen`, which a page sent along, in words."""
        now, before = self.displayed_facts(), _parse_facts(seen)
        names = list(dict.fromkeys([*before, *now]))
        return [
            f"{name} was {before.get(name, 'not there')} and is {now.get(name, 'not there')}"
            for name in names
            if before.get(name) != now.get(name)
        ]


@dataclass(frozen=True, slots=True)
class ConfirmedAction:
    """One decision about a record: who may take it, what is asked, which service takes it.

    `decide` is given the record's id as the keyword `key`, the person as `user`, and what `form`
    asks for. What it answers may go into `done`.
    """

    name: str
    key: str
    permissions: Sequence[str]
    confirmation: Callable[[Any, Any], Confirmation]
    decide: Callable[..., Any]
    done: str | Callable[[Any], str]
    form: type[forms.Form] | None = None


class ConfirmationAdmin(SafeAdmin):
    """Pages of records that people decide about."""

    def confirmed_action_urls(self, actions: Sequence[ConfirmedAction]) -> list[URLPattern]:
        """The address of each of `steps`."""
        return [
            self.action_url(
                f"<uuid:object_id>/{action.name.replace('_', '-')}/",
                action.name,
                partial(self.confirmed_action_view, action=action),
                only_post=False,
            )
            for action in actions
        ]

    def confirmed_action_view(
        self, request: HttpRequest, object_id: UUID, *, action: ConfirmedAction
    ) -> HttpResponse:
        """Asks the step's question, and on its answer takes it."""
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
    ) -> HttpResponse:
        """Asks `question`; on its answer calls `act`, a service, and says `done`, which may be made
        of what `act` answers. `form` asks for what the person has to add: `act` is given what was
        typed, and what was typed is kept while something is still to be put right.
        """
        if confirmation.blocker:
            messages.error(request, f"{confirmation.blocker.rstrip('.')}. Nothing was done.")
            return self.redirect_to_record(record.pk)
        seen = request.POST.get("seen", "")
        changes = confirmation.changes_since(seen) if seen else []
        if changes:
            told = "; ".join(changes)
            messages.error(
                request, f"Nothing was done. Since you opened the page: {told}. Look again."
            )
        elif (
            confirmation.warnings and request.POST.get("warned") != confirmation.displayed_warnings
        ):
            pass  # They are on the page that follows.
        elif seen and (form is None or form.is_valid()):
            try:
                answer = act(**form.cleaned_data) if form is not None else act()
            except DomainError as error:
                if form is None:
                    messages.error(request, error.message)
                    return self.redirect_to_record(record.pk)
                add_form_error(form, error)
            else:
                messages.success(request, done if isinstance(done, str) else done(answer))
                return self.redirect_to_record(record.pk)
        fields = {} if form is None else {"form": form, "fieldsets": fieldsets_of(form)}
        return self.page(
            request,
            "admin/confirm.html",
            confirmation.title,
            record=record,
            confirmation=confirmation,
            seen=json.dumps(confirmation.displayed_facts()),
            back=self.address("change", record.pk),
            **fields,
        )


def _parse_facts(seen: str) -> dict[str, str]:
    try:
        found = json.loads(seen)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(name): str(value) for name, value in found.items()}
