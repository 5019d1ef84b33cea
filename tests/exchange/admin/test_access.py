"""API keys, events and participants in the admin: secrets show once, each role does its own."""

from __future__ import annotations

import logging

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from config.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from exchange.ids import uuid7
from exchange.models import ApiKey, Event, Member, Organisation, StaffUser, WebhookEndpoint
from tests.support.back_office import everything, participants, said, signed_in, text_of, user_of

pytestmark = pytest.mark.django_db

KEY = {"name": "Payouts", "scopes": ["wallets:read", "wallets:withdraw"], "expires_at_0": ""}


def issue(client: Client, organisation: Organisation):
    return client.post(
        reverse("admin:exchange_apikey_add"), {**KEY, "organisation": str(organisation.pk)}
    )


def pages_of_key(key: ApiKey) -> list[str]:
    return [
        reverse("admin:exchange_apikey_change", args=[key.pk]),
        reverse("admin:exchange_apikey_changelist"),
        reverse("admin:exchange_apikey_token", args=[key.pk]),
        reverse("admin:index"),
    ]


def test_a_secret_shows_once_and_is_kept_nowhere(caplog):
    caplog.set_level(logging.DEBUG)
    organisation, _ = participants()
    client = signed_in(ADMINISTRATOR)
    response = issue(client, organisation)
    secret = dict(response.context["shown"])["Client secret"]
    key = ApiKey.objects.get()
    assert len(secret) >= 40
    assert response.content.decode().count(secret) == 1
    assert "no-store" in response["Cache-Control"]
    assert key.scopes == ["wallets:read", "wallets:withdraw"]
    for address in pages_of_key(key):
        later = client.get(address)
        assert later.status_code == 200
        assert secret not in later.content.decode()
        assert key.client_secret not in later.content.decode()
    assert secret not in caplog.text
    assert secret not in str(dict(client.session))
    assert secret not in str(client.cookies)
    assert secret not in key.client_secret


def test_sending_the_form_twice_issues_one_key():
    organisation, _ = participants()
    client = signed_in(ADMINISTRATOR)
    issue(client, organisation)
    again = issue(client, organisation)
    assert "Acme has a key of this name already" in text_of(again)
    assert ApiKey.objects.count() == 1


def test_a_long_lived_token_shows_once_and_ends_with_its_key(caplog):
    caplog.set_level(logging.DEBUG)
    organisation, _ = participants()
    client = signed_in(ADMINISTRATOR)
    issue(client, organisation)
    key = ApiKey.objects.get()
    response = client.post(reverse("admin:exchange_apikey_token", args=[key.pk]), {"days": "90"})
    token = dict(response.context["shown"])["Access token"]
    assert response.content.decode().count(token) == 1
    kept = get_access_token_model().objects.get()
    assert token not in str(vars(kept))
    assert 89 <= (kept.expires - timezone.now()).days <= 90
    for address in pages_of_key(key):
        assert token not in client.get(address).content.decode()
    assert token not in caplog.text

    revoked = client.post(reverse("admin:exchange_apikey_revoke", args=[key.pk]))
    assert said(revoked) == ["Payouts was revoked: it and its tokens stopped working."]
    assert get_access_token_model().objects.count() == 0
    before = everything()
    again = client.post(reverse("admin:exchange_apikey_revoke", args=[key.pk]))
    assert said(again)[-1] == "The API key was revoked before"
    refused = client.post(reverse("admin:exchange_apikey_token", args=[key.pk]), {"days": "90"})
    assert "The API key was revoked" in text_of(refused)
    assert everything() == before


@pytest.mark.parametrize("days", ["0", "-1", "3651", "x", ""])
def test_a_token_lives_one_day_to_ten_years(days):
    organisation, _ = participants()
    client = signed_in(ADMINISTRATOR)
    issue(client, organisation)
    key = ApiKey.objects.get()
    response = client.post(reverse("admin:exchange_apikey_token", args=[key.pk]), {"days": days})
    assert response.status_code == 200
    assert "shown" not in response.context
    assert get_access_token_model().objects.count() == 0


def test_an_organisation_is_created_renamed_and_switched_off():
    client = signed_in(BACK_OFFICE)
    client.post(
        reverse("admin:exchange_organisation_add"), {"name": "Baobab", "email": "a@baobab.example"}
    )
    made = Organisation.objects.get()
    edit = reverse("admin:exchange_organisation_edit", args=[made.pk])
    assert "Enter a valid email" in text_of(client.post(edit, {"name": "Baobab", "email": "x"}))
    client.post(edit, {"name": "Baobab Ltd", "email": ""})
    off = client.post(reverse("admin:exchange_organisation_deactivate", args=[made.pk]))
    made.refresh_from_db()
    assert (made.name, made.email, made.active) == ("Baobab Ltd", "", False)
    assert said(off)[-1] == "Baobab Ltd is not active any more: none of its API keys works."
    client.post(reverse("admin:exchange_organisation_activate", args=[made.pk]))
    made.refresh_from_db()
    assert made.active


def test_a_member_is_added_once_for_each_email():
    organisation, _ = participants()
    client = signed_in(BACK_OFFICE)
    body = {"organisation": str(organisation.pk), "name": "Bo", "email": "ADA@acme.example"}
    refused = client.post(reverse("admin:exchange_member_add"), body)
    assert "A member with this email exists already" in text_of(refused)
    assert Member.objects.count() == 1
    client.post(reverse("admin:exchange_member_add"), {**body, "email": "bo@acme.example"})
    assert Member.objects.filter(organisation=organisation, name="Bo").count() == 1


def an_event(organisation: Organisation) -> Event:
    return Event.objects.create(
        organisation=organisation,
        type="withdrawal.created",
        subject_id=uuid7(),
        body='{"amount":90.02}',
        status="Exhausted",
        attempts=10,
        created_at=timezone.now(),
    )


def test_an_event_is_sent_again_when_there_is_somewhere_to_send_it():
    organisation, _ = participants()
    event = an_event(organisation)
    client = signed_in(BACK_OFFICE)
    again = reverse("admin:exchange_event_redeliver", args=[event.pk])
    assert said(client.post(again)) == ["There is no enabled webhook endpoint to send to"]
    event.refresh_from_db()
    assert (event.status, event.attempts) == ("Exhausted", 10)
    WebhookEndpoint.objects.create(
        organisation=organisation,
        url="https://acme.example/hook",
        secret="whsec_c2VjcmV0IHNlY3JldA==",
    )
    assert said(client.post(again))[-1] == "The event is being sent again."
    event.refresh_from_db()
    assert (event.status, event.attempts) == ("Pending", 0)


def test_the_secret_of_a_webhook_never_shows():
    organisation, _ = participants()
    endpoint = WebhookEndpoint.objects.create(
        organisation=organisation,
        url="https://acme.example/hook",
        secret="whsec_c2VjcmV0IHNlY3JldA==",
    )
    client = signed_in(ADMINISTRATOR)
    for name, arguments in (("changelist", []), ("change", [endpoint.pk])):
        page = client.get(reverse(f"admin:exchange_webhookendpoint_{name}", args=arguments))
        assert page.status_code == 200
        assert "whsec_" not in page.content.decode()


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (AUDITOR, set()),
        (FINANCE_APPROVER, set()),
        (BACK_OFFICE, {"organisation", "switch", "member", "event"}),
        (
            ADMINISTRATOR,
            {"organisation", "switch", "member", "event", "key", "token", "revoke", "staff"},
        ),
    ],
)
def test_each_role_does_its_own_and_nothing_else(role, allowed):
    organisation, member = participants()
    event = an_event(organisation)
    WebhookEndpoint.objects.create(
        organisation=organisation,
        url="https://acme.example/hook",
        secret="whsec_c2VjcmV0IHNlY3JldA==",
    )
    issue(signed_in(ADMINISTRATOR, "root-of-it"), organisation)
    key = ApiKey.objects.get()
    client = signed_in(role)
    org = str(organisation.pk)
    actions = {
        "organisation": (reverse("admin:exchange_organisation_add"), {"name": "New"}),
        "switch": (reverse("admin:exchange_organisation_deactivate", args=[org]), {}),
        "member": (
            reverse("admin:exchange_member_add"),
            {"organisation": org, "name": "N", "email": "n@example.com"},
        ),
        "event": (reverse("admin:exchange_event_redeliver", args=[event.pk]), {}),
        "token": (reverse("admin:exchange_apikey_token", args=[key.pk]), {"days": "1"}),
        "key": (
            reverse("admin:exchange_apikey_add"),
            {"organisation": org, "name": "Two", "scopes": ["tokens:read"]},
        ),
        "revoke": (reverse("admin:exchange_apikey_revoke", args=[key.pk]), {}),
        "staff": (
            reverse("admin:exchange_staffuser_add"),
            {
                "username": "newcomer",
                "password1": "quite a long one",
                "password2": "quite a long one",
            },
        ),
    }
    if "switch" in allowed:
        actions["switch"] = (reverse("admin:exchange_organisation_activate", args=[org]), {})
    for name, (address, body) in actions.items():
        before = everything()
        response = client.post(address, body)
        if name in allowed:
            assert response.status_code in {200, 302}, name
            assert everything() != before, name
        else:
            assert response.status_code == 403, name
            assert everything() == before, name
    assert member.organisation == organisation


def test_nobody_changes_their_own_roles_or_makes_a_superuser():
    client = signed_in(ADMINISTRATOR)
    me = user_of(client)
    address = reverse("admin:exchange_staffuser_change", args=[me.pk])
    finance = me.groups.model.objects.get(name=FINANCE_APPROVER)
    body = {
        "username": me.username,
        "groups": [str(finance.pk)],
        "is_superuser": "on",
        "is_staff": "on",
        "is_active": "on",
    }
    client.post(address, body)
    me.refresh_from_db()
    assert [group.name for group in me.groups.all()] == [ADMINISTRATOR]
    assert not me.is_superuser
    superuser = StaffUser.objects.create_superuser("owner", password="x")
    address = reverse("admin:exchange_staffuser_change", args=[superuser.pk])
    assert client.post(address, {**body, "username": "taken-over"}).status_code == 403
    password = reverse("admin:auth_user_password_change", args=[superuser.pk])
    response = client.post(
        password, {"password1": "quite a long one", "password2": "quite a long one"}
    )
    assert response.status_code == 403
    superuser.refresh_from_db()
    assert superuser.username == "owner"
    assert superuser.check_password("x")


def test_roles_are_given_by_an_administrator():
    client = signed_in(ADMINISTRATOR)
    client.post(
        reverse("admin:exchange_staffuser_add"),
        {
            "username": "newcomer",
            "password1": "quite a long one",
            "password2": "quite a long one",
            "is_staff": "on",
            "groups": [str(user_of(client).groups.model.objects.get(name=AUDITOR).pk)],
        },
    )
    user = StaffUser.objects.get(username="newcomer")
    assert user.has_perm("wallets.view_withdrawal")
    assert not user.has_perm("wallets.decide_withdrawal")
    assert Client().login(username="newcomer", password="quite a long one")
