"""Every address of the back office with every role: who may look, who may act, that nothing else
happens, and that no page has a link which its reader may not follow.

What is expected stands in `tests.assertions.permission_matrix`. An address that is not there fails
by its name. Every role asks every address, but few pages are rendered: the verdict is the view's.
`make test` takes one address in three of each role, and who may do least with all.
"""

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.db import connection, transaction
from django.test import Client, RequestFactory
from django.urls import resolve, reverse
from pytest_django import DjangoDbBlocker

from config.back_office.roles import FINANCE_APPROVER
from exchange.staff.models import StaffUser
from tests.assertions.addresses import addresses, record_of
from tests.assertions.permission_matrix import (
    ACTIONS,
    AUDITOR_LEAVES,
    LEAD_ON,
    ONLY_POST,
    OUTSIDE,
    PAGES,
    ROLE_OF,
    Expected,
    expectations,
)
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.environment.module_transaction import module_transaction
from tests.environment.view_caller import ViewCaller
from tests.factories.every_record import PASSWORD, EveryRecord, make_every_record
from tests.factories.exports import file_bytes, read_xlsx
from tests.factories.logins import sign_in
from tests.factories.staff import create_staff
from wallets.withdrawals.models import Withdrawal

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
# Of each list so many records more are opened: their states differ, and so do the links.
ROWS_OF_A_LIST = 3
# No one finds these, and only auditors the export of another person.
FOUND_BY_NO_ONE = {"anything else", "view_on_site"}
FOUND_BY_AUDITORS = {
    f"exchange_export_{page}" for page in ("change", "download", "history", "progress")
}
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
SIGN_IN_REDIRECTS = ("/admin/login/", "/admin/second-factor/enrol/")


@pytest.fixture(scope="module")
def records_of_the_module(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[EveryRecord]:
    with module_transaction(django_db_blocker):
        yield make_every_record()


@pytest.fixture
def every_record(records_of_the_module: EveryRecord, provider_sandbox: Any) -> EveryRecord:
    return records_of_the_module


def person(role: str) -> StaffUser:
    return create_staff(role.lower().replace(" ", "-"), PASSWORD, role)


def browser(user: StaffUser | None, *, second_factor: bool = True, **more: Any) -> Client:
    """A browser in which `user`, if anybody, is signed in."""
    client = Client(**more)
    if user is not None:
        sign_in(client, user, second_factor=second_factor)
    return client


def written() -> dict[str, int]:
    """Rows of every table but sessions that this transaction has touched so far, undone or not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_xact_user_tables"
            " WHERE relname <> 'django_session'"
        )
        return dict(cursor.fetchall())


def content(response: Any) -> str:
    """What was answered, files included."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return body.decode(errors="replace")


def kept_out(response: Any) -> bool:
    """Return whether the response is the sign-in page, or redirects to it or to a code."""
    if getattr(response, "template_name", "") == "admin/signin/password.html":
        return True
    return bool(response.status_code == 302 and response["Location"].startswith(SIGN_IN_REDIRECTS))


def outcome(response: Any) -> str:
    """Return the answer in a word."""
    if kept_out(response):
        return "to sign-in"
    words = {200: "page", 302: "redirect", 403: "forbidden", 405: "no such method"}
    return words.get(response.status_code, f"error {response.status_code}")


def undone(client: Client, path: str, data: dict[str, Any]) -> Any:
    """The answer to a POST whose work is undone afterwards."""
    with transaction.atomic():
        response = client.post(path, data)
        transaction.set_rollback(True)
    return response


def revealed(every_record: EveryRecord, text: str) -> list[str]:
    """Which secrets of `demo_records` are in `text`."""
    return [what for what, secret in every_record.secrets.items() if secret and secret in text]


def refused_links(response: Any, letter: str, table: dict[str, Expected]) -> set[str]:
    """Links of a page to pages of the back office that the role of `letter` may not look at."""
    if response.status_code != 200 or response.streaming:
        return set()
    # Its buttons post, and are no links.
    found = re.findall(r'<a\b[^>]*\bhref="(/admin/[^"#]*)', content(response))
    allowed = OUTSIDE | readable(letter, table)
    return {link for link in found if name_of(urlsplit(unescape(link)).path) not in allowed}


@cache
def name_of(path: str) -> str | None:
    """The name of an address; every page has the same hundred links at its side."""
    return resolve(path).url_name


def readable(letter: str, table: dict[str, Expected]) -> set[str]:
    """Names of the addresses that a role may look at."""
    return {name for name, expected in table.items() if letter in expected.viewers}


def records(client: Client) -> Iterator[tuple[str, Any]]:
    """Pages of the first records of every list, with what leads on from there to the record."""
    for model in admin.site._registry:
        for row in model._default_manager.order_by("-pk")[:ROWS_OF_A_LIST]:
            page = reverse(
                f"admin:{model._meta.app_label}_{model._meta.model_name}_change",
                args=[quote(row.pk)],
            )
            shown = client.get(page)
            yield page, shown
            own = re.escape(page.removesuffix("change/"))
            for link in set(re.findall(rf'<a\b[^>]*\bhref="({own}[^"#]+)', content(shown))) - {
                page
            }:
                yield link, client.get(unescape(link))


@pytest.mark.slow
def test_no_record_has_a_link_that_its_reader_may_not_follow(every_record):
    """Of records in other states than those of the table, with the role that decides most."""
    letter, table = "F", expectations()
    client = browser(person(ROLE_OF[letter]))
    shown = dict(records(client))
    refused = {page: refused_links(response, letter, table) for page, response in shown.items()}
    assert {page: links for page, links in refused.items() if links} == {}
    # Exports of others return 404; no page links to them.
    lost = {
        page
        for page, response in shown.items()
        if response.status_code not in {200, 302} and not page.endswith("/change/")
    }
    assert lost == set()
    assert len(shown) > 60


def in_part(letter: str, name: str) -> bool:
    """Return whether an address is of the third that the role asks in `make test`."""
    return crc32(f"{letter} {name}".encode()) % 3 == 0


def wrong_pages(letter: str, every_record: EveryRecord, names: set[str]) -> dict[str, Any]:
    """Return what is wrong with the whole pages of `names` for the role of `letter`."""
    table = expectations()
    client = browser(person(ROLE_OF[letter]))
    wrong: dict[str, Any] = {}
    for address in addresses(every_record):
        if address.name not in names:
            continue
        response = client.get(address.path)
        leaked = revealed(every_record, content(response))
        dead = refused_links(response, letter, table)
        fine = outcome(response) in wanted(address.name, table[address.name], "GET", letter)
        if leaked or dead or not fine:
            wrong[address.name] = (response.status_code, leaked, dead)
    return wrong


def test_a_part_of_the_pages_links_only_to_what_its_reader_may_open(every_record):
    """For the role that decides most."""
    names = {name for name in readable("F", expectations()) if in_part("F", name)}
    assert len(names) > 40
    assert wrong_pages("F", every_record, names) == {}


@pytest.mark.slow
@pytest.mark.parametrize("letter", ROLE_OF)
def test_each_page_links_only_to_what_its_reader_may_open_and_shows_no_secret(letter, every_record):
    """Every page that the role may read."""
    assert wrong_pages(letter, every_record, readable(letter, expectations())) == {}


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


def wanted(name: str, expected: Expected, method: str, letter: str) -> set[str]:
    """Answers that are right."""
    if method == "GET" and expected.viewers == ONLY_POST:
        return {"no such method"}
    allowed = expected.viewers if method == "GET" else expected.actors
    if letter in allowed:
        if name in FOUND_BY_NO_ONE or (name in FOUND_BY_AUDITORS and letter != "A"):
            return {"error 404"}
        if name.endswith((" by its id", "_next", "_previous")) or name in LEAD_ON:
            return {"redirect"}
        return {"page"} if method == "GET" else {"page", "redirect"}
    # Pages without actions may accept no POST at all.
    return {"forbidden"} if allowed or method == "GET" else {"forbidden", "no such method"}


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


def test_no_file_holds_a_secret(every_record):
    client = browser(StaffUser.objects.get(username="owner"))
    files = [name for name in PAGES if name.endswith("_export")]
    assert len(files) == 16
    for address in addresses(every_record):
        if address.name not in files or address.name == "exchange_change_export":
            continue
        for form in ("csv", "xlsx"):
            query = f"?form={form}" if "reconciliation" in address.name else ""
            response = client.post(f"{address.path}{query}", {"form": form})
            data = file_bytes(response)
            text = data.decode() if form == "csv" else str(read_xlsx(data))
            assert revealed(every_record, text) == [], address.name
    export = reverse("admin:exchange_change_export")
    assert client.get(f"{export}?no_such_column=1").status_code == 400
    audit = content(client.get(export))
    assert audit.count("\n") > 50
    assert "(hidden)" in audit
    assert revealed(every_record, audit) == []
