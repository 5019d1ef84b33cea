"""The permission for all that is done with bank statements."""

from exchange.staff.approvals import authorize_staff
from exchange.staff.models import StaffUser

MATCH = "wallets.match_statement"


def authorize(user: StaffUser) -> None:
    """Raise `Forbidden` unless `user` may import statements and match lines."""
    authorize_staff(user, MATCH, "You may not import or match bank statements")
