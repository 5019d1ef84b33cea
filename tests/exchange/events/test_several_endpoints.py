"""Several webhook endpoints of an organisation: who receives what, and what one's failure does."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import UUID

import pytest
from django.db import OperationalError, connection, connections
from django.utils import timezone
from standardwebhooks import Webhook

from exchange.core.errors import DomainError
from exchange.events.errors import EndpointNotFound, TooManyEndpoints
from exchange.events.models import DeliveryAttempt, Event, EventDelivery, WebhookEndpoint
from exchange.events.services.claims import PER_ENDPOINT, PER_ORGANISATION, Claim, claim_due
from exchange.events.services.deliveries import (
    DeliveryResult,
    SentPost,
    deliver_due,
    record_attempt,
    send_event,
)
from exchange.events.services.endpoints import (
    MAX_ENDPOINTS,
    delete_endpoint,
    rotate_secret,
    send_test,
    set_endpoint,
    update_endpoint,
)
from exchange.events.webhooks.posting import PostOutcome
from exchange.participants.models import Organisation
from tests.environment.database import session
from tests.environment.webhook_receiver import Receiver, Reply
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.events import URL, deliveries, emit_event, event_state, make_endpoint

pytestmark = pytest.mark.django_db(transaction=True)

FAILED = PostOutcome(status_code=500, milliseconds=1)
GONE = PostOutcome(status_code=410, milliseconds=1)
TAKEN = PostOutcome(status_code=200, milliseconds=1)
DAY = timedelta(days=1)


def record(claim: Claim, outcome: PostOutcome) -> DeliveryResult:
    return record_attempt(SentPost(claim, timezone.now(), outcome))


def claims_by_endpoint() -> dict[UUID, Claim]:
    return {claim.endpoint_id: claim for claim in claim_due(most=16)}


# --- Who receives what --------------------------------------------------------------------------


def test_an_event_goes_to_the_enabled_endpoints_that_want_it(owner):
    everything = make_endpoint(owner)
    payouts = make_endpoint(owner, "withdrawal.created", "withdrawal.completed")
    make_endpoint(owner, "loan.created")
    make_endpoint(owner, enabled=False)
    make_endpoint(make_organisation("Other"))
    created, traded = emit_event(owner), emit_event(owner, "trade.created")
    assert set(deliveries(created)) == {everything.id, payouts.id}
    assert set(deliveries(traded)) == {everything.id}


def test_an_event_that_no_endpoint_wants_is_unsent_and_in_the_feed(owner):
    make_endpoint(owner, "loan.created")
    event = emit_event(owner)
    assert (event_state(event), deliveries(event)) == (("Unsent", 0), {})
    assert deliver_due().posted == 0
    assert hasattr(event, "number")


def test_each_endpoint_gets_the_same_body_under_its_own_secret(owner):
    with Receiver() as one, Receiver() as two:
        first, second = make_endpoint(owner, url=one.url), make_endpoint(owner, url=two.url)
        old = second.secret
        _, new = rotate_secret(organisation_id=owner.id, actor=TESTER, endpoint_id=second.id)
        event = emit_event(owner)
        assert deliver_due().posted == 2
        [received], [also] = one.received, two.received
        assert received.body == also.body == event.body.encode()
        assert received.headers["webhook-id"] == also.headers["webhook-id"] == str(event.id)
        Webhook(first.secret).verify(received.body, received.headers)
        assert received.headers["webhook-signature"].count("v1,") == 1
        for secret in (old, new):
            Webhook(secret).verify(also.body, also.headers)
        WebhookEndpoint.objects.update(previous_secret_until=timezone.now())
        emit_event(owner)
        deliver_due()
        assert two.received[1].headers["webhook-signature"].count("v1,") == 1
        Webhook(new).verify(two.received[1].body, two.received[1].headers)


def test_a_test_event_goes_to_its_endpoint_only(owner):
    make_endpoint(owner)
    picky = make_endpoint(owner, "loan.created")
    event = send_test(organisation_id=owner.id, actor=TESTER, endpoint_id=picky.id)
    assert deliveries(event) == {picky.id: ("Pending", 0)}


# --- The status of an event ---------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_status_of_an_event_is_that_of_its_oldest_endpoint(owner, order):
    endpoints = [make_endpoint(owner), make_endpoint(owner)]
    event = emit_event(owner)
    claims, outcomes = claims_by_endpoint(), (FAILED, TAKEN)
    for place in order:
        record(claims[endpoints[place].id], outcomes[place])
    assert event_state(event) == ("Pending", 1)
    assert event.delivered_at is None
    assert deliveries(event) == {
        endpoints[0].id: ("Pending", 1),
        endpoints[1].id: ("Delivered", 1),
    }


def test_without_its_oldest_endpoint_the_next_one_decides(owner):
    oldest, next_one = make_endpoint(owner), make_endpoint(owner)
    event = emit_event(owner)
    record(claims_by_endpoint()[next_one.id], TAKEN)
    event.deliveries.filter(endpoint=oldest.id).update(leased_until=None)
    assert event_state(event) == ("Pending", 0)
    delete_endpoint(organisation_id=owner.id, endpoint_id=oldest.id, actor=TESTER)
    assert event_state(event) == ("Delivered", 1)
    assert deliveries(event)[oldest.id] == ("Unsent", 0)


def test_outcomes_recorded_at_once_leave_the_status_of_the_oldest(owner):
    """One writer must see what the other wrote, or the event keeps a status that no row has."""
    oldest, next_one = make_endpoint(owner), make_endpoint(owner)
    events = [emit_event(owner) for _ in range(4)]
    claims = claim_due(most=16)
    assert len(claims) == 8
    start = Barrier(8)

    def act(claim: Claim) -> None:
        try:
            start.wait(30)
            record(claim, GONE if claim.endpoint_id == oldest.id else TAKEN)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(act, claims))
    assert {deliveries(event)[next_one.id][0] for event in events} == {"Delivered"}
    assert {event_state(event)[0] for event in events} == {"Delivered"}


# --- One endpoint does not disturb another ------------------------------------------------------


def test_a_failing_endpoint_is_retried_alone(owner):
    with Receiver() as good, Receiver() as bad:
        bad.reply = Reply(500)
        failing, working = make_endpoint(owner, url=bad.url), make_endpoint(owner, url=good.url)
        event = emit_event(owner)
        deliver_due()
        event.deliveries.filter(status="Pending").update(next_attempt_at=timezone.now())
        deliver_due()
        assert (len(bad.received), len(good.received)) == (2, 1)
    assert deliveries(event) == {failing.id: ("Pending", 2), working.id: ("Delivered", 1)}
    numbers = DeliveryAttempt.objects.values_list("endpoint_id", "number", "status_code")
    assert sorted(numbers, key=lambda row: (row[0], row[1])) == [
        (failing.id, 1, 500), (failing.id, 2, 500), (working.id, 1, 200),
    ]  # fmt: skip


def test_a_worker_that_dies_between_two_endpoints_repeats_one_and_misses_none(owner):
    with Receiver() as one, Receiver() as two:
        first, second = make_endpoint(owner, url=one.url), make_endpoint(owner, url=two.url)
        event = emit_event(owner)
        claims = claims_by_endpoint()
        record_attempt(send_event(claims[first.id]))
        send_event(claims[second.id])  # the worker dies before it records this
        assert deliver_due().posted == 0
        past = timezone.now() - timedelta(seconds=1)
        event.deliveries.filter(endpoint=second.id).update(leased_until=past, next_attempt_at=past)
        assert deliver_due().posted == 1
        assert (len(one.received), len(two.received)) == (1, 2)
    assert set(deliveries(event).values()) == {("Delivered", 1)}


def test_an_endpoint_and_an_organisation_have_a_share_of_the_posts(owner):
    slow, *others = [make_endpoint(owner) for _ in range(4)]
    other = make_endpoint(make_organisation("Other"))
    events = [emit_event(owner) for _ in range(6)]
    past = timezone.now() - timedelta(hours=1)
    EventDelivery.objects.filter(endpoint=slow.id).update(next_attempt_at=past)
    late = emit_event(Organisation.objects.get(id=other.organisation_id))
    claims = claim_due(most=16)
    own = [claim.endpoint_id for claim in claims if claim.organisation_id == owner.id]
    assert (len(own), own.count(slow.id)) == (PER_ORGANISATION, PER_ENDPOINT)
    assert [claim.event_id for claim in claims if claim.endpoint_id == other.id] == [late.id]
    assert claim_due(most=16) == []
    for claim in claims:
        if claim.endpoint_id == slow.id:
            record(claim, FAILED)
    again = [claim.endpoint_id for claim in claim_due(most=16)]
    assert (len(again), again.count(slow.id)) == (4, 2)
    assert set(again) <= {slow.id, *(each.id for each in others)}
    assert len(events) == 6


def test_a_deleted_endpoint_gets_nothing_and_blocks_no_other(owner):
    with Receiver() as receiver:
        gone = make_endpoint(owner)
        kept = make_endpoint(owner, url=receiver.url)
        events = [emit_event(owner) for _ in range(6)]
        claim = claims_by_endpoint()[gone.id]
        # Its worker is still posting while the endpoint is deleted.
        delete_endpoint(organisation_id=owner.id, endpoint_id=gone.id, actor=TESTER)
        assert record(claim, TAKEN) == DeliveryResult.DELIVERED
        EventDelivery.objects.filter(status="Pending").update(
            leased_until=None, next_attempt_at=timezone.now()
        )
        assert deliver_due().posted == 6
        assert len(receiver.received) == 6
    assert {deliveries(event)[kept.id] for event in events} == {("Delivered", 1)}
    left = [deliveries(event)[gone.id] for event in events]
    assert sorted(left) == [("Delivered", 1), *[("Unsent", 0)] * 5]
    with pytest.raises(EndpointNotFound):
        delete_endpoint(organisation_id=owner.id, endpoint_id=gone.id, actor=TESTER)


# --- Limits and the former calls ----------------------------------------------------------------


def test_two_at_once_make_the_tenth_endpoint_and_no_eleventh(owner):
    for _ in range(MAX_ENDPOINTS - 1):
        make_endpoint(owner)
    start = Barrier(2)

    def act(_: int) -> str:
        try:
            start.wait(30)
            make_endpoint(owner)
        except DomainError as refused:
            return refused.code
        finally:
            connections.close_all()
        return "created"

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(act, range(2))) == ["created", "too_many_endpoints"]
    assert owner.webhook_endpoints.count() == MAX_ENDPOINTS
    with pytest.raises(TooManyEndpoints):
        make_endpoint(owner)


@pytest.mark.parametrize(
    "create",
    [make_endpoint, lambda owner: set_endpoint(organisation_id=owner.id, url=URL, actor=TESTER)],
)
def test_a_creation_waits_for_another_one_of_the_organisation(owner, create):
    other = make_organisation("Other")
    with session("runtime") as first, connection.cursor() as cursor:
        first.execute(
            "SELECT FROM exchange_organisation WHERE id = %s FOR NO KEY UPDATE", [owner.pk]
        )
        cursor.execute("SET lock_timeout = '100ms'")
        with pytest.raises(OperationalError):
            create(owner)
        create(other)
    assert not owner.webhook_endpoints.exists()
    create(owner)


def test_two_first_calls_at_once_make_one_endpoint(owner):
    start = Barrier(2)

    def act(_: int) -> bool:
        try:
            start.wait(30)
            made = set_endpoint(organisation_id=owner.id, url=URL, actor=TESTER)
            return made.secret is not None
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(act, range(2))) == [False, True]
    assert owner.webhook_endpoints.count() == 1


def test_the_former_calls_act_on_the_oldest_endpoint_that_exists(owner):
    first, second = make_endpoint(owner, "loan.created"), make_endpoint(owner)
    changed = set_endpoint(organisation_id=owner.id, url=f"{URL}/new", actor=TESTER)
    assert (changed.endpoint.id, changed.endpoint.events) == (first.id, ["loan.created"])
    delete_endpoint(organisation_id=owner.id, endpoint_id=first.id, actor=TESTER)
    endpoint, _ = rotate_secret(organisation_id=owner.id, actor=TESTER)
    assert endpoint.id == second.id
    event = send_test(organisation_id=owner.id, actor=TESTER)
    assert set(deliveries(event)) == {second.id}


# --- Automatic disabling ------------------------------------------------------------------------


def failing(endpoint: WebhookEndpoint, since: timedelta, attempts: int) -> None:
    WebhookEndpoint.objects.filter(id=endpoint.id).update(
        failing_since=timezone.now() - since, failed_attempts=attempts
    )


@pytest.mark.parametrize(
    ("since", "attempts", "outcome", "enabled"),
    [
        (5 * DAY, 4, FAILED, False),
        (5 * DAY - timedelta(minutes=1), 4, FAILED, True),
        (5 * DAY, 3, FAILED, True),
        (9 * DAY, 40, TAKEN, True),
    ],
)
def test_an_endpoint_that_failed_for_five_days_is_disabled(
    owner, since, attempts, outcome, enabled
):
    endpoint, other = make_endpoint(owner), make_endpoint(owner, "endpoint.disabled")
    first, second = emit_event(owner), emit_event(owner)
    failing(endpoint, since, attempts)
    (claim, _) = claim_due(most=2)
    second.deliveries.update(leased_until=None)
    result = record(claim, outcome)
    endpoint.refresh_from_db()
    assert endpoint.enabled is enabled
    announced = Event.objects.filter(type="endpoint.disabled")
    if enabled:
        assert not announced.exists()
        assert (endpoint.failed_attempts, endpoint.failing_since is None) == (
            (0, True) if outcome is TAKEN else (attempts + 1, False)
        )
        return
    assert result == DeliveryResult.UNSENT
    assert endpoint.disabled_reason == "No event was delivered for five days"
    assert endpoint.failed_attempts == attempts + 1
    assert {event_state(event)[0] for event in (first, second)} == {"Unsent"}
    (event,) = announced
    assert deliveries(event) == {other.id: ("Pending", 0)}
    data = json.loads(event.body)["data"]["endpoint"]
    assert (data["_id"], data["enabled"]) == (str(endpoint.id), False)
    assert endpoint.secret not in event.body
    # The client enables it: its failures are over.
    on = update_endpoint(
        organisation_id=owner.id, endpoint_id=endpoint.id, actor=TESTER, url=endpoint.url
    )
    assert (on.enabled, on.disabled_reason, on.failing_since, on.failed_attempts) == (
        True, "", None, 0,
    )  # fmt: skip


def test_failures_of_a_former_address_do_not_count(owner):
    endpoint = make_endpoint(owner)
    emit_event(owner)
    (claim,) = claim_due(most=1)
    failing(endpoint, 9 * DAY, 40)
    update_endpoint(
        organisation_id=owner.id, endpoint_id=endpoint.id, actor=TESTER, url=f"{URL}/new"
    )
    record(claim, FAILED)
    endpoint.refresh_from_db()
    assert (endpoint.enabled, endpoint.failing_since, endpoint.failed_attempts) == (True, None, 0)


def test_the_last_endpoint_is_disabled_and_the_event_is_in_the_feed(owner):
    endpoint = make_endpoint(owner)
    emit_event(owner)
    record(claims_by_endpoint()[endpoint.id], GONE)
    event = Event.objects.get(type="endpoint.disabled")
    assert (event.subject_id, event.status, deliveries(event)) == (endpoint.id, "Unsent", {})
