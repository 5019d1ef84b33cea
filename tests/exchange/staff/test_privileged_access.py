"""The cooling-off period, the tenure, and when an installation is new."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER, get_role
from config.checks import check_cooling_off
from exchange.core.errors import Forbidden, Rejected
from exchange.core.ids import uuid7
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import AccessProposal, AccessRecord, StaffUser
from exchange.staff.services.privileged_access import (
    _installed_after,
    access_notices,
    can_manage_staff,
    cooling_off_end,
    eligible_approvers,
    has_privileged_access,
    is_cooling_off,
    is_new_installation,
    is_privileged,
    is_privileged_role,
    require_cooled_off,
    require_tenured,
    restart_cooling_off,
)
from exchange.tokens.models import Quote
from exchange.tokens.services import quotes
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.owner import as_owner
from tests.factories.configuration import set_setting
from tests.factories.logins import sign_in
from tests.factories.staff import (
    backdate_access,
    backdate_installation,
    create_staff,
    create_superuser,
)
from tests.factories.tokens import make_token
from tests.factories.wallets import make_wallet, store_bank_list
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


def newcomer(role: str = FINANCE_APPROVER, name: str = "newcomer") -> StaffUser:
    return create_staff(name, PASSWORD, role, skip_cooling_off=False)


def test_new_users_cannot_approve_for_a_day():
    new = newcomer()
    proposer = create_staff("office", PASSWORD, BACK_OFFICE)
    prices = quotes.Prices(Decimal(101), Decimal(100))
    quote = quotes.propose(token_id=make_token().pk, prices=prices, user=proposer, note="Revalued")
    until = f"{cooling_off_end(new):%Y-%m-%d %H:%M} UTC"
    with pytest.raises(Forbidden, match=f"approve from {until}") as refused:
        quotes.approve(quote_id=quote.pk, user=new)
    assert refused.value.code == "cooling_off"
    assert Quote.objects.get().status == "Pending"
    backdate_access(new, hours=23, minutes=59)
    with pytest.raises(Forbidden):
        quotes.approve(quote_id=quote.pk, user=new)
    backdate_access(new, hours=24, minutes=1)
    assert quotes.approve(quote_id=quote.pk, user=new).status == "Approved"


def test_new_users_approve_no_withdrawal():
    store_bank_list()
    withdrawal = make_wallet(1000).request(500)
    new = newcomer()
    with assert_no_table_changes(), pytest.raises(Forbidden) as refused:
        approve(withdrawal, new)
    assert refused.value.code == "cooling_off"
    backdate_access(new, hours=25)
    assert approve(withdrawal, new).status == "Approved"


def test_two_new_approvers_cannot_approve_a_large_withdrawal():
    store_bank_list()
    set_setting("SECOND_APPROVAL_ABOVE_KES", "100")
    withdrawal = make_wallet(1000).request(500)
    people = [newcomer(name=name) for name in ("ada", "bo")]
    for person in people:
        backdate_access(person, days=2)
    backdate_installation(days=30)
    approve(withdrawal, people[0])
    withdrawal.refresh_from_db()
    with pytest.raises(Rejected, match="unchanged access for 7 days"):
        approve(withdrawal, people[1])
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Pending"
    tenured = create_staff("kwesi", PASSWORD, FINANCE_APPROVER)
    assert approve(withdrawal, tenured).status == "Approved"


def approve(withdrawal: Withdrawal, by: StaffUser) -> Withdrawal:
    return decisions.approve(withdrawal_id=withdrawal.pk, version=withdrawal.version, approver=by)


def test_the_service_cannot_backdate_access():
    new = newcomer()
    before = new.access_changed_at
    StaffUser.objects.filter(pk=new.pk).update(access_changed_at=before - timedelta(days=9))
    new.access_changed_at = before - timedelta(days=9)
    new.save()
    new.refresh_from_db()
    assert new.access_changed_at == before
    with connection.cursor() as cursor:
        cursor.execute("UPDATE exchange_staffuser SET is_active = false")
    old = create_staff("old", PASSWORD, FINANCE_APPROVER)
    StaffUser.objects.filter(pk=old.pk).update(is_active=False)
    StaffUser.objects.filter(pk=old.pk).update(is_active=True)
    assert is_cooling_off(StaffUser.objects.get(pk=old.pk))


def test_one_of_two_approvers_has_had_access_for_seven_days():
    first, second = (create_staff(name, PASSWORD, FINANCE_APPROVER) for name in ("ada", "bo"))
    for person in (first, second):
        backdate_access(person, days=6)
    require_tenured(first.pk, second.pk)  # the installation is younger than that
    backdate_installation(days=8)
    with pytest.raises(Rejected, match="unchanged access for 7 days") as refused:
        require_tenured(first.pk, f"staff:{second.pk}")
    assert refused.value.code == "approvers_too_new"
    backdate_access(second, days=7, minutes=1)
    require_tenured(first.pk, f"staff:{second.pk}")
    StaffUser.objects.filter(pk=second.pk).update(is_active=False)
    with pytest.raises(Rejected):
        require_tenured(first.pk, second.pk, None, "system:demo")


def test_an_installation_is_new_until_privileged_access_is_effective():
    assert is_new_installation()
    create_staff("reader", PASSWORD, AUDITOR)
    first = newcomer(ADMINISTRATOR, "first")
    assert is_new_installation()
    backdate_access(first, hours=25)
    assert not is_new_installation()
    StaffUser.objects.filter(pk=first.pk).update(is_active=False)
    assert not is_new_installation()
    # A reset makes the access young again, not the installation.
    joined = timezone.now() - timedelta(hours=25)
    StaffUser.objects.filter(pk=first.pk).update(
        date_joined=joined, access_changed_at=timezone.now()
    )
    assert not is_new_installation()


def test_view_and_unprivileged_permissions_are_not_privileged():
    for permission, decides in (
        ("exchange.decide_quote", True),
        ("exchange.change_staffuser", True),
        ("view_quotes.change_quote", True),
        ("exchange.view_quote", False),
        ("exchange.add_member", False),
        ("wallets.change_alert", False),
    ):
        assert is_privileged(permission) is decides


def test_roles_and_direct_permissions_count_alike():
    own = create_staff("own", PASSWORD, AUDITOR)
    manager = create_staff("manager", PASSWORD, AUDITOR)
    for user, name in ((own, "decide_quote"), (manager, "change_staffuser")):
        with as_owner():
            user.user_permissions.add(Permission.objects.get(codename=name))
    for role, decides, manages in (
        (AUDITOR, False, False),
        (BACK_OFFICE, True, False),
        (FINANCE_APPROVER, True, False),
        (ADMINISTRATOR, True, True),
    ):
        group, user = get_role(role), create_staff(f"one-{role[:3]}", PASSWORD, role)
        assert (is_privileged_role(group), can_manage_staff(group)) == (decides, manages)
        assert (has_privileged_access(user), can_manage_staff(user)) == (decides, manages)
    assert (is_privileged_role(None), can_manage_staff(None)) == (False, False)
    assert (has_privileged_access(own), can_manage_staff(own)) == (True, False)
    assert (has_privileged_access(manager), can_manage_staff(manager)) == (True, True)
    owner = create_superuser()
    assert (has_privileged_access(owner), can_manage_staff(owner)) == (True, False)


def test_eligible_approvers_are_cooled_off_and_not_excluded():
    zoe, ada, bob, eve = (
        create_staff(name, PASSWORD, FINANCE_APPROVER) for name in ("zoe", "ada", "bob", "eve")
    )
    newcomer()
    create_staff("reader", PASSWORD, AUDITOR)
    for user, gone in ((bob, "is_staff"), (eve, "is_active")):
        StaffUser.objects.filter(pk=user.pk).update(**{gone: False})
    permission = "exchange.decide_quote"
    for others, found in (
        ((), ["ada", "zoe"]),
        ((None, "system:demo"), ["ada", "zoe"]),
        ((ada.pk,), ["zoe"]),
        ((f"staff:{zoe.pk}", str(ada.pk)), []),
    ):
        assert [user.username for user in eligible_approvers(permission, *others)] == found


def test_cooling_off_is_checked_per_user_and_unknown_users_are_rejected():
    settled, new = create_staff("ada", PASSWORD, FINANCE_APPROVER), newcomer(name="aaron")
    require_cooled_off(settled.pk)
    looks = "Your access was granted or reset recently. You can view everything"
    until = f"{cooling_off_end(new):%Y-%m-%d %H:%M} UTC"
    for user_id, expected in ((new.pk, f"{looks}, and approve from {until}"), (uuid7(), looks)):
        with pytest.raises(Forbidden) as refused:
            require_cooled_off(user_id)
        assert (refused.value.message, refused.value.code) == (expected, "cooling_off")
    was = StaffUser.objects.get(pk=new.pk).access_changed_at
    before = timezone.now()
    restart_cooling_off(settled)
    changed = dict(StaffUser.objects.values_list("username", "access_changed_at"))
    assert before <= changed["ada"] == settled.access_changed_at <= timezone.now()
    assert changed["aaron"] == was


def test_an_installation_is_as_old_as_its_first_record():
    now = timezone.now()
    assert _installed_after(now - timedelta(days=99))
    create_staff("ada", PASSWORD, FINANCE_APPROVER)
    first = AccessRecord.objects.get().at
    create_staff("bo", PASSWORD, FINANCE_APPROVER)
    assert _installed_after(first - timedelta.resolution)
    assert not _installed_after(first)


def test_the_tenure_of_others_does_not_count():
    first, second = (create_staff(name, PASSWORD, FINANCE_APPROVER) for name in ("ada", "bo"))
    for person in (first, second):
        backdate_access(person, days=6)
    create_staff("kwesi", PASSWORD, FINANCE_APPROVER)
    backdate_installation(days=8)
    with pytest.raises(Rejected) as refused:
        require_tenured(first.pk, second.pk)
    assert refused.value.message == (
        "One of the two approvers must have had unchanged access for 7 days"
    )


def test_notices_omit_deactivated_users_and_confirmed_proposals():
    finance, ada, bo = (
        create_staff(name, PASSWORD, role)
        for name, role in (("finance", FINANCE_APPROVER), ("ada", AUDITOR), ("bo", AUDITOR))
    )
    AccessProposal.objects.create(kind="reset_password", person=ada, created_at=timezone.now())
    newcomer(AUDITOR, "reader")
    gone = [newcomer(name=name) for name in ("left", "outside")]
    for user, flag in zip(gone, ("is_active", "is_staff"), strict=True):
        StaffUser.objects.filter(pk=user.pk).update(**{flag: False})
    assert access_notices(finance) == access_notices(bo) == []


def test_privileged_users_are_notified_of_new_access():
    new = newcomer(name="ada")
    finance = create_staff("bo", PASSWORD, FINANCE_APPROVER)
    office = create_staff("office", PASSWORD, BACK_OFFICE)
    reader = newcomer(AUDITOR, "reader")
    (notice,) = access_notices(finance)
    assert notice.person == new
    assert notice.text.startswith("The access of ada was granted or reset at ")
    assert f"approve from {cooling_off_end(new):%Y-%m-%d %H:%M} UTC" in notice.text
    remedy = "call ada, and have an administrator deactivate the account at once."
    assert notice.text.endswith(remedy)
    client = Client()
    sign_in(client, finance)
    page = client.get("/admin/")
    link = f'<a href="/admin/exchange/staffuser/{new.pk}/change/">Open ada</a>'
    assert f"{remedy} {link}" in page.content.decode()
    assert access_notices(office) == []
    assert access_notices(reader) == []
    (own,) = access_notices(new)
    assert (own.person, own.organisation) == (None, None)
    assert own.text.startswith("Your access was granted or reset")
    backdate_access(new, hours=25)
    assert access_notices(finance) == access_notices(new) == []


def test_a_shortened_cooling_off_period_is_for_demo_data_only(settings):
    assert check_cooling_off(None)[0].id == "config.E002"  # tests are such a world
    settings.DEMO_DATA = False
    assert check_cooling_off(None) == []
    settings.COOLING_OFF_HOURS = 1
    assert check_cooling_off(None)[0].id == "config.E002"


def test_a_missing_permission_is_reported_first():
    with pytest.raises(Forbidden, match="No"):
        authorize_staff(newcomer(AUDITOR), "exchange.decide_quote", "No")
