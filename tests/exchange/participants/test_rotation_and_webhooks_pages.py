"""Staff rotate keys, revoke single tokens, correct members and switch webhooks."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from config.back_office.roles import ADMINISTRATOR
from exchange.core.actors import Actor
from exchange.events.models import DeliveryAttempt, Event, WebhookEndpoint
from exchange.events.services import outbox as events
from exchange.participants.models import ApiKey, Member, Organisation
from exchange.participants.services.api_keys import issue_access_token, issue_api_key
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    make_participants,
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.events import emit_event, exhaust_attempts

pytestmark = pytest.mark.django_db

SYSTEM = Actor.system("tests")


@pytest.fixture
def key() -> ApiKey:
    organisation, _ = make_participants()
    key, _ = issue_api_key(
        organisation=organisation,
        name="Payouts",
        scopes=["wallets:read", "members:read"],
        actor=SYSTEM,
    )

    return key


@pytest.fixture
def token(key: ApiKey) -> str:
    return issue_access_token(key=key, lifetime=timedelta(days=90), actor=SYSTEM)


def works(token: str) -> bool:
    response = Client().get("/v1/api/wallet", headers={"Authorization": f"Bearer {token}"})
    assert response.status_code in {200, 401}
    return response.status_code == 200


def rotate(client: Client, key: ApiKey, overlap: str):
    address = reverse("admin:exchange_apikey_rotate", args=[key.pk])
    return client.post(address, {"overlap": overlap, "expires_at_0": "", "expires_at_1": ""})


@pytest.mark.parametrize(("overlap", "hours"), [("24", 24), ("168", 168)])
def test_a_rotated_key_works_until_the_chosen_expiry(key, token, overlap, hours):
    client = signed_in_client(ADMINISTRATOR)
    before = timezone.now()
    response = rotate(client, key, overlap)
    secret = dict(response.context["shown"])["New client secret"]
    assert response.content.decode().count(secret) == 1
    assert "no-store" in response["Cache-Control"]
    new_key = ApiKey.objects.exclude(pk=key.pk).get()
    assert (new_key.name, new_key.scopes, new_key.organisation) == (
        key.name,
        key.scopes,
        key.organisation,
    )
    assert new_key.client_id != key.client_id
    assert secret not in new_key.client_secret
    key.refresh_from_db()
    assert key.revoked_at is None
    assert before < key.expires_at - timedelta(hours=hours) < timezone.now()
    assert works(token)
    ApiKey.objects.filter(pk=key.pk).update(expires_at=timezone.now() - timedelta(days=1))
    assert not works(token)


def test_a_key_rotated_without_overlap_is_revoked(key, token):
    rotate(signed_in_client(ADMINISTRATOR), key, "0")
    key.refresh_from_db()
    assert key.revoked_at is not None
    assert not works(token)
    assert get_access_token_model().objects.count() == 0
    assert ApiKey.objects.filter(revoked_at=None).count() == 1


def test_sending_the_rotation_twice_issues_one_key(key):
    client = signed_in_client(ADMINISTRATOR)
    rotate(client, key, "24")
    with assert_no_table_changes():
        again = text_of(rotate(client, key, "24"))
        new_key = ApiKey.objects.exclude(pk=key.pk).get()
    assert f"The API key was already rotated to {new_key.client_id}" in again


def test_an_expiry_before_the_end_of_the_overlap_stays(key):
    soon = timezone.now() + timedelta(hours=1)
    ApiKey.objects.filter(pk=key.pk).update(expires_at=soon)
    rotate(signed_in_client(ADMINISTRATOR), key, "168")
    key.refresh_from_db()
    assert key.expires_at == soon


def test_one_access_token_of_a_key_is_revoked_without_the_others(key, token):
    other = issue_access_token(key=key, lifetime=timedelta(days=9), actor=SYSTEM)
    client = signed_in_client(ADMINISTRATOR)
    page = client.get(reverse("admin:exchange_apikey_change", args=[key.pk]))
    section = page.context["sections"][0]
    assert section.title == "Active access tokens"
    assert [row[2] for row in section.rows] == ["wallets:read, members:read"] * 2
    assert token not in page.content.decode()
    long_lived = get_access_token_model().objects.order_by("expires").last()
    address = reverse("admin:exchange_apikey_revoke_token", args=[key.pk])
    this = f"{address}?token={long_lived.pk}"
    assert f'href="{this}"' in page.content.decode()
    gone = "The access token no longer exists. No changes were made."
    for nonsense in ("", "?token=x", "?token=-1", f"?token={'9' * 40}", "?token=1e3"):
        assert messages_of(client.get(address + nonsense))[-1] == gone
        assert messages_of(client.post(address + nonsense, {"seen": "{}"}))[-1] == gone
    asked = client.get(this)
    assert (works(token), works(other)) == (True, True)
    reported = messages_of(submit_confirmation(client, this, at=asked))
    assert reported[-1] == "Access token revoked."
    assert (works(token), works(other)) == (False, True)
    with assert_no_table_changes():
        assert messages_of(submit_confirmation(client, this, at=asked))[-1] == gone


def correct(client: Client, member: Member, **changes: str):
    body = {
        "name": "Ada Obi",
        "email": "ada@acme.example",
        "external_id": "",
        **changes,
    }
    return client.post(reverse("admin:exchange_member_edit", args=[member.pk]), body)


def test_a_member_is_corrected_and_the_organisation_sees_it(office):
    organisation, member = make_participants()
    assert messages_of(correct(office, member, external_id="A-7")) == ["Saved."]
    member.refresh_from_db()
    assert (member.name, member.email, member.external_id) == (
        "Ada Obi",
        "ada@acme.example",
        "A-7",
    )
    assert '"name":"Ada Obi"' in member.document
    Member.objects.create(organisation=organisation, name="Bo", email="bo@acme.example")
    with assert_no_table_changes():
        for changes, reported in (
            ({"email": "BO@acme.example"}, "A member with this email exists already"),
            ({"email": "nobody"}, "Enter a valid email address."),
            ({"name": " "}, "This field is required."),
        ):
            assert reported in text_of(correct(office, member, **changes))


def endpoint_of(organisation: Organisation, **more: object) -> WebhookEndpoint:
    return WebhookEndpoint.objects.create(
        organisation=organisation,
        url="http://127.0.0.1:9/hook",
        secret="whsec_c2VjcmV0IHNlY3JldA==",
        **more,
    )


def exhausted(organisation: Organisation, count: int) -> None:
    for _ in range(count):
        event = exhaust_attempts(emit_event(organisation))
        DeliveryAttempt.objects.create(
            event=event,
            endpoint=event.deliveries.get().endpoint,
            number=10,
            url="http://127.0.0.1:9/hook",
            attempted_at=timezone.now(),
            milliseconds=3,
            status_code=503,
        )


def test_an_endpoint_shows_its_deliveries_and_resends_undelivered_events(monkeypatch, office):
    organisation, _ = make_participants()
    endpoint = endpoint_of(organisation)
    exhausted(organisation, 3)
    missed = Event.objects.order_by("id")[0]
    # The endpoint was disabled when it was created.
    missed.deliveries.update(status="Unsent", attempts=0)
    shown = text_of(office.get(reverse("admin:exchange_event_change", args=[missed.pk])))
    assert "Note No enabled webhook endpoint wanted the event. It can be resent." in shown
    opened = office.get(page(endpoint))
    assert "503 ( withdrawal.created )" in text_of(opened)
    assert "Undelivered webhooks 3" in text_of(opened)
    assert "whsec_" not in opened.content.decode()
    listed = office.get(
        reverse("admin:exchange_event_changelist"),
        {"organisation": str(organisation.pk), "delivery": "undelivered"},
    )
    assert listed.context["cl"].result_count == 3
    monkeypatch.setattr(events, "MAX_REDELIVERIES", 2)
    reported = messages_of(submit_confirmation(office, page(endpoint, "send_again")))
    assert reported[-1].startswith("2 events queued for delivery.")
    statuses = Event.objects.order_by("id").values_list("status", "attempts")
    assert list(statuses) == [("Pending", 0), ("Pending", 0), ("Exhausted", 10)]
    tomorrow = f"{timezone.now().date() + timedelta(days=1)}"
    reported = messages_of(
        submit_confirmation(office, page(endpoint, "send_again"), since=tomorrow)
    )
    assert reported == ["There was nothing to resend."]
    assert Event.objects.filter(status="Exhausted").count() == 1


def test_a_disabled_endpoint_receives_nothing_until_it_is_enabled(settings, office):
    organisation, _ = make_participants()
    endpoint = endpoint_of(organisation)
    exhausted(organisation, 1)
    submit_confirmation(office, page(endpoint, "disable"))
    endpoint.refresh_from_db()
    assert (endpoint.enabled, endpoint.disabled_reason) == (False, "Switched off by the exchange")
    with assert_no_table_changes():
        assert (
            messages_of(office.post(page(endpoint, "test")))[-1]
            == "The webhook endpoint is disabled. Enable it and try again"
        )
        reported = messages_of(submit_confirmation(office, page(endpoint, "send_again")))
        assert (
            reported[-1]
            == "The webhook endpoint is disabled. Enable it and try again. No changes were made."
        )
        settings.WEBHOOK_ALLOW_LOCAL = False
        assert "url must" in messages_of(submit_confirmation(office, page(endpoint, "enable")))[-1]
    settings.WEBHOOK_ALLOW_LOCAL = True
    submit_confirmation(office, page(endpoint, "enable"))
    endpoint.refresh_from_db()
    assert (endpoint.enabled, endpoint.disabled_reason) == (True, "")
    office.post(page(endpoint, "test"))
    assert Event.objects.get(type="webhook.test").status == "Pending"


def test_an_organisations_page_links_to_its_records(office):
    organisation, _ = make_participants()
    endpoint_of(organisation)
    page = office.get(reverse("admin:exchange_organisation_change", args=[organisation.pk]))
    links = {tool.label: tool.url for tool in page.context["tools"] if not tool.post}
    assert {
        *("Members", "API keys", "Events", "Webhook", "Accounts", "Withdrawals", "Loans"),
        *("Orders", "Issued tokens"),
    } <= set(links)
    for url in links.values():
        assert office.get(url).status_code == 200, url
