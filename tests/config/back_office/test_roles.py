"""Roles: made by `migrate`, apart from each other, and every permission classified."""

import pytest
from django.contrib.auth.models import Group, Permission

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    ROLES,
    SUPPORT,
    UNPRIVILEGED_PERMISSIONS,
    is_privileged_user,
)
from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import is_privileged
from tests.factories.staff import create_staff, create_superuser

# Permissions to move money or grant access.
PRIVILEGED_PERMISSIONS = frozenset(
    {
        "credit.decide_configuration",
        "credit.close_loan",
        "credit.decide_distribution",
        "credit.decide_taxrate",
        "credit.propose_configuration",
        "credit.propose_distribution",
        "credit.propose_taxrate",
        "exchange.add_apikey",
        "exchange.add_staffuser",
        "exchange.add_token",
        "exchange.change_apikey",
        "exchange.change_staffuser",
        "exchange.change_token",
        "exchange.decide_accessproposal",
        "exchange.decide_quote",
        "exchange.end_token",
        "exchange.propose_quote",
        "exchange.restore_administrator",
        "orders.decide_terms",
        "wallets.add_accountverification",
        "wallets.add_deposit",
        "wallets.adjust_books",
        "wallets.close_period",
        "wallets.decide_break",
        "wallets.decide_configuration",
        "wallets.decide_deposit",
        "wallets.decide_withdrawal",
        "wallets.lift_freeze",
        "wallets.match_statement",
        "wallets.move_treasury",
        "wallets.place_freeze",
        "wallets.propose_configuration",
        "wallets.resolve_payment",
        "wallets.resolve_payout",
        "wallets.reverse_deposit",
        "wallets.write_off_receivable",
    }
)
DECIDING_ABOUT_MONEY = PRIVILEGED_PERMISSIONS - {
    "exchange.add_apikey",
    "exchange.add_staffuser",
    "exchange.change_apikey",
    "exchange.change_staffuser",
    "exchange.decide_accessproposal",
    "exchange.restore_administrator",
}


@pytest.mark.django_db
def test_migrating_an_empty_database_creates_the_roles():
    made = {
        group.name: {
            f"{permission.content_type.app_label}.{permission.codename}"
            for permission in group.permissions.select_related("content_type")
        }
        for group in Group.objects.all()
    }
    assert made == ROLES


@pytest.mark.django_db
def test_every_assigned_or_custom_permission_is_classified():
    assert not PRIVILEGED_PERMISSIONS & UNPRIVILEGED_PERMISSIONS
    given = {permission for role in ROLES.values() for permission in role}
    plain = ("add_", "change_", "delete_", "view_")
    for permission in Permission.objects.select_related("content_type"):
        if permission.content_type.app_label in {"credit", "exchange", "orders", "wallets"}:
            name = f"{permission.content_type.app_label}.{permission.codename}"
            if not permission.codename.startswith(plain):
                given.add(name)
    unclassified = {
        name
        for name in given - PRIVILEGED_PERMISSIONS - UNPRIVILEGED_PERMISSIONS
        if not name.partition(".")[2].startswith("view_")
    }
    assert unclassified == set()
    assert given >= PRIVILEGED_PERMISSIONS
    assert all(map(is_privileged, PRIVILEGED_PERMISSIONS))
    assert not any(map(is_privileged, UNPRIVILEGED_PERMISSIONS))
    assert is_privileged("wallets.something_new")


def test_auditors_and_support_only_read_and_administrators_approve_no_payments():
    beyond = {name for name in ROLES[AUDITOR] if ".view_" not in name}
    assert beyond <= {"exchange.add_export", "exchange.read_every_export"}
    assert not any(map(is_privileged, ROLES[AUDITOR] | ROLES[SUPPORT]))
    assert {name for name in ROLES[SUPPORT] if ".view_" not in name} == {"exchange.add_comment"}
    assert ROLES[SUPPORT] < ROLES[BACK_OFFICE]
    assert not ROLES[ADMINISTRATOR] & DECIDING_ABOUT_MONEY
    for role, permissions in ROLES.items():
        if role not in {AUDITOR, SUPPORT}:
            assert {name for name in ROLES[BACK_OFFICE] if ".view_" in name} <= permissions


@pytest.mark.django_db
def test_privileged_users_need_a_second_factor():
    for role in ROLES:
        assert is_privileged_user(create_staff(role.replace(" ", "-"), "correct horse", role)) is (
            role not in {AUDITOR, SUPPORT}
        )
    assert is_privileged_user(create_superuser("owner", password="x"))
    assert not is_privileged_user(
        StaffUser.objects.create_user("newcomer", password="x", is_staff=True)
    )
