"""Errors of tokens."""

from exchange.core.errors import Conflict, NotFound


class TokenNotFound(NotFound):
    """No such token, or one the organisation cannot see."""

    code = "token_not_found"
    message = "Token not found"


class RecordPending(Conflict):
    """The record of a distribution is due: until it is made, no unit changes hands."""

    code = "record_pending"
    message = "The holders of this token are being recorded for a distribution. Try again shortly"
    retry_after = 1


# For the API schema.
RECORD_FAILURES = {RecordPending.code: RecordPending.message}
