"""Accounts: invitation, details, role and access; each change affects one user and is recorded."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.utils import timezone
from django.utils.http import urlsafe_base64_decode

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    FINANCE_APPROVER,
    get_role,
)
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from exchange.core.ids import uuid7
from exchange.staff.models import AccessRecord, StaffUser
from exchange.staff.services import accounts, lockout
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.logins import PASSWORD, create_login_user
from tests.factories.staff import create_staff, create_superuser

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def admin() -> StaffUser:
    return create_login_user(ADMINISTRATOR, "admin")


@pytest.fixture
def second() -> StaffUser:
    return create_login_user(FINANCE_APPROVER, "second")


def last_record(user: StaffUser) -> tuple[str, StaffUser | None, str]:
    record = AccessRecord.objects.filter(user=user).latest("id")
    return record.event, record.by, record.details


def epochs() -> dict[str, int]:
    return dict(StaffUser.objects.values_list("username", "session_epoch"))


def lock_out(user: StaffUser) -> None:
    """Fail sign-in attempts until the account is locked out."""
    while lockout.locked_until(user) is None:
        with suppress(lockout.LockedOut):
            lockout.begin_attempt(
                lockout.PASSWORD, account=user.username, address="here"
            ).mark_failed()


# --- a new person ---


def test_a_new_person_has_one_role_and_no_password_until_they_choose_one(admin):
    details = {"first_name": "Ada", "email": "ada@house.example"}
    user = accounts.add_person(username="ada", role=get_role(AUDITOR), by=admin, details=details)
    user.refresh_from_db()
    assert (user.is_staff, user.is_active, user.is_superuser) == (True, True, False)
    assert not user.has_usable_password()
    assert (user.first_name, user.last_name, user.email) == ("Ada", "", "ada@house.example")
    assert accounts.role_name(user) == AUDITOR
    assert last_record(user) == ("invited", admin, f"Role: {AUDITOR}")
    assert timezone.now() - user.access_changed_at < MINUTE
    assert create_staff("bob", PASSWORD, AUDITOR, skip_cooling_off=False).check_password(PASSWORD)


def test_a_new_person_of_a_shell_and_one_who_was_confirmed(admin, second):
    finance = get_role(FINANCE_APPROVER)
    of_a_shell = accounts.add_person(username="ada", role=finance, by=None)
    assert last_record(of_a_shell) == ("invited", None, f"Role: {FINANCE_APPROVER}")
    confirmed = accounts.add_person(username="bob", role=finance, by=admin, confirmed_by=second)
    expected = f"Role: {FINANCE_APPROVER}. Confirmed by second"
    assert last_record(confirmed) == ("invited", admin, expected)


def test_a_new_person_is_refused_with_a_reason(admin):
    reader = create_login_user(AUDITOR, "reader")
    auditor = get_role(AUDITOR)
    with assert_no_table_changes():
        for by, username, details, error, message in (
            (reader, "ada", None, Forbidden, "You are not allowed to add users"),
            (admin, "READER", None, Conflict, "The username READER is taken"),
            (admin, "a b", None, InvalidRequest, "Enter a valid username"),
            (admin, "ada", {"email": "nowhere"}, InvalidRequest, "Enter a valid email address"),
        ):
            with pytest.raises(error, match=message):
                accounts.add_person(username=username, role=auditor, by=by, details=details)


def test_a_name_that_was_free_a_moment_ago_is_taken(admin):
    found: list[StaffUser] = []

    def look(execute: Any, sql: str, *rest: Any) -> Any:
        response = execute(sql, *rest)
        if 'UPPER("exchange_staffuser"."username"' in sql and not found:
            found.append(admin)
            found[0] = create_login_user(AUDITOR)
        return response

    expected = r"^The username ada is taken$"
    with connection.execute_wrapper(look), pytest.raises(Conflict, match=expected):
        accounts.add_person(username="ada", role=get_role(AUDITOR), by=admin)


# --- details ---


def test_only_the_given_details_change_and_each_is_recorded(admin):
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    details = {"first_name": "Ada", "email": "ada@house.example"}
    accounts.change_details(user_id=ada.pk, details=details, by=admin)
    ada.refresh_from_db()
    assert (ada.first_name, ada.last_name, ada.email) == ("Ada", "", "ada@house.example")
    expected = "first name: none → Ada; email: none → ada@house.example"
    assert last_record(ada) == ("details_changed", admin, expected)
    accounts.change_details(user_id=ada.pk, details={"last_name": "L", "first_name": ""}, by=admin)
    ada.refresh_from_db()
    assert (ada.first_name, ada.last_name, ada.email) == ("", "L", "ada@house.example")
    expected = "first name: Ada → none; last name: none → L"
    assert last_record(ada) == ("details_changed", admin, expected)
    bob.refresh_from_db()
    assert (bob.first_name, bob.last_name, bob.email) == ("", "", "")


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("Amina", "Finance"),
        ("AMINA", "finance"),
        ("Ámina ", "Finance"),
        ("\uff21mina", "Finance"),
        ("amina.finance", ""),
    ],
)
def test_no_one_is_shown_under_the_name_of_a_colleague(admin, first, last):
    colleague = create_login_user(FINANCE_APPROVER, "amina.finance")
    mine = {"first_name": "Amina", "last_name": "Finance"}
    accounts.change_details(user_id=colleague.pk, details=mine, by=admin)
    lindiwe = create_login_user(AUDITOR, "lindiwe")
    details = {"first_name": first, "last_name": last}
    with assert_no_table_changes():
        with pytest.raises(Conflict, match=r"amina\.finance is shown under this name"):
            accounts.change_details(user_id=lindiwe.pk, details=details, by=admin)
        with pytest.raises(Conflict, match=r"amina\.finance is shown under this name"):
            accounts.add_person(username="new", role=get_role(AUDITOR), by=admin, details=details)
    accounts.change_details(user_id=lindiwe.pk, details={"first_name": "Amina"}, by=admin)
    accounts.change_details(user_id=colleague.pk, details={"email": "a@b.example"}, by=admin)


def test_recorded_details_are_cut_to_300_characters(admin):
    ada = create_login_user(AUDITOR)
    details = {"first_name": "x" * 150, "last_name": "y" * 150}
    accounts.change_details(user_id=ada.pk, details=details, by=admin)
    expected = f"first name: none → {'x' * 150}; last name: none → {'y' * 150}"
    assert last_record(ada) == ("details_changed", admin, expected[:300])


def test_unchanged_details_are_not_recorded_and_invalid_ones_are_rejected(admin):
    ada = create_login_user(AUDITOR)
    with assert_no_table_changes():
        accounts.change_details(user_id=ada.pk, details={"first_name": ""}, by=admin)
    with assert_no_table_changes():
        for details in ({"email": "nowhere"}, {"first_name": "x" * 151}):
            with pytest.raises(InvalidRequest):
                accounts.change_details(user_id=ada.pk, details=details, by=admin)
        with pytest.raises(Forbidden):
            accounts.change_details(user_id=ada.pk, details={"first_name": "A"}, by=ada)
        with pytest.raises(NotFound, match="User not found"):
            accounts.change_details(user_id=uuid7(), details={}, by=admin)


# --- role ---


def test_a_role_is_replaced_only_if_it_is_the_expected_one(admin):
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    long_ago = ada.access_changed_at
    with assert_no_table_changes(), pytest.raises(Conflict) as refused:
        accounts.change_role(user_id=ada.pk, role=None, expected_role=BACK_OFFICE, by=admin)
    assert refused.value.message == f"ada is {AUDITOR} now. Reload the page and try again"
    accounts.change_role(user_id=ada.pk, role=None, expected_role=AUDITOR, by=admin)
    ada.refresh_from_db()
    assert (accounts.role_name(ada), accounts.role_name(bob)) == ("", AUDITOR)
    assert ada.access_changed_at > long_ago
    assert epochs() == {"ada": 1, "admin": 0, "bob": 0}
    assert last_record(ada) == ("role_changed", admin, f"{AUDITOR} → None")
    with pytest.raises(Conflict, match="ada is without a role now"):
        accounts.change_role(user_id=ada.pk, role=None, expected_role=AUDITOR, by=admin)
    accounts.change_role(user_id=ada.pk, role=get_role(AUDITOR), expected_role="", by=admin)
    assert last_record(ada) == ("role_changed", admin, f"None → {AUDITOR}")
    assert epochs()["ada"] == 2


def test_privileged_roles_are_changed_only_with_a_second_person(admin, second):
    ada = create_login_user(AUDITOR)
    finance = get_role(FINANCE_APPROVER)
    accounts.change_role(
        user_id=ada.pk, role=finance, expected_role=AUDITOR, by=admin, confirmed_by=second
    )
    expected = f"{AUDITOR} → {FINANCE_APPROVER}. Confirmed by second"
    assert last_record(ada) == ("role_changed", admin, expected)
    assert accounts.role_name(ada) == FINANCE_APPROVER


# --- being active ---


def test_a_user_is_deactivated_and_activated(admin):
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    long_ago = ada.access_changed_at
    with pytest.raises(Conflict, match="ada is already active"):
        accounts.activate(user_id=ada.pk, by=admin)
    changed = accounts.deactivate(user_id=ada.pk, by=admin)
    assert not changed.is_active
    ada.refresh_from_db()
    assert (ada.is_active, ada.access_changed_at) == (False, long_ago)
    assert last_record(ada) == ("deactivated", admin, "")
    with pytest.raises(Conflict, match="ada is already deactivated"):
        accounts.deactivate(user_id=ada.pk, by=admin)
    accounts.activate(user_id=ada.pk, by=admin)
    ada.refresh_from_db()
    assert ada.is_active
    assert ada.access_changed_at > long_ago
    assert last_record(ada) == ("activated", admin, "")
    assert epochs() == {"ada": 2, "admin": 0, "bob": 0}
    bob.refresh_from_db()
    assert bob.access_changed_at < ada.access_changed_at - timedelta(days=29)


def test_privileged_users_are_activated_only_with_a_second_person(admin, second):
    ada = create_login_user(FINANCE_APPROVER)
    accounts.deactivate(user_id=ada.pk, by=admin)
    accounts.activate(user_id=ada.pk, by=admin, confirmed_by=second)
    assert last_record(ada) == ("activated", admin, "Confirmed by second")


# --- one-time addresses ---


def test_an_invitation_link_is_valid_for_one_user_until_their_access_changes(admin):
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    long_ago = ada.access_changed_at
    name, token = accounts.create_invitation(user_id=ada.pk, by=admin)
    assert urlsafe_base64_decode(name).decode() == str(ada.pk)
    ada.refresh_from_db()
    assert ada.access_changed_at > long_ago
    assert last_record(ada) == ("invited", admin, "Invitation link created")
    assert accounts.invitation_tokens.check_token(ada, token)
    assert not accounts.invitation_tokens.check_token(bob, token)
    accounts.deactivate(user_id=ada.pk, by=admin)
    with pytest.raises(Conflict, match="ada is deactivated"):
        accounts.create_invitation(user_id=ada.pk, by=admin)
    ada.refresh_from_db()
    assert not accounts.invitation_tokens.check_token(ada, token)


# --- lock-outs ---


def test_a_lock_out_is_ended_for_one_person(admin):
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    with pytest.raises(Conflict, match="ada is not locked out"):
        accounts.unlock(user_id=ada.pk, by=admin)
    lock_out(ada)
    lock_out(bob)
    accounts.unlock(user_id=ada.pk, by=admin)
    assert lockout.locked_until(ada) is None
    assert lockout.locked_until(bob) is not None
    assert last_record(ada) == ("unlocked", admin, "")
    accounts.unlock(user_id=bob.pk, by=None)
    assert last_record(bob) == ("unlocked", None, "")
    lock_out(admin)
    with pytest.raises(Forbidden, match="You cannot change your own access"):
        accounts.unlock(user_id=admin.pk, by=admin)


# --- who may ---


def test_users_cannot_change_their_own_access_nor_others_without_permission(admin, second):
    ada, reader = create_login_user(AUDITOR), create_login_user(AUDITOR, "reader")
    auditor = get_role(AUDITOR)
    own, other = (
        "You cannot change your own access",
        "You are not allowed to change this person's access",
    )
    with assert_no_table_changes():
        for user, expected_role, by, message in (
            (admin, ADMINISTRATOR, admin, own),
            (ada, AUDITOR, reader, other),
            (ada, AUDITOR, second, other),
        ):
            one = {"user_id": user.pk, "by": by}
            for act in (
                lambda one=one, expected_role=expected_role: accounts.change_role(
                    role=auditor, expected_role=expected_role, **one
                ),
                lambda one=one: accounts.deactivate(**one),
                lambda one=one: accounts.activate(**one),
                lambda one=one: accounts.create_invitation(**one),
                lambda one=one: accounts.unlock(**one),
            ):
                with pytest.raises(Forbidden, match=message):
                    act()


def test_only_a_superuser_touches_a_superuser(admin, second):
    owner, other = create_superuser(), create_superuser("other")
    with assert_no_table_changes():
        for act in (
            lambda: accounts.change_details(
                user_id=owner.pk, details={"first_name": "O"}, by=admin
            ),
            lambda: accounts.deactivate(user_id=owner.pk, by=admin),
            lambda: accounts.create_invitation(user_id=owner.pk, by=admin, confirmed_by=second),
            lambda: accounts.require_may_change_access(owner, admin),
            lambda: accounts.unlock(user_id=owner.pk, by=admin),
        ):
            with pytest.raises(
                Forbidden, match="You are not allowed to change this person's access"
            ):
                act()
        with pytest.raises(Forbidden, match="You cannot change your own access"):
            accounts.require_may_change_access(owner, owner)
    accounts.require_may_change_access(owner, other)
    accounts.require_may_change_access(admin, other)
    accounts.require_may_change_access(second, admin)
    accounts.change_details(user_id=owner.pk, details={"first_name": "O"}, by=other)
    assert last_record(owner) == ("details_changed", other, "first name: none → O")


# --- in a transaction of their own ---


@pytest.mark.django_db(transaction=True)
def test_no_user_is_created_if_the_role_cannot_be_assigned():
    with pytest.raises(ValueError, match="Cannot add"):
        accounts.add_person(username="ada", role=Group(name="Never saved"), by=None)
    assert not StaffUser.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_each_change_of_access_begins_a_transaction_where_there_is_none(admin, second):
    reader = create_login_user(AUDITOR)
    one = {"user_id": reader.pk, "by": admin}
    accounts.change_details(details={"first_name": "Ada"}, **one)
    accounts.change_role(role=None, expected_role=AUDITOR, **one)
    accounts.create_invitation(**one)
    accounts.deactivate(**one)
    accounts.activate(**one)
    lock_out(reader)
    accounts.unlock(**one)
    recorded = list(AccessRecord.objects.filter(user=reader).order_by("id").values_list("event"))
    assert [event for (event,) in recorded] == [
        "invited", "details_changed", "role_changed", "invited", "deactivated", "activated",
        "unlocked",
    ]  # fmt: skip
