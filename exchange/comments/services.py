"""Adding comments. Nothing changes or removes one."""

from __future__ import annotations

from django.db.models import Model
from django.utils import timezone

from exchange.comments.models import MAX_COMMENT_LENGTH, Comment
from exchange.core.errors import Forbidden
from exchange.core.text import clean_text
from exchange.staff.models import StaffUser

ADD, VIEW = "exchange.add_comment", "exchange.view_comment"


def add_comment(*, subject: Model, text: str, user: StaffUser) -> Comment:
    """Add a comment of `user` on a record that they may view.

    Raises `Forbidden`, and `InvalidRequest` for an empty or too long text.
    """
    meta = subject._meta
    if not (user.may(ADD) and user.may(f"{meta.app_label}.view_{meta.model_name}")):
        raise Forbidden("You may not comment on this record")
    return Comment.objects.create(
        subject_type=meta.label_lower,
        subject_id=subject.pk,
        text=clean_text(text, missing="Enter a comment", max_length=MAX_COMMENT_LENGTH),
        author=user,
        created_at=timezone.now(),
    )
