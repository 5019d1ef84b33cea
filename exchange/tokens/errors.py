"""Errors of tokens."""

from exchange.core.errors import Conflict, NotFound


class TokenNotFound(NotFound):
    """No such token, or one the organisation cannot see."""

    code = "token_not_found"
    message = "Token not found"


class RecordPending(Conflict):
    """No unit changes hands: the record of a distribution is due, which takes a moment."""

    code = "record_pending"
    message = "The holders of this token are recorded. Try again shortly"
    retry_after = 1


class UnitsHeld(Conflict):
    """No unit changes hands until the distribution that takes them back is paid or cancelled."""

    code = "units_held"
    message = "The units of this token are held until they are paid for, which can take days"


_ERRORS: dict[str, type[Conflict]] = {each.code: each for each in (RecordPending, UnitsHeld)}

# For the API schema.
RECORD_FAILURES = {code: each.message for code, each in _ERRORS.items()}


def record_error(code: str | None) -> Conflict | None:
    """Return the error for a code of `record_wait` (sql/record_guard.sql); None for another."""
    return _ERRORS[code]() if code in _ERRORS else None
