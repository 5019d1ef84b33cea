"""Set, switch, rotate and test the endpoint of one organisation without changing another."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from exchange.core.errors import Conflict, InvalidRequest
from exchange.events.errors import EndpointNotFound
from exchange.events.models import Event, WebhookEndpoint
from exchange.events.services.endpoints import (
    rotate_secret,
    send_test,
    set_endpoint,
    switch_endpoint,
)
from exchange.participants.models import Organisation
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.events import make_organisation_with_endpoint

pytestmark = pytest.mark.django_db

URL, OTHER = "http://127.0.0.1:9/hook", "http://127.0.0.1:9/other"
UNSAFE = "ftp://127.0.0.1/hook"


@pytest.fixture
def owner() -> Organisation:
    return make_organisation_with_endpoint(URL)


@pytest.fixture
def bystander() -> Organisation:
    return make_organisation_with_endpoint(URL, "Bystander")


def endpoint_of(owner: Organisation) -> dict[str, Any]:
    (values,) = WebhookEndpoint.objects.filter(organisation=owner).values(
        "url", "enabled", "disabled_reason", "secret", "previous_secret", "previous_secret_until"
    )
    return dict(values)


def test_an_endpoint_is_created_once_and_then_changed(bystander):
    untouched = endpoint_of(bystander)
    owner = make_organisation()
    made = set_endpoint(organisation_id=owner.id, url=URL, actor=TESTER)
    assert made.secret
    assert made.secret == made.endpoint.secret
    assert (made.endpoint.url, made.endpoint.enabled) == (URL, True)
    changed = set_endpoint(organisation_id=owner.id, url=OTHER, actor=TESTER, enabled=False)
    assert changed.secret is None
    assert endpoint_of(owner) == {
        "url": OTHER, "enabled": False, "secret": made.secret,
        "disabled_reason": "Switched off by the organisation",
        "previous_secret": "", "previous_secret_until": None,
    }  # fmt: skip
    set_endpoint(organisation_id=owner.id, url=OTHER, actor=TESTER)
    assert (endpoint_of(owner)["enabled"], endpoint_of(owner)["disabled_reason"]) == (True, "")
    assert endpoint_of(bystander) == untouched


def test_scheme_and_host_are_the_same_in_any_case(owner):
    shouted = "HTTP://LOCALHOST:9/Path?Q=A"
    set_endpoint(organisation_id=owner.id, url=shouted, actor=TESTER)
    assert endpoint_of(owner)["url"] == "http://localhost:9/Path?Q=A"


def test_a_forbidden_address_is_neither_set_nor_enabled(owner):
    switch_endpoint(organisation_id=owner.id, enabled=False, actor=TESTER)
    WebhookEndpoint.objects.update(url=UNSAFE)
    with assert_no_table_changes():
        for act in (
            lambda: set_endpoint(organisation_id=owner.id, url=UNSAFE, actor=TESTER),
            lambda: switch_endpoint(organisation_id=owner.id, enabled=True, actor=TESTER),
        ):
            with pytest.raises(InvalidRequest, match=r"^url ") as refused:
                act()
            assert refused.value.code == "invalid_url"


def test_one_endpoint_is_disabled_and_enabled(owner, bystander):
    untouched = endpoint_of(bystander)
    before = WebhookEndpoint.objects.get(organisation=owner)
    with pytest.raises(Conflict, match="The webhook endpoint is already enabled"):
        switch_endpoint(organisation_id=owner.id, enabled=True, actor=TESTER)
    off = switch_endpoint(organisation_id=owner.id, enabled=False, actor=TESTER)
    assert (off.enabled, off.disabled_reason) == (False, "Switched off by the exchange")
    assert off.updated_at > before.updated_at
    with pytest.raises(Conflict, match="The webhook endpoint is already disabled"):
        switch_endpoint(organisation_id=owner.id, enabled=False, actor=TESTER)
    on = switch_endpoint(organisation_id=owner.id, enabled=True, actor=TESTER)
    assert (on.enabled, on.disabled_reason, on.secret) == (True, "", before.secret)
    assert endpoint_of(bystander) == untouched


def test_an_address_changed_during_its_resolution_is_not_enabled(owner):
    switch_endpoint(organisation_id=owner.id, enabled=False, actor=TESTER)

    changes = iter([{"url": OTHER}])

    def change_first(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("UPDATE"):
            for change in changes:  # once, before the first
                WebhookEndpoint.objects.update(**change)
        return execute(sql, *rest)

    with (
        connection.execute_wrapper(change_first),
        pytest.raises(Conflict, match="is already enabled or has changed"),
    ):
        switch_endpoint(organisation_id=owner.id, enabled=True, actor=TESTER)
    assert (endpoint_of(owner)["url"], endpoint_of(owner)["enabled"]) == (OTHER, False)


def test_a_rotated_secret_signs_for_a_day_and_an_older_one_no_longer(owner, bystander):
    untouched, first = endpoint_of(bystander), endpoint_of(owner)["secret"]
    before = timezone.now()
    endpoint, second = rotate_secret(organisation_id=owner.id, actor=TESTER)
    assert endpoint.secret == second != first
    now = endpoint_of(owner)
    assert (now["secret"], now["previous_secret"]) == (second, first)
    late = now["previous_secret_until"] - before - timedelta(hours=24)
    assert timedelta() <= late < timedelta(seconds=10)
    _, third = rotate_secret(organisation_id=owner.id, actor=TESTER)
    assert (endpoint_of(owner)["secret"], endpoint_of(owner)["previous_secret"]) == (third, second)
    assert endpoint_of(bystander) == untouched


def test_a_test_event_goes_to_the_requesting_organisation(owner, bystander):
    event = send_test(organisation_id=owner.id, actor=TESTER)
    assert Event.objects.get() == event
    assert (event.organisation_id, event.type) == (owner.id, "webhook.test")
    assert event.subject_id == WebhookEndpoint.objects.get(organisation=owner).pk
    data = json.loads(event.body)["data"]
    assert data["message"] == "This is a test"
    assert set(data) == {"message", "requested_by"}
    switch_endpoint(organisation_id=owner.id, enabled=False, actor=TESTER)
    with pytest.raises(Conflict, match="The webhook endpoint is disabled") as refused:
        send_test(organisation_id=owner.id, actor=TESTER)
    assert refused.value.code == "webhook_disabled"
    assert Event.objects.count() == 1
    assert send_test(organisation_id=bystander.id, actor=TESTER).organisation_id == bystander.id


def test_without_an_endpoint_switching_rotation_and_tests_fail(bystander):
    organisation = make_organisation()
    with assert_no_table_changes():
        for act in (
            lambda: switch_endpoint(organisation_id=organisation.id, enabled=False, actor=TESTER),
            lambda: rotate_secret(organisation_id=organisation.id, actor=TESTER),
            lambda: send_test(organisation_id=organisation.id, actor=TESTER),
        ):
            with pytest.raises(EndpointNotFound):
                act()


@pytest.mark.django_db(transaction=True)
def test_rotation_opens_a_transaction(owner):
    _, secret = rotate_secret(organisation_id=owner.id, actor=TESTER)
    assert endpoint_of(owner)["secret"] == secret
