"""The panel of comments on the pages of a record.

`config.back_office.panels` lists the records that have it. Pages with a template of their own
include `admin/comments.html`, which reads the variable `comments`.
"""

from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import SafeAdmin, staff_of
from exchange.admin.fields import INTERNAL, MultilineField, audience_help
from exchange.admin.forms import bind_form
from exchange.admin.panels import Panel
from exchange.comments.models import MAX_COMMENT_LENGTH
from exchange.comments.selectors import comments_on
from exchange.comments.services import ADD, VIEW, add_comment

_SHOWN = 50


class CommentForm(forms.Form):
    """A comment."""

    comment = MultilineField(
        max_length=MAX_COMMENT_LENGTH,
        help_text=audience_help(INTERNAL, "It cannot be changed or removed"),
    )


class CommentsPanel(Panel):
    """Comments on a record, and a form to add one, for users with the permissions."""

    def context(self, page: SafeAdmin, request: HttpRequest, record: Any) -> dict[str, Any]:
        """Return the comments; they are read only by templates that show them."""
        if not page.may(request, VIEW):
            return {}
        return {"comments": partial(self._block, page, request, record)}

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the URL that adds a comment."""
        view = partial(self._add, page)
        return [page.action_url("<uuid:object_id>/comment/", "comment", view, only_post=False)]

    def _block(self, page: SafeAdmin, request: HttpRequest, record: Any) -> dict[str, Any]:
        found = list(comments_on(record)[: _SHOWN + 1])
        return {
            "comments": found[:_SHOWN],
            "truncated": len(found) > _SHOWN,
            "form": CommentForm(auto_id="add-%s") if page.may(request, ADD) else None,
            "address": page.preserve_in_url(request, page.address("comment", record.pk)),
        }

    def _add(self, page: SafeAdmin, request: HttpRequest, object_id: object) -> HttpResponse:
        """Add a comment; an invalid one is shown again on a page of its own."""
        record = page.record(request, str(object_id), ADD)
        return page.form_page(
            request,
            bind_form(request, CommentForm),
            lambda data: add_comment(subject=record, text=data["comment"], user=staff_of(request)),
            done="Comment added.",
            title="Add a comment",
            submit="Add comment",
            record=record,
        )
