"""Checks of broker, cache, mail server and payment provider, which is called with a read only."""

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import redis
import requests
from amqp.exceptions import AMQPError, NotFound, PreconditionFailed
from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from django.core.mail import get_connection
from kombu import Connection, Queue
from kombu.exceptions import ChannelError

from config.celery import app
from config.checks import is_local
from config.doctor.findings import Diagnosis, describe_error, ok, problem, warning
from config.doctor.machine import clock_finding

_SECONDS = 3
_PROVIDER_SECONDS = (3.0, 6.0)
_CORRECT = "Correct FLUTTERWAVE_BASE_URL, or let this machine reach it through the firewall"


def check_broker() -> Iterator[Diagnosis]:
    """Connect to the broker, and report whether it can lose tasks."""
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
        yield ok("broker", f"{url.scheme} at {url.hostname or 'this machine'}")
        if url.scheme.startswith("amqp"):
            yield from _queue(connection)
        elif url.scheme.startswith("redis"):
            client = redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=_SECONDS)
            if policy := _evicting_policy(client):
                yield problem("broker", f"{policy} drops tasks", "Set maxmemory-policy noeviction")


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


def _queue(connection: Connection) -> Iterator[Diagnosis]:
    name = settings.CELERY_TASK_DEFAULT_QUEUE
    try:
        with connection.channel() as channel:
            Queue(name, channel=channel).queue_declare(passive=True)
        with connection.channel() as channel:
            # Declaring an existing queue anew checks its type.
            arguments = {"x-queue-type": "quorum"}
            Queue(name, channel=channel, queue_arguments=arguments).queue_declare()
    except NotFound:
        yield warning("queue", f"{name} does not exist", "Start a worker, which creates it")
    except PreconditionFailed:
        yield problem(
            "queue",
            f"{name} is no quorum queue: messages are lost with the machine that holds it",
            "Stop the workers, delete the queue and start them: sweeps find the work again",
        )
    else:
        yield ok("queue", f"{name}: a quorum queue")


def _evicting_policy(client: redis.Redis) -> str:
    """Return the policy by which Redis drops keys when its memory is full, or ""."""
    memory: dict[str, object] = client.info("memory")
    policy = str(memory.get("maxmemory_policy", ""))
    if not memory.get("maxmemory") or policy == "noeviction":
        return ""
    return f"maxmemory-policy {policy}"


def check_cache() -> Iterator[Diagnosis]:
    """Connect to the cache, and report whether it can drop counters."""
    if not isinstance(caches["default"], RedisCache):
        return
    location = str(settings.CACHES["default"]["LOCATION"])
    client = redis.Redis.from_url(
        location, socket_timeout=_SECONDS, socket_connect_timeout=_SECONDS
    )
    try:
        policy = _evicting_policy(client)
    except (redis.RedisError, OSError) as error:
        yield problem(
            "cache",
            describe_error(error),
            "Start Redis, or correct CACHE_URL; see When the cache fails in operations/respond.md",
        )
        return
    if policy:
        seen = f"{policy} drops counters of rate limits"
        yield warning("cache", seen, "Set maxmemory-policy noeviction")
    else:
        yield ok("cache", f"redis at {urlsplit(location).hostname}, which drops no counters")


def check_mail() -> Iterator[Diagnosis]:
    """Sign in to the mail server, or report that there is none."""
    if not settings.EMAIL_HOST:
        yield warning(
            "e-mail", "EMAIL_HOST is not set: staff receive none",
            "Set EMAIL_HOST, EMAIL_FROM and BACK_OFFICE_URL, or let staff watch the dashboard",
        )  # fmt: skip
        return
    connection = get_connection(timeout=_SECONDS)
    try:
        connection.open()
    except (OSError, ValueError) as error:
        yield problem(
            "e-mail",
            describe_error(error),
            "Start it, or correct EMAIL_HOST and its login; e-mail waits for three days",
        )
        return
    connection.close()
    yield ok("e-mail", f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}")


def check_provider() -> Iterator[Diagnosis]:
    """Read the balances with the key, and compare the clock with the response's date."""
    provider = settings.PAYMENT_PROVIDER
    base_url, key = str(provider["base_url"]), str(provider["secret_key"])
    url = urlsplit(base_url)
    if url.scheme != "https" and not is_local(url.hostname or ""):
        yield warning(
            "provider", "not asked: the key would cross the network in plain text",
            "Use https:// in FLUTTERWAVE_BASE_URL",
        )  # fmt: skip
        return
    session = requests.Session()
    session.trust_env = False
    try:
        with session.get(
            f"{base_url}/balances",
            headers={"Authorization": f"Bearer {key}"},
            timeout=_PROVIDER_SECONDS,
            allow_redirects=False,
            stream=True,  # the body is not read
        ) as response:
            code, date = response.status_code, response.headers.get("Date", "")
    except requests.RequestException as error:
        # Its text may have the address of a proxy or the request.
        reason = type(error).__name__
        yield problem("provider", f"{url.hostname} cannot be reached ({reason})", _CORRECT)
        return
    yield _response(code, url.hostname)
    yield from _clock(date)


def _response(code: int, host: str | None) -> Diagnosis:
    if code == requests.codes.ok:
        return ok("provider", f"{host} accepts the key")
    if code in {401, 403}:
        return problem(
            "provider", f"{host} rejects the key ({code})", "Correct FLUTTERWAVE_SECRET_KEY"
        )
    return problem("provider", f"{host} responds with status {code}", _CORRECT)


def _clock(date: str) -> Iterator[Diagnosis]:
    try:
        there = parsedate_to_datetime(date)
    except ValueError:
        return
    if there.tzinfo is not None:
        # The header has whole seconds, and the response took a moment.
        seconds = (there - datetime.now(UTC)).total_seconds()
        yield clock_finding("provider clock", seconds, precision=2.0)
