"""Errors of closing and reopening a member."""

from collections.abc import Sequence

from exchange.core.errors import Conflict

_MOST_NAMED = 10


class MemberNotEmpty(Conflict):
    """The member has something left; `left` says what, one text each."""

    code = "member_not_empty"

    def __init__(self, left: Sequence[str]) -> None:
        named = list(left[:_MOST_NAMED])
        if more := len(left) - len(named):
            named.append(f"{more} more")
        super().__init__(f"This member still has {', '.join(named)}")


class MemberNotClosed(Conflict):
    """The member to reopen is open."""

    code = "state_conflict"
    message = "Only a closed member can be reopened: it is active"


class MoneyMoving(Conflict):
    """Money or units of the member are being moved."""

    code = "state_conflict"
    message = "The balances of this member are changing. Try again"
