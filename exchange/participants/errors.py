"""Errors of participants."""

from exchange.core.errors import Conflict, DomainError, NotFound


class UserNotFound(NotFound):
    """The calling organisation has no such member."""

    code = "user_not_found"
    message = "User not found"


class MemberClosed(Conflict):
    """The member is closed: nothing moves to it, from it or in its name."""

    code = "member_closed"
    message = "This member is closed"


class VerificationRequired(Conflict):
    """The organisation requires that its members are verified before this."""

    code = "verification_required"
    message = "This member must be verified first"


def member_error(code: str) -> DomainError | None:
    """Return the error of a code that SQL functions raise about a member; None for another code."""
    for error in (UserNotFound, MemberClosed, VerificationRequired):
        if error.code == code:
            return error()
    return None
