"""Every address of the back office with every role: who may look, who may act, and that nothing
else happens.

What is expected stands in `tests.assertions.permission_matrix`. An address that is not there fails
by its name. Every role asks every address, but few pages are rendered: the verdict is the view's.
`make test` takes one address in three of each role, and who may do least with all.
"""

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.test import RequestFactory
from django.urls import resolve, reverse

from config.back_office.roles import FINANCE_APPROVER
from exchange.staff.models import StaffUser
from tests.assertions.addresses import addresses, record_of
from tests.assertions.permission_matrix import (
    ACTIONS,
    AUDITOR_LEAVES,
    OUTSIDE,
    ROLE_OF,
    Expected,
    expectations,
)
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.config.back_office.role_answers import (
    browser,
    content,
    every_record,
    in_part,
    outcome,
    person,
    records_of_the_module,
    revealed,
    undone,
    wanted,
)
from tests.environment.view_caller import ViewCaller
from wallets.withdrawals.models import Withdrawal

__all__ = ["every_record", "records_of_the_module"]

pytestmark = pytest.mark.django_db

# What forms of the back office ask for, so that a POST that is let through gets far.
FILLED_IN = {
    "version": "1",
    "confirmed": "on",
    "decision": "approve",
    "reason": "Because it is right",
    "note": "Because it is right",
    "action": "Fail",
    "form": "csv",
    "name": "Another name",
    "value": "7",
}
# Tables that say what happened to money.
MONEY = {
    "wallets_entry", "wallets_transfer", "wallets_account", "wallets_withdrawal",
    "wallets_deposit", "wallets_payout", "wallets_proposal", "wallets_decision",
    "wallets_configuration", "wallets_settingchange", "credit_loan",
    "credit_loanconfiguration", "credit_closureproposal", "orders_order", "orders_trade",
    "exchange_quote", "exchange_token",
}  # fmt: skip
# Pages of each kind, which are requested the whole way where views decide for all others.
TRIED_WHOLE = {
    "index", "password_change", "help", "wallets_withdrawal_changelist",
    "wallets_withdrawal_change", "wallets_withdrawal_approve", "exchange_member_add",
    "wallets_deposit_export",
}  # fmt: skip
# In turn a page of each kind the whole way, and every page; `make test-slow` takes the latter.
in_two_ways = pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
# A POST to these is answered like a GET.
LIKE_GET = ("_changelist", "_history", " by its id")


def written() -> dict[str, int]:
    """Rows of every table but sessions that this transaction has touched so far, undone or not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_xact_user_tables"
            " WHERE relname <> 'django_session'"
        )
        return dict(cursor.fetchall())


@pytest.mark.parametrize(
    ("letter", "whole"),
    [
        *((letter, letter == "S") for letter in ROLE_OF),
        *(
            pytest.param(letter, True, marks=pytest.mark.slow)
            for letter in ROLE_OF
            if letter != "S"
        ),
    ],
)
@pytest.mark.one_in(3)
def test_each_role_views_and_acts_exactly_as_the_table_says(letter, whole, every_record):
    table = expectations()
    client = browser(person(ROLE_OF[letter]))
    views = ViewCaller(client)
    fingerprint, before = table_fingerprints(), written()
    found = [
        address
        for address in addresses(every_record)
        if address.name not in OUTSIDE and (whole or in_part(letter, address.name))
    ]
    wrong: dict[str, Any] = {}
    for address in found:
        expected = table[address.name]
        for method in ("GET", "POST"):
            if method == "POST" and (
                acts(letter, address.name, expected)
                or (address.name.endswith(LIKE_GET) and not whole)
            ):
                continue
            # A POST that is refused has every field filled in, too.
            response = views.call(method, address.path, given(method))
            if outcome(response) not in wanted(address.name, expected, method, letter):
                wrong[f"{method} {address.name}"] = response.status_code
    assert wrong == {}
    assert written() == before
    for address in found:
        if not acts(letter, address.name, table[address.name]):
            continue
        response = undone(client, address.path, FILLED_IN)
        leaked = revealed(every_record, content(response))
        after = written()
        left = {name for name, rows in after.items() if rows != before.get(name, 0)}
        before = after
        fine = outcome(response) in wanted(address.name, table[address.name], "POST", letter)
        if leaked or not (fine and left <= may_leave(letter, address.name)):
            wrong[f"POST {address.name}"] = (response.status_code, left, leaked)
    assert wrong == {}
    assert table_fingerprints() == fingerprint


def given(method: str) -> dict[str, str]:
    """Return what is sent along."""
    return FILLED_IN if method == "POST" else {}


def acts(letter: str, name: str, expected: Expected) -> bool:
    """Return whether a POST of the role may do something, other than answer like a GET."""
    return letter in expected.actors and not name.endswith(LIKE_GET)


def may_leave(letter: str, name: str) -> set[str]:
    """Tables that a POST of a role that acts may write."""
    if letter == "A":
        return AUDITOR_LEAVES.get(name, set())
    if letter == "S":
        return {"exchange_comment", "exchange_change"} if name.endswith("_comment") else set()
    every = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    return every - MONEY if letter == "D" else every


@in_two_ways
def test_visitors_are_sent_to_sign_in_everywhere(whole, every_record):
    """By the view of every address, and the whole way."""
    client = browser(None)
    views = ViewCaller(client)
    fingerprint = table_fingerprints()
    wrong: dict[str, Any] = {}
    for address in addresses(every_record):
        if address.name in OUTSIDE:
            continue
        for method in ("GET", "POST"):
            responses = [views.call(method, address.path, given(method))]
            if whole or address.name in TRIED_WHOLE:
                responses.append(client.generic(method, address.path))
            for response in responses:
                if outcome(response) != "to sign-in":
                    wrong[f"{method} {address.name}"] = response.status_code
    assert wrong == {}
    assert table_fingerprints() == fingerprint


def test_without_a_second_factor_every_page_leads_to_it(every_record):
    views = ViewCaller(browser(person(FINANCE_APPROVER), second_factor=False))
    with assert_no_table_changes():
        wrong = {
            f"{method} {address.name}"
            for address in addresses(every_record)
            for method in ("GET", "POST")
            if address.name not in OUTSIDE
            and outcome(views.call(method, address.path, given(method))) != "to sign-in"
        }
    assert wrong == set()


@pytest.mark.parametrize("who", ["visitor", "second factor missing"])
def test_the_pages_of_signing_in_are_open_and_show_no_secret(who, every_record):
    client = browser(None if who == "visitor" else person(FINANCE_APPROVER), second_factor=False)
    with assert_no_table_changes():
        wrong: dict[str, Any] = {}
        for address in addresses(every_record):
            if address.name in OUTSIDE:
                response = client.get(address.path)
                leaked = revealed(every_record, content(response))
                if response.status_code not in {200, 302, 405} or leaked:
                    wrong[address.name] = (response.status_code, leaked)
    assert wrong == {}


@in_two_ways
def test_a_post_without_its_token_is_refused_everywhere(whole, every_record):
    """No address is exempt from the check, which a visitor meets before anything else."""
    of_visitor = browser(None, enforce_csrf_checks=True)
    of_user = browser(StaffUser.objects.get(username="owner"), enforce_csrf_checks=True)
    found = addresses(every_record)
    # All that the middleware asks of a view.
    exempt = {
        address.name
        for address in found
        if getattr(resolve(address.path.partition("?")[0]).func, "csrf_exempt", False)
    }
    assert exempt == set()
    with assert_no_table_changes():
        wrong = {
            address.name
            for address in found
            for client in (of_visitor, of_user)
            if (address.name in TRIED_WHOLE | OUTSIDE or (whole and client is of_visitor))
            and client.post(address.path, FILLED_IN).status_code != 403
        }
    assert wrong == set()


def test_list_actions_are_available_only_to_the_roles_in_the_table(every_record):
    for letter, role in ROLE_OF.items():
        user = person(role)
        # In this view of the withdrawals their list has all of its actions.
        request = RequestFactory().get("/", {"status": "all"})
        request.user = StaffUser.objects.get(pk=user.pk)
        for model, model_admin in admin.site._registry.items():
            name = f"{model._meta.app_label}_{model._meta.model_name}"
            found = {f"{name}: {action}" for action in model_admin.get_actions(request)}
            allowed = {key for key, who in ACTIONS.items() if letter in who}
            assert found == {key for key in allowed if key.startswith(f"{name}: ")}, role
        client = browser(user)
        fingerprint, before = table_fingerprints(), written()
        for action in ("approve_selected", "reject_selected", "reverse_selected"):
            ticked = {
                "action": action,
                "_selected_action": [record_of(Withdrawal, every_record).pk],
            }
            address = reverse("admin:wallets_withdrawal_changelist")
            response = client.post(f"{address}?status=all", ticked)
            asked = "/decide/?decision=" in response.get("Location", "")
            assert asked is (letter in ACTIONS[f"wallets_withdrawal: {action}"]), role
        assert written() == before
        assert table_fingerprints() == fingerprint
