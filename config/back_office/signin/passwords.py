"""The longest password; Django has a validator for the shortest only."""

from django.core.exceptions import ValidationError


class MaximumLengthValidator:
    """Refuses a new password above `max_length` characters."""

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length

    def validate(self, password: str, user: object = None) -> None:
        """Raise `ValidationError` for a longer password."""
        del user
        if len(password) > self._max_length:
            raise ValidationError(
                f"This password is too long. It must contain at most {self._max_length} characters."
            )

    def get_help_text(self) -> str:
        """Return the rule for people."""
        return f"Your password may contain up to {self._max_length} characters."
