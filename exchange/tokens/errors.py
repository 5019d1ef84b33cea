"""Errors of tokens."""

from exchange.core.errors import Conflict, NotFound


class TokenNotFound(NotFound):
    """No such token, or one the organisation cannot see."""

    code = "token_not_found"
    message = "Token not found"


class RecordPending(Conflict):
    """No unit changes hands: the record of a distribution is due, or the units are taken back."""

    code = "record_pending"
    message = "The holders of this token are recorded, or paid for its units. Try again shortly"
    retry_after = 1


# For the API schema.
RECORD_FAILURES = {RecordPending.code: RecordPending.message}
