"""Checks of broker, workers, beat and cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import urlsplit

import redis
from amqp.exceptions import AMQPError, NotFound, PreconditionFailed
from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from kombu import Connection, Queue
from kombu.exceptions import ChannelError

from config.celery import app
from config.doctor.database import is_local
from config.doctor.findings import Diagnosis, describe_error, ok, problem, warning
from config.doctor.session import require_database, rows

_SECONDS = 3
_WORKER_SECONDS = 2.0
_LONG_QUEUE = 10_000
_BEAT_SECONDS = 60
# Published every few seconds.
_FREQUENT_TASK = "exchange.tasks.deliver_events"


def check_broker() -> Iterator[Diagnosis]:
    """Connect to the broker, and report the queue of tasks and the workers."""
    url = urlsplit(settings.CELERY_BROKER_URL)
    with _broker_connection() as connection:
        try:
            connection.connect()
            connection.default_channel  # noqa: B018 - opens it, with which a login is complete
        except (OSError, AMQPError, ChannelError, redis.RedisError) as error:
            yield problem(
                "broker",
                describe_error(error),
                "Start it, or correct CELERY_BROKER_URL; meanwhile tasks wait for their sweep",
            )
            return
        if url.scheme == "files":
            yield ok("broker", "files of this machine")
        else:
            yield ok("broker", f"{url.scheme} at {url.hostname}")
            yield from _plain_text("broker", url.scheme in {"amqps", "rediss"}, url.hostname)
        if url.scheme.startswith("amqp"):
            yield from _rabbitmq_queue(connection)
        elif url.scheme.startswith("redis"):
            client = redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=_SECONDS)
            yield from _redis_memory("broker", client)
        yield from _workers(connection)


def _broker_connection() -> Connection:
    return Connection(
        settings.CELERY_BROKER_URL,
        connect_timeout=_SECONDS,
        transport_options={
            **app.conf.broker_transport_options,
            "socket_timeout": _SECONDS,
            "socket_connect_timeout": _SECONDS,
            "read_timeout": _SECONDS,
        },
    )


def _rabbitmq_queue(connection: Connection) -> Iterator[Diagnosis]:
    name = settings.CELERY_TASK_DEFAULT_QUEUE
    try:
        with connection.channel() as channel:
            waiting = Queue(name, channel=channel).queue_declare(passive=True)
    except NotFound:
        yield warning("queue", f"{name} does not exist", "Start a worker, which creates it")
        return
    # The reply of AMQP: name, messages, consumers.
    _, messages, workers = cast("tuple[str, int, int]", waiting)
    if messages > _LONG_QUEUE:
        yield warning("queue", f"{messages:,} messages wait in {name}", "Add workers")
    else:
        yield ok("queue", f"{name}: {messages} messages, {workers} consumers")
    try:
        with connection.channel() as channel:
            # Declaring an existing queue anew checks its type.
            arguments = {"x-queue-type": "quorum"}
            Queue(name, channel=channel, queue_arguments=arguments).queue_declare()
    except PreconditionFailed:
        yield problem(
            "queue",
            f"{name} is no quorum queue: messages are lost with the machine that holds it",
            "Stop the workers, delete the queue and start them: sweeps find the work again",
        )


def _redis_memory(check: str, client: redis.Redis) -> Iterator[Diagnosis]:
    memory: dict[str, Any] = client.info("memory")
    limit, policy = int(memory.get("maxmemory", 0)), str(memory.get("maxmemory_policy", ""))
    used = int(memory.get("used_memory", 0))
    if limit and policy != "noeviction":
        lost = "tasks" if check == "broker" else "counters of rate limits"
        report = problem if check == "broker" else warning
        yield report(
            check,
            f"maxmemory-policy {policy} drops {lost} when memory is full",
            "Set maxmemory-policy noeviction",
        )
    elif limit and used > 0.9 * limit:
        yield warning(check, f"{used / limit:.0%} of maxmemory used", "Raise maxmemory")
    else:
        yield ok(f"{check} memory", f"{used / 1024**2:.0f} MiB used, policy {policy}")


def _plain_text(check: str, encrypted: bool, host: str | None) -> Iterator[Diagnosis]:
    if not encrypted and not is_local(host or ""):
        yield warning(
            f"{check} encryption",
            f"the password crosses the network to {host} in plain text",
            "Use amqps:// or rediss://, or a network of its own",
        )


def _workers(connection: Connection) -> Iterator[Diagnosis]:
    replies = app.control.ping(timeout=_WORKER_SECONDS, connection=connection)
    if replies:
        names = ", ".join(sorted(name for reply in replies for name in reply)[:5])
        yield ok("workers", f"{len(replies)} respond: {names}")
    else:
        yield problem(
            "workers",
            f"none responds within {_WORKER_SECONDS:g} seconds: nothing is paid out or delivered",
            "Start one: celery -A config.celery worker --pool threads --concurrency 8",
        )


def check_beat() -> Iterator[Diagnosis]:
    """Report when a beat process last published a frequent task."""
    require_database()
    start = "Start one: celery -A config.celery beat"
    found = rows(
        "SELECT extract(epoch FROM statement_timestamp() - published_at)::float8"
        " FROM exchange_scheduledrun WHERE task = %s",
        [_FREQUENT_TASK],
    )
    if not found:
        yield problem("beat", "no task was ever published", start)
    elif found[0][0] > _BEAT_SECONDS:
        yield problem("beat", f"the last task was published {_age(found[0][0])} ago", start)
    else:
        yield ok("beat", f"published a task {found[0][0]:.0f} seconds ago")


def _age(seconds: float) -> str:
    return f"{seconds / 3600:.0f} hours" if seconds > 7200 else f"{seconds / 60:.0f} minutes"


def check_cache() -> Iterator[Diagnosis]:
    """Use the cache, and report whether it may drop counters."""
    store = caches["default"]
    if not isinstance(store, RedisCache):
        shared = "counters in PostgreSQL" if settings.RATE_LIMITS_ENABLED else "not used"
        yield ok("cache", f"no Redis: {shared}")
        return
    location = str(settings.CACHES["default"]["LOCATION"])
    client = redis.Redis.from_url(
        location, socket_timeout=_SECONDS, socket_connect_timeout=_SECONDS
    )
    try:
        client.ping()
    except (redis.RedisError, OSError) as error:
        yield problem(
            "cache",
            describe_error(error),
            "Start Redis, or correct CACHE_URL; see When the cache fails in operations/respond.md",
        )
        return
    host = urlsplit(location).hostname
    yield ok("cache", f"redis at {host}")
    yield from _plain_text("cache", location.startswith("rediss"), host)
    yield from _redis_memory("cache", client)


BROKER_CHECKS = (check_broker, check_beat)
CACHE_CHECKS = (check_cache,)
