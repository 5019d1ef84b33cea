"""Questions of staff to an organisation about a record of any subject."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from exchange.core.fields import UNCHECKED
from exchange.core.models import Record
from exchange.participants.models import Member, Organisation

MAX_QUESTION_LENGTH = 500
_PERSON: Any = {"on_delete": models.PROTECT, "related_name": "+", "db_index": False}


class Question(Record):
    """A question about a record, and the answer, which staff note once; a record has one open.

    The subject may belong to an upper app, so it is named by type and id. `sql/questions.sql`
    takes its owner from it.
    """

    subject_type = models.CharField(max_length=60, help_text="`app.model` of the subject")
    subject_id = models.UUIDField()
    organisation = models.ForeignKey(Organisation, related_name="+", **UNCHECKED)
    member = models.ForeignKey(Member, null=True, related_name="+", **UNCHECKED)
    text = models.CharField(max_length=MAX_QUESTION_LENGTH)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, **_PERSON)
    created_at = models.DateTimeField()
    answer = models.CharField(max_length=MAX_QUESTION_LENGTH, blank=True, default="")
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, **_PERSON)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ("add", "view")
        ordering = ["-id"]
        indexes = [models.Index(fields=["subject_id", "-id"], name="question_of_subject")]
        constraints = [
            models.UniqueConstraint(
                fields=["subject_id"], condition=Q(closed_at=None), name="question_open_once"
            ),
            models.CheckConstraint(condition=Q(text__regex=r"\S"), name="question_not_empty"),
            models.CheckConstraint(
                condition=Q(answer="", closed_by=None, closed_at=None)
                | Q(answer__regex=r"\S", closed_by__isnull=False, closed_at__isnull=False),
                name="question_closed_with_answer",
            ),
        ]

    def __str__(self) -> str:
        return self.text
