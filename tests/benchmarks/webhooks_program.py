"""Emit and deliver events, and print what each round took as JSON.

`python -m tests.benchmarks.webhooks_program POSTS ROUNDS`, under the benchmark's settings. The
receiver is a thread of this program, so it shares the processor with the deliveries.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

import django

django.setup()

from exchange.core.actors import Actor  # noqa: E402 - Django must be set up before its models
from exchange.core.ids import uuid7  # noqa: E402
from exchange.events.models import EventDelivery  # noqa: E402
from exchange.events.services.deliveries import deliver_due  # noqa: E402
from exchange.events.services.endpoints import create_endpoint  # noqa: E402
from exchange.events.services.outbox import emit  # noqa: E402
from exchange.participants.models import Organisation  # noqa: E402
from tests.environment.webhook_receiver import Receiver  # noqa: E402

# Endpoints of the organisation, by contender.
ENDPOINTS = {"1 endpoint": 1, "10 endpoints": 10}
_DATA = json.dumps({"withdrawal": {"amount": 1000, "note": "x" * 600}})


def make_organisation(name: str, endpoints: int, url: str) -> Organisation:
    """Make an organisation with endpoints that want all events."""
    organisation = Organisation.objects.create(name=name)
    for _ in range(endpoints):
        create_endpoint(organisation_id=organisation.pk, actor=Actor.system("benchmark"), url=url)
    return organisation


def measure(organisation: Organisation, events: int) -> tuple[float, float]:
    """Emit events, each in a transaction, and deliver them; return the seconds of both."""
    started = perf_counter()
    for _ in range(events):
        emit(
            organisation_id=organisation.pk,
            event_type="withdrawal.created",
            subject_id=uuid7(),
            data=_DATA,
        )
    emitted = perf_counter()
    while deliver_due().more:
        pass
    delivered = perf_counter()
    left = EventDelivery.objects.exclude(status="Delivered").count()
    if left:
        raise RuntimeError(f"{left} deliveries are left")
    return emitted - started, delivered - emitted


def main(posts: int, rounds: int) -> None:
    figures: dict[str, dict[str, list[float]]] = {
        kind: {name: [] for name in ENDPOINTS} for kind in ("events emitted", "webhooks delivered")
    }
    with Receiver() as receiver:
        owners = {
            name: make_organisation(name, count, receiver.url) for name, count in ENDPOINTS.items()
        }
        for number in range(rounds + 1):
            for name, count in ENDPOINTS.items():
                events = posts // count
                emitting, delivering = measure(owners[name], events)
                if number:  # the first round warms up
                    figures["events emitted"][name].append(events / emitting)
                    figures["webhooks delivered"][name].append(events * count / delivering)
    print(json.dumps(figures))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
