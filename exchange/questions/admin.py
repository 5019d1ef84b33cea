"""Questions to the customer on the pages of records that are to be decided.

`config.back_office.panels` lists the records; `admin/questions.html` shows the variable
`questions`.
"""

from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import SafeAdmin, staff_of
from exchange.admin.fields import INTERNAL, VISIBLE, MultilineField, audience_help
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import FilteredList
from exchange.admin.panels import Panel
from exchange.questions.models import MAX_QUESTION_LENGTH
from exchange.questions.selectors import questions_about, waiting_since
from exchange.questions.services import ASK, VIEW, ask_customer, close_question

_SHOWN = 20


class QuestionForm(forms.Form):
    """A question."""

    question = MultilineField(
        max_length=MAX_QUESTION_LENGTH,
        help_text=audience_help(VISIBLE, "It is sent at once, by webhook"),
    )


class AnswerForm(forms.Form):
    """The answer, which came by telephone or e-mail."""

    answer = MultilineField(
        max_length=MAX_QUESTION_LENGTH,
        help_text=audience_help(INTERNAL, "What the customer said, and where"),
    )


class WaitingList(FilteredList):
    """List whose rows have the time from which each waits for staff as `waiting_since`."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: Any = self.result_list.annotate(waiting_since=waiting_since("created_at"))


class QuestionsPanel(Panel):
    """The questions about a record, and pages to ask one and to note its answer."""

    def context(self, page: SafeAdmin, request: HttpRequest, record: Any) -> dict[str, Any]:
        """Return the questions and the address of the next step; read only where shown."""
        if not page.may(request, VIEW):
            return {}
        return {"questions": partial(self._block, page, request, record)}

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the URLs of the pages."""
        return [
            page.action_url(f"<uuid:object_id>/{name}/", name, partial(view, page), only_post=False)
            for name, view in (("ask", self._ask), ("answer", self._answer))
        ]

    def _block(self, page: SafeAdmin, request: HttpRequest, record: Any) -> dict[str, Any]:
        found = list(questions_about(record)[:_SHOWN])
        is_open = bool(found) and found[0].closed_at is None
        name = "answer" if is_open else "ask" if record.status == "Pending" else ""
        may = bool(name) and page.may(request, ASK)
        return {
            "found": found,
            "address": page.preserve_in_url(request, page.address(name, record.pk)) if may else "",
            "label": "Note the answer" if is_open else "Ask the customer",
        }

    def _ask(self, page: SafeAdmin, request: HttpRequest, object_id: object) -> HttpResponse:
        """Ask the customer; an invalid question is shown again."""
        record: Any = page.record(request, str(object_id), ASK)
        return page.form_page(
            request,
            bind_form(request, QuestionForm),
            lambda data: ask_customer(
                subject=record, text=data["question"], user=staff_of(request)
            ),
            done="Asked. The age stands still until the answer is noted.",
            title=f"Ask {record.organisation}",
            submit="Send question",
            record=record,
        )

    def _answer(self, page: SafeAdmin, request: HttpRequest, object_id: object) -> HttpResponse:
        """Note the answer to the open question."""
        record = page.record(request, str(object_id), ASK)
        question = questions_about(record).filter(closed_at=None).first()
        if question is None:
            messages.error(request, "No question is open.")
            return page.redirect_to_record(record.pk)
        return page.form_page(
            request,
            bind_form(request, AnswerForm),
            lambda data: close_question(
                question_id=question.pk, answer=data["answer"], user=staff_of(request)
            ),
            done="Answer noted.",
            title="Note the answer",
            submit="Note answer",
            record=record,
            note=question.text,
        )
