"""Who of staff acted, as events say it: a role, and an id that stays the same."""

import json
import re

import pytest

from exchange.core.actors import Actor
from exchange.events.models import Event
from exchange.events.services.endpoints import send_test, set_endpoint
from tests.factories.api_clients import TESTER, make_caller
from tests.factories.insiders import insider
from tests.factories.logins import sign_in
from tests.factories.wallets import make_staff, make_wallet, store_bank_list
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db


def acted(withdrawal: Withdrawal, kind: str) -> object:
    body = Event.objects.get(subject_id=withdrawal.id, type=f"withdrawal.{kind}").body
    return json.loads(body)["data"]["withdrawal"]["actioned_by"]


def test_who_acted_is_a_role_and_an_id_that_stays_the_same(provider_sandbox):
    store_bank_list()
    wallet = make_wallet(10_000)
    caller = make_caller(organisation=wallet.organisation)
    one, other = insider(), insider()
    first, second, third = (wallet.request(amount) for amount in (100, 110, 120))
    for withdrawal, user in ((first, one), (second, one), (third, other)):
        decisions.reject(
            withdrawal_id=withdrawal.id, version=1, approver=user, reason="The names differ"
        )
    assert acted(first, "created") is None
    assert acted(first, "rejected") == acted(second, "rejected")
    assert acted(first, "rejected") == {"role": "finance approver", "id": one.public_reference}
    assert acted(third, "rejected") == {"role": "finance approver", "id": other.public_reference}
    assert re.fullmatch("staff_[0-9a-f]{32}", one.public_reference)
    assert one.pk.hex not in one.public_reference
    # The organisation's own key is no secret to it.
    fourth = wallet.request(130)
    assert caller.post(f"/v1/api/withdrawals/{fourth.id}/cancel").status_code == 200
    assert acted(fourth, "cancelled") == {
        "role": "API key",
        "id": caller.key.client_id,
        "name": "tests",
    }


def test_of_two_people_the_first_is_told_as_who_acted():
    store_bank_list()
    withdrawal = make_wallet(600_000).request(500_000)
    first, second = insider(), insider()
    for version, user in ((1, first), (2, second)):
        decisions.approve(withdrawal_id=withdrawal.id, version=version, approver=user)
    assert acted(withdrawal, "approved") == {
        "role": "finance approver",
        "id": first.public_reference,
    }


def test_staff_without_a_role_are_told_as_staff():
    store_bank_list()
    withdrawal = make_wallet(1000).request(100)
    person = make_staff()
    assert not person.groups.exists()
    decisions.reject(withdrawal_id=withdrawal.id, version=1, approver=person, reason="Twice")
    assert acted(withdrawal, "rejected") == {"role": "staff", "id": person.public_reference}


def test_a_test_event_says_in_the_same_way_who_asked_for_it():
    caller = make_caller()
    set_endpoint(
        organisation_id=caller.organisation.id, url="https://hooks.example.com/x", actor=TESTER
    )
    person = insider()
    by_staff = send_test(
        organisation_id=caller.organisation.id, actor=Actor.staff(person.pk, str(person))
    )
    assert json.loads(by_staff.body)["data"]["requested_by"] == {
        "role": "finance approver",
        "id": person.public_reference,
    }
    assert caller.post("/v1/api/webhook/test").status_code in {200, 201, 202}
    by_key = Event.objects.latest("id")
    assert json.loads(by_key.body)["data"]["requested_by"] == {
        "role": "API key",
        "id": caller.key.client_id,
        "name": "tests",
    }


def test_an_administrator_finds_whom_an_organisation_was_told_of(client):
    administrator, person = insider("Administrator"), insider()
    sign_in(client, administrator)
    page = client.get("/admin/exchange/staffuser/", {"q": person.public_reference})
    assert list(page.context["cl"].result_list) == [person]
    shown = client.get(f"/admin/exchange/staffuser/{person.pk}/change/")
    assert person.public_reference in shown.content.decode()
    nobody = client.get("/admin/exchange/staffuser/", {"q": f"staff_{'0' * 32}"})
    assert list(nobody.context["cl"].result_list) == []


def test_a_setting_adds_the_name(settings):
    settings.EVENTS_NAME_STAFF = True
    store_bank_list()
    withdrawal = make_wallet(10_000).request(100)
    user = insider()
    decisions.reject(withdrawal_id=withdrawal.id, version=1, approver=user, reason="Names differ")
    assert acted(withdrawal, "rejected") == {
        "role": "finance approver",
        "id": user.public_reference,
        "name": "Zebulon Quartermaine",
    }
