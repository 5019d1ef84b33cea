"""Back-office pages of webhook endpoints and deliveries: content, filters, permissions, audit."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER, SUPPORT
from exchange.core.models import Change
from exchange.events.models import Event, WebhookEndpoint
from exchange.events.services.endpoints import create_endpoint
from exchange.participants.models import Organisation
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import TESTER, make_caller
from tests.factories.back_office import (
    make_participants,
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.events import emit_event, exhaust_attempts
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet, make_member_wallet

pytestmark = pytest.mark.django_db

LIST = "admin:exchange_webhookendpoint_changelist"


def make_endpoint(
    owner: Organisation, path: str, *types: str, enabled: bool = True
) -> WebhookEndpoint:
    return create_endpoint(
        organisation_id=owner.id,
        actor=TESTER,
        url=f"http://127.0.0.1:9/{path}",
        events=types or ["*"],
        enabled=enabled,
    ).endpoint


@pytest.fixture
def owner() -> Organisation:
    return make_participants()[0]


def listed(client: Client, **query: str) -> list[list[str]]:
    """Return the texts of the rows of the list of endpoints."""
    html = client.get(reverse(LIST), query).content.decode().partition('id="result_list"')[2]
    return [
        [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in re.findall(
            r"<t[hd] [^>]*>(.*?)</t[hd]>", row, re.S
        )]
        for row in re.findall(r"<tr>(.*?)</tr>", html, re.S)[1:]
    ]  # fmt: skip


def addresses(client: Client, **query: str) -> set[str]:
    return {row[1].rpartition("/")[2] for row in listed(client, **query)}


def deliveries_of(client: Client, event: Event) -> list[tuple[str, ...]]:
    """Return the deliveries that the page of an event shows: endpoint, status, attempts."""
    shown = client.get(page(event))
    [section] = [each for each in shown.context["sections"] if each.title == "Deliveries"]
    return [
        tuple(re.sub(r"<[^>]+>", "", str(cell)).strip() for cell in row[:3]) for row in section.rows
    ]


def test_the_list_shows_what_each_endpoint_wants_and_whether_it_fails(office, owner):
    make_endpoint(owner, "all")
    make_endpoint(owner, "payouts", "withdrawal.completed", "withdrawal.failed")
    off = make_endpoint(owner, "off", enabled=False)
    WebhookEndpoint.objects.filter(pk=off.pk).update(
        disabled_reason="No event was delivered for five days"
    )
    rows = {row[1].rpartition("/")[2]: row for row in listed(office)}
    assert {name: (row[0], row[2], row[3], row[4]) for name, row in rows.items()} == {
        "all": (str(owner), "All", "Enabled", "-"),
        "payouts": (str(owner), "withdrawal.completed, withdrawal.failed", "Enabled", "-"),
        "off": (str(owner), "All", "Disabled", "No event was delivered for five days"),
    }


def test_the_list_is_filtered_by_state_and_organisation_and_searched_by_address(office, owner):
    other = Organisation.objects.create(name="Baobab Ltd")
    make_endpoint(owner, "all")
    make_endpoint(owner, "off", enabled=False)
    make_endpoint(other, "theirs")
    assert addresses(office) == {"all", "off", "theirs"}
    assert addresses(office, enabled__exact="1") == {"all", "theirs"}
    assert addresses(office, enabled__exact="0") == {"off"}
    assert addresses(office, organisation=str(owner.pk)) == {"all", "off"}
    assert addresses(office, organisation=str(owner.pk), enabled__exact="1") == {"all"}
    assert addresses(office, q="/theirs") == {"theirs"}
    assert addresses(office, q="Baobab") == {"theirs"}
    assert addresses(office, q=str(owner.pk)) == {"all", "off"}
    assert addresses(office, q="nothing") == set()


def test_an_event_shows_its_delivery_to_each_endpoint(office, owner):
    first, second = make_endpoint(owner, "first"), make_endpoint(owner, "second")
    make_endpoint(owner, "unwanted", "loan.created")
    event = emit_event(owner)
    event.deliveries.filter(endpoint=first).update(status="Delivered", attempts=1)
    event.deliveries.filter(endpoint=second).update(status="Exhausted", attempts=10)
    assert deliveries_of(office, event) == [
        (first.url, "Delivered", "1"),
        (second.url, "Exhausted", "10"),
    ]
    WebhookEndpoint.objects.filter(pk=second.pk).delete()
    assert deliveries_of(office, event)[1] == ("Deleted", "Exhausted", "10")


@pytest.mark.parametrize(
    ("role", "reads", "acts"),
    [
        (ADMINISTRATOR, True, True),
        (BACK_OFFICE, True, True),
        (AUDITOR, True, False),
        (FINANCE_APPROVER, True, False),
        (SUPPORT, False, False),
    ],
)
@pytest.mark.one_in(3)
def test_a_role_reads_and_changes_endpoints_as_far_as_it_may(owner, role, reads, acts):
    endpoint = make_endpoint(owner, "all")
    exhaust_attempts(emit_event(owner))
    client = signed_in_client(role)
    assert client.get(reverse(LIST)).status_code == (200 if reads else 403)
    opened = client.get(page(endpoint))
    assert opened.status_code == (200 if reads else 403)
    if reads:
        labels = {tool.label for tool in opened.context["tools"]}
        changing = {"Send a test event", "Resend undelivered", "Disable"}
        assert labels & changing == (changing if acts else set())
        assert "Undelivered webhooks 1" in text_of(opened)
    if not acts:
        with assert_no_table_changes():
            for name in ("test", "send_again", "disable", "enable"):
                assert client.post(page(endpoint, name)).status_code == 403, name


def test_the_event_of_a_transfer_leads_to_the_transfer_between_wallets(auditor):
    wallet = make_member_wallet(1000)
    moved = transfer(wallet, Wallet(wallet.organisation), 400)
    listed = auditor.get(reverse("admin:exchange_event_changelist"), {"type": "transfer.completed"})
    assert f'href="{page(moved)}"' in listed.content.decode()
    assert auditor.get(page(moved)).status_code == 200


def test_a_reader_of_events_without_endpoints_gets_no_link_to_them(owner):
    endpoint = make_endpoint(owner, "all")
    event = emit_event(owner)
    for role, linked in ((SUPPORT, False), (AUDITOR, True)):
        html = signed_in_client(role).get(page(event)).content.decode()
        assert endpoint.url in html
        assert (f'href="{page(endpoint)}"' in html) is linked


# --- Every resend is in the audit log -----------------------------------------------------------


def resends(event: Event) -> list[dict[str, Any]]:
    """Return the rows of the audit log about resends of the event, the oldest first."""
    found = Change.objects.filter(record_id=str(event.pk)).order_by("id")
    names = ("table", "about_id", "operation", "actor", "before", "after")
    return list(found.values(*names))


def row(endpoint: WebhookEndpoint, actor: str, status: str, attempts: int) -> dict[str, Any]:
    return {
        "table": "exchange_eventdelivery",
        "about_id": str(endpoint.pk),
        "operation": "UPDATE",
        "actor": actor,
        "before": {"status": status, "attempts": attempts},
        "after": {"status": "Pending", "attempts": 0},
    }


def test_a_resend_of_staff_is_audited_for_each_endpoint(office, owner):
    first, second = make_endpoint(owner, "first"), make_endpoint(owner, "second")
    event = emit_event(owner)
    assert resends(event) == []
    event.deliveries.filter(endpoint=first).update(status="Delivered", attempts=1)
    event.deliveries.filter(endpoint=second).update(status="Exhausted", attempts=10)
    actor = f"staff:{user_of(office).pk}"
    again = reverse("admin:exchange_event_redeliver", args=[event.pk])
    # Only the second endpoint misses it; the status of the event is that of the first.
    assert messages_of(office.post(again))[-1] == "Event queued for delivery."
    assert resends(event) == [row(second, actor, "Exhausted", 10)]
    event.deliveries.filter(endpoint=second).update(status="Delivered", attempts=1)
    office.post(again)
    assert resends(event)[1:] == [
        row(first, actor, "Delivered", 1), row(second, actor, "Delivered", 1),
    ]  # fmt: skip
    # A repeat restarts the schedule of what is pending: an act as well.
    event.deliveries.filter(endpoint=first).update(status="Pending", attempts=3)
    event.deliveries.filter(endpoint=second).update(status="Delivered", attempts=1)
    office.post(again)
    assert resends(event)[3:] == [row(first, actor, "Pending", 3)]
    # The pages of both show it.
    auditor = signed_in_client(AUDITOR)
    for record in (second, event):
        history = text_of(auditor.get(page(record, "history")))
        assert f"{user_of(office)} Event delivery: status Exhausted Pending" in history


def test_a_bulk_resend_of_staff_is_audited_for_each_event(office, owner):
    endpoint = make_endpoint(owner, "all")
    events = [exhaust_attempts(emit_event(owner)) for _ in range(2)]
    delivered = emit_event(owner)
    delivered.deliveries.update(status="Delivered", attempts=1)
    submit_confirmation(office, page(endpoint, "send_again"))
    actor = f"staff:{user_of(office).pk}"
    assert [resends(event) for event in (*events, delivered)] == [
        *([row(endpoint, actor, "Exhausted", 10)] for _ in events), [],
    ]  # fmt: skip


def test_what_only_others_received_while_it_was_disabled_is_resent_from_a_day(office, owner):
    make_endpoint(owner, "first")
    second = make_endpoint(owner, "second", enabled=False)
    event = emit_event(owner)
    event.deliveries.update(status="Delivered", attempts=1)
    submit_confirmation(office, page(second, "enable"))
    address = page(second, "send_again")
    assert messages_of(submit_confirmation(office, address)) == ["There was nothing to resend."]
    day = f"{event.created_at:%Y-%m-%d}"
    done = messages_of(submit_confirmation(office, address, since=day))
    assert done == ["1 event queued for delivery."]
    assert event.deliveries.get(endpoint=second).status == "Pending"


def test_a_resend_of_a_client_to_another_endpoint_is_audited(owner):
    caller = make_caller(["webhooks:manage"], owner)
    first, other = make_endpoint(owner, "first"), make_endpoint(owner, "other", "loan.created")
    event = emit_event(owner)
    path = f"/v1/api/events/{event.pk}/redeliver"
    assert caller.post(path, {"endpoint_id": str(other.pk)}).status_code == 200
    actor = f"api_key:{caller.key.pk}"
    # The endpoint did not want it: there was no delivery before.
    assert resends(event) == [{**row(other, actor, "", 0), "operation": "INSERT", "before": None}]
    assert caller.post(path, {"endpoint_id": str(first.pk)}).status_code == 200
    assert resends(event)[1:] == [row(first, actor, "Pending", 0)]


def test_deliveries_and_their_outcomes_leave_the_audit_log_alone(owner):
    make_endpoint(owner, "all")
    event = emit_event(owner)
    event.deliveries.update(status="Exhausted", attempts=10, next_attempt_at=None)
    event.deliveries.update(status="Delivered", attempts=10)
    assert resends(event) == []


def test_a_resend_of_the_previous_release_is_audited_once(owner):
    """It changes the row of the event itself."""
    event = emit_event(owner)
    Event.objects.filter(pk=event.pk).update(status="Exhausted")
    Event.objects.filter(pk=event.pk).update(status="Pending")
    assert [(each["table"], each["after"]) for each in resends(event)] == [
        ("exchange_event", {"status": "Pending"})
    ]
