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

from exchange.admin.base import SafeAdmin, Section, bind, fieldsets_of, mark_refusal, staff_of
from exchange.core.errors import DomainError


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be decided. `facts` are what the person relies on, so they hold no ages, which
    change by themselves; what is worth seeing and changes by itself stands in `passing`, and is no
    reason to refuse. `hindrance` says why it cannot be decided now, by this person. `warnings`
    stand in red above it all, and the button works only on a page that showed them.
    """

    title: str
    facts: Sequence[tuple[str, object]]
    words: str
    submit: str
    hindrance: str = ""
    passing: Sequence[tuple[str, object]] = ()
    sections: Sequence[Section] = ()
    final: bool = False
    warnings: Sequence[str] = ()

    def as_shown(self) -> dict[str, str]:
        """The facts as text."""
        return {name: unescape(strip_tags(str(value))) for name, value in self.facts}

    @property
    def warned(self) -> str:
        """The warnings as the page sends them along."""
        return json.dumps(list(self.warnings))

    def changes_since(self, seen: str) -> list[str]:
        """What is different from `seen`, which a page sent along, in words."""
        now, before = self.as_shown(), _read(seen)
        names = list(dict.fromkeys([*before, *now]))
        return [
            f"{name} was {before.get(name, 'not there')} and is {now.get(name, 'not there')}"
            for name in names
            if before.get(name) != now.get(name)
        ]


@dataclass(frozen=True, slots=True)
class Step:
    """One decision about a record: who may take it, what is asked, which service takes it.

    `decide` is given the record's id as the keyword `key`, the person as `user`, and what `form`
    asks for. What it answers may go into `done`.
    """

    name: str
    key: str
    permissions: Sequence[str]
    question: Callable[[Any, Any], Question]
    decide: Callable[..., Any]
    done: str | Callable[[Any], str]
    form: type[forms.Form] | None = None


class Confirming(SafeAdmin):
    """Pages of records that people decide about."""

    def step_urls(self, steps: Sequence[Step]) -> list[URLPattern]:
        """The address of each of `steps`."""
        return [
            self.action_url(
                f"<uuid:object_id>/{step.name.replace('_', '-')}/",
                step.name,
                partial(self.take_step, step=step),
                only_post=False,
            )
            for step in steps
        ]

    def take_step(self, request: HttpRequest, object_id: UUID, *, step: Step) -> HttpResponse:
        """Asks the step's question, and on its answer takes it."""
        record, user = self.record(request, object_id, *step.permissions), staff_of(request)
        return self.confirm_page(
            request,
            record,
            step.question(record, user),
            partial(step.decide, **{step.key: record.pk}, user=user),
            step.done,
            form=bind(request, step.form) if step.form else None,
        )

    def confirm_page(
        self,
        request: HttpRequest,
        record: Model,
        question: Question,
        act: Callable[..., Any],
        done: str | Callable[[Any], str],
        *,
        form: forms.Form | None = None,
    ) -> HttpResponse:
        """Asks `question`; on its answer calls `act`, a service, and says `done`, which may be made
        of what `act` answers. `form` asks for what the person has to add: `act` is given what was
        typed, and what was typed is kept while something is still to be put right.
        """
        if question.hindrance:
            messages.error(request, f"{question.hindrance.rstrip('.')}. Nothing was done.")
            return self.back_to(record.pk)
        seen = request.POST.get("seen", "")
        changes = question.changes_since(seen) if seen else []
        if changes:
            told = "; ".join(changes)
            messages.error(
                request, f"Nothing was done. Since you opened the page: {told}. Look again."
            )
        elif question.warnings and request.POST.get("warned") != question.warned:
            pass  # They are on the page that follows.
        elif seen and (form is None or form.is_valid()):
            try:
                answer = act(**form.cleaned_data) if form is not None else act()
            except DomainError as error:
                if form is None:
                    messages.error(request, error.message)
                    return self.back_to(record.pk)
                mark_refusal(form, error)
            else:
                messages.success(request, done if isinstance(done, str) else done(answer))
                return self.back_to(record.pk)
        fields = {} if form is None else {"form": form, "fieldsets": fieldsets_of(form)}
        return self.page(
            request,
            "admin/confirm.html",
            question.title,
            record=record,
            question=question,
            seen=json.dumps(question.as_shown()),
            back=self.address("change", record.pk),
            **fields,
        )


def _read(seen: str) -> dict[str, str]:
    try:
        found = json.loads(seen)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(name): str(value) for name, value in found.items()}
