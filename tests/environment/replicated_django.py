"""Connects Django in this process to a primary and its replica."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connections

from config.local.embedded.layout import OWNER, database_settings, database_url
from config.settings import databases
from tests.environment.replication import Replication

ALIAS = "replica"


@contextlib.contextmanager
def django_connected_to(replication: Replication) -> Iterator[None]:
    """Connect Django to both servers inside the block, with the runtime role."""
    default: dict[str, Any] = connections["default"].settings_dict
    names = ("NAME", "USER", "PASSWORD", "HOST", "PORT")
    before = {name: default[name] for name in names}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_REPLICA_URL", database_url(replication.standby, OWNER))
        replica = databases.replica_database(default)
    assert replica is not None
    connections["default"].close()
    default.update(
        {k: v for k, v in database_settings(replication.primary, OWNER).items() if k in names}
    )
    connections.settings[ALIAS] = {**default, **replica}
    ContentType.objects.clear_cache()
    try:
        yield
    finally:
        disconnect_replica()
        del connections[ALIAS]
        del connections.settings[ALIAS]
        connections["default"].close()
        default.update(before)
        ContentType.objects.clear_cache()


def disconnect_replica() -> None:
    """Close this thread's connection to the replica, and the pool."""
    wrapper: Any = connections[ALIAS]
    wrapper.close()
    wrapper.close_pool()
