"""Internal comments of staff on a record of any subject."""

from django.conf import settings
from django.db import models

from exchange.core.models import Record

MAX_COMMENT_LENGTH = 2000


class Comment(Record):
    """A comment of a staff user on a record; written once, never sent to organisations.

    The subject may belong to an upper app, so it is named by type and id. `sql/comments.sql`
    rejects a subject that does not exist.
    """

    subject_type = models.CharField(max_length=60, help_text="`app.model` of the subject")
    subject_id = models.UUIDField()
    text = models.CharField(max_length=MAX_COMMENT_LENGTH)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ("add", "view")
        ordering = ["-id"]
        indexes = [models.Index(fields=["subject_id", "-id"], name="comment_of_subject")]
        constraints = [
            models.CheckConstraint(condition=models.Q(text__regex=r"\S"), name="comment_not_empty")
        ]

    def __str__(self) -> str:
        return self.text
