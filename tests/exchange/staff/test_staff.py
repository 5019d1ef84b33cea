"""Permissions of staff, independent of page or command."""

from decimal import Decimal
from typing import Any

import pytest

from exchange.core.errors import Forbidden, InvalidRequest, NotFound
from exchange.core.ids import uuid7
from exchange.staff.models import StaffUser
from exchange.staff.services import accounts, second_factor
from tests.factories.api_clients import make_organisation
from tests.factories.wallets import make_staff
from wallets.deposits.services.manual import IncomingPayment, enter
from wallets.reconciliation.models import Reconciliation
from wallets.reconciliation.services import reports

pytestmark = pytest.mark.django_db

PERMISSIONS = ("run_reconciliation", "add_deposit")


@pytest.mark.parametrize("gone", ["is_active", "is_staff"])
def test_permissions_of_deactivated_users_are_void(gone):
    user = make_staff(*PERMISSIONS)
    assert user.may("wallets.run_reconciliation")
    StaffUser.objects.filter(pk=user.pk).update(**{gone: False})
    user = StaffUser.objects.get(pk=user.pk)
    assert not user.may("wallets.run_reconciliation")
    day = user.date_joined.date()
    payment = IncomingPayment(make_organisation().id, None, "KES", Decimal(5), "in-1")
    with pytest.raises(Forbidden):
        reports.request_report_as_staff(day=day, user=user)
    with pytest.raises(Forbidden):
        enter(payment=payment, user=user)
    assert not Reconciliation.objects.exists()


def test_the_second_factor_of_an_unknown_user_is_not_found():
    with pytest.raises(NotFound):
        second_factor.reset(user_id=uuid7(), by=make_staff("change_staffuser"))


@pytest.mark.parametrize("field", ["username", "first_name", "last_name"])
def test_a_persons_names_are_visible_lines(field):
    given = {"username": "ada", "first_name": "Ada", "last_name": "Obi"}
    assert accounts.build_person(**_split(given)).first_name == "Ada"
    with pytest.raises(InvalidRequest, match=f"{field} must not contain invisible"):
        accounts.build_person(**_split({**given, field: "A\u200bda"}))


def _split(given: dict[str, str]) -> dict[str, Any]:
    return {"username": given["username"], "details": {k: given[k] for k in list(given)[1:]}}
