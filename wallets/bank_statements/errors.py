"""Errors of bank statements."""

from exchange.core.errors import Conflict, InvalidRequest, NotFound


class UnreadableStatement(InvalidRequest):
    """The file is no statement that can be read whole; the message names the place."""

    code = "unreadable_statement"

    def __init__(self, message: str) -> None:
        super().__init__(message, fields={"file": message})


class LineNotFound(NotFound):
    """There is no such line."""

    code = "statement_line_not_found"
    message = "Statement line not found"


class MatchDiffers(Conflict):
    """The record is not what the line says."""

    code = "match_differs"
