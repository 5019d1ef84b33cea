"""Helpers: people who propose and decide loan configurations, and their results."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from credit.configurations.models import ConfigurationVersion, LoanConfiguration, LoanLimit
from exchange.core.actors import Actor
from exchange.core.errors import DomainError
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from tests.factories.wallets import make_staff

PROPOSE, DECIDE = "propose_configuration", "decide_configuration"


def staff_actor(user: StaffUser) -> Actor:
    """Return the actor of a member of staff."""
    return Actor.staff(user.pk, str(user))


def make_officer() -> StaffUser:
    """Make a person who may propose and decide."""
    return make_staff(PROPOSE, DECIDE)


def states(configuration: LoanConfiguration) -> tuple[str, list[str]]:
    """Return the status of a configuration, and of its versions, the oldest first."""
    status = LoanConfiguration.objects.values_list("status", flat=True).get(id=configuration.id)
    versions = configuration.versions.order_by("number").values_list("status", flat=True)
    return status, list(versions)


def list_events(configuration: LoanConfiguration) -> list[tuple[str, UUID]]:
    """Return types and recipients of the events about a configuration."""
    found = Event.objects.filter(subject_id=configuration.id).order_by("created_at", "id")
    return list(found.values_list("type", "organisation_id"))


def expect_rejection(act: Callable[[], Any], kind: type[DomainError], code: str) -> str:
    """Assert that `act` is rejected and writes nothing; return the message."""
    before = snapshot()
    with pytest.raises(kind) as refused:
        act()
    assert refused.value.code == code
    assert snapshot() == before
    return refused.value.message


def snapshot() -> list[Any]:
    """Return all rows of configurations, and every event."""
    return [
        list(model.objects.order_by("pk").values())
        for model in (LoanConfiguration, ConfigurationVersion, LoanLimit, Event)
    ]
