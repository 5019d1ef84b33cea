"""Adding comments. Nothing changes or removes one."""

from datetime import timedelta

from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from exchange.comments.models import MAX_COMMENT_LENGTH, Comment
from exchange.core.errors import Forbidden
from exchange.core.text import clean_text
from exchange.staff.models import StaffUser

_REPEAT_PERIOD = timedelta(minutes=1)
ADD, VIEW = "exchange.add_comment", "exchange.view_comment"


def add_comment(*, subject: Model, text: str, user: StaffUser) -> Comment:
    """Add a comment of `user` on a record that they may view.

    The same text again within `_REPEAT_PERIOD` is the same comment: a form was sent twice. Raises
    `Forbidden`, and `InvalidRequest` for an empty or too long text.
    """
    meta = subject._meta
    if not (user.may(ADD) and user.may(f"{meta.app_label}.view_{meta.model_name}")):
        raise Forbidden("You may not comment on this record")
    cleaned = clean_text(text, missing="Enter a comment", max_length=MAX_COMMENT_LENGTH)
    facts = {"subject_type": meta.label_lower, "subject_id": subject.pk, "author": user}
    with transaction.atomic():
        with connection.cursor() as cursor:
            # Of two requests at the same time, the second sees the first one's comment.
            cursor.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"comment:{user.pk}"]
            )
        recent = Comment.objects.filter(
            **facts, text=cleaned, created_at__gte=timezone.now() - _REPEAT_PERIOD
        )
        return recent.first() or Comment.objects.create(
            **facts, text=cleaned, created_at=timezone.now()
        )
