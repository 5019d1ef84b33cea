"""Confirmation pages: revoking keys, deactivating organisations, switching webhooks."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR
from exchange.core.actors import Actor
from exchange.events.models import Event, WebhookEndpoint
from exchange.participants.models import ApiKey, Organisation
from exchange.participants.services.api_keys import (
    issue_access_token,
    issue_api_key,
    rotate_api_key,
)
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    make_participants,
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.staff import confirm_latest

pytestmark = pytest.mark.django_db

SYSTEM = Actor.system("tests")


@pytest.fixture
def organisation() -> Organisation:
    return make_participants()[0]


@pytest.fixture
def key(organisation: Organisation) -> ApiKey:
    return issue(organisation, "Payouts")


def issue(organisation: Organisation, name: str) -> ApiKey:
    scopes = ["wallets:read", "wallets:withdraw"]
    key, _ = issue_api_key(organisation=organisation, name=name, scopes=scopes, actor=SYSTEM)

    return key


def token_of(key: ApiKey) -> str:
    return issue_access_token(key=key, lifetime=timedelta(days=90), actor=SYSTEM)


def call(token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return Client().get("/v1/api/wallet", headers=headers).status_code


@pytest.mark.parametrize(
    ("expires_at", "text"),
    [
        (datetime(2024, 3, 2, 12, tzinfo=UTC), "Expired 2024-03-02 12:00:00 UTC"),
        (datetime(2999, 3, 2, 12, tzinfo=UTC), "2999-03-02 12:00:00 UTC"),
    ],
)
def test_the_page_of_a_key_shows_its_expiry(key, expires_at, text):
    ApiKey.objects.filter(pk=key.pk).update(expires_at=expires_at)
    assert f"Expiry {text}" in text_of(signed_in_client(ADMINISTRATOR).get(page(key, "change")))


def test_revoking_a_key_shows_its_owner_and_the_effect(organisation, key):
    token = token_of(key)
    issue(organisation, "Trading")
    client = signed_in_client(ADMINISTRATOR)
    with assert_no_table_changes():
        unused = text_of(client.get(page(key, "revoke")))
        for words in (
            "Revoke Payouts of Acme?",
            "No changes made yet.",
            f"Organisation Acme Client ID {key.client_id} Scopes wallets:read, wallets:withdraw",
            "Expiry No expiry Last used Never used Active access tokens 1 Other active keys 1",
            "The key can no longer get access tokens, and its access tokens stop working.",
            "Anything that Acme runs with it loses access immediately.",
        ):
            assert words in unused, words
    assert call(token) == 200

    asked = client.get(page(key, "revoke"))
    key.refresh_from_db()
    assert f"Last used {key.last_used_at:%Y-%m-%d %H:%M:%S} UTC, " in text_of(asked)
    assert messages_of(submit_confirmation(client, page(key, "revoke"), at=asked))[-1].startswith(
        "Payouts and its access tokens revoked"
    )
    assert call(token) == 401
    assert ApiKey.objects.filter(revoked_at=None).get().name == "Trading"


def test_use_of_a_key_does_not_make_its_confirmation_stale(key):
    token = token_of(key)
    client = signed_in_client(ADMINISTRATOR)
    asked = client.get(page(key, "revoke"))
    assert call(token) == 200
    token_of(key)
    submit_confirmation(client, page(key, "revoke"), at=asked)
    assert call(token) == 401


def test_a_key_rotated_meanwhile_is_confirmed_again(key):
    token = token_of(key)
    client = signed_in_client(ADMINISTRATOR)
    asked = client.get(page(key, "revoke"))
    rotate_api_key(key_id=key.pk, overlap=timedelta(hours=24), actor=SYSTEM)
    with assert_no_table_changes():
        refused = submit_confirmation(client, page(key, "revoke"), at=asked)
    assert (
        "No changes were made. Since you opened the page: Expiry was No expiry and is 20"
        in text_of(refused)
    )
    assert call(token) == 200
    submit_confirmation(client, page(key, "revoke"), at=refused)
    assert call(token) == 401


def test_a_post_without_the_shown_facts_changes_nothing(key, organisation):
    client = signed_in_client(ADMINISTRATOR)
    with assert_no_table_changes():
        for address in (page(key, "revoke"), page(organisation, "deactivate")):
            for body in ({}, {"seen": ""}, {"seen": "{}"}, {"seen": "x"}):
                response = client.post(address, body)
                assert response.status_code == 200
                assert "No changes made yet." in text_of(response)


def test_deactivating_an_organisation_shows_the_keys_that_stop(organisation, key, office):
    token = token_of(key)
    expired = issue(organisation, "Expired")
    ApiKey.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(days=1))
    off, on = page(organisation, "deactivate"), page(organisation, "activate")
    asked = office.get(off)
    assert "Status Active Keys that will stop 1 Last used Never used" in text_of(asked)
    Organisation.objects.filter(pk=organisation.pk).update(name="Acme Holdings")
    refused = submit_confirmation(office, off, at=asked)
    assert "Organisation was Acme and is Acme Holdings" in text_of(refused)
    assert call(token) == 200
    submit_confirmation(office, off, at=refused)
    assert call(token) == 401
    reported = messages_of(submit_confirmation(office, off, at=refused))
    assert reported[-1] == "Acme Holdings is already inactive. No changes were made."
    assert "Keys that will work again 1" in text_of(office.get(on))
    submit_confirmation(signed_in_client(ADMINISTRATOR), on)
    assert call(token) == 401
    confirm_latest()
    assert call(token) == 200


def test_disabling_a_webhook_shows_its_address(organisation, office):
    endpoint = WebhookEndpoint.objects.create(
        organisation=organisation,
        url="https://acme.example/hook",
        secret="whsec_c2VjcmV0IHNlY3JldA==",
    )
    asked = office.get(page(endpoint, "disable"))
    for words in (
        "Disable the webhook of Acme?",
        "Address https://acme.example/hook Status Enabled",
        "Last delivered not recently Undelivered webhooks 0",
    ):
        assert words in text_of(asked), words
    WebhookEndpoint.objects.update(url="https://acme.example/other")
    refused = text_of(submit_confirmation(office, page(endpoint, "disable"), at=asked))
    assert "Address was https://acme.example/hook and is https://acme.example/other" in refused
    endpoint.refresh_from_db()
    assert endpoint.enabled
    reported = messages_of(office.get(page(endpoint, "enable")))
    assert reported == ["The endpoint is already enabled. No changes were made."]
    reported = messages_of(submit_confirmation(office, page(endpoint, "send_again")))
    assert reported[-1] == "There was nothing to resend."
    assert not Event.objects.exists()
