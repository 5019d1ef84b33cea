"""Staff whose login, address and names occur nowhere else."""

from itertools import count

from config.back_office.roles import FINANCE_APPROVER
from exchange.staff.models import StaffUser
from tests.factories.staff import create_staff

_numbers = count(1)


def insider(role: str = FINANCE_APPROVER, *, named: bool = True) -> StaffUser:
    """Create a person; without `named` with a login and an address only."""
    number = next(_numbers)
    user = create_staff(f"zq-{number}", "correct horse battery", role)
    user.email = f"zq-{number}@house.example"
    if named:
        user.first_name, user.last_name = "Zebulon", "Quartermaine"
    user.save()
    return user
