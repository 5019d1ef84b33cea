"""Waiting for a webhook of the tour, and checking its signature."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from standardwebhooks import Webhook, WebhookVerificationError

from config.local.demo.tour.client import TourFailed, wait_for
from config.local.demo.tour.receiver import Delivery, Receiver

_WEBHOOK_SECONDS = 15.0


@dataclass
class Webhooks:
    """The webhooks that arrived at the receiver; `step` prints a completed step."""

    receiver: Receiver
    secret: str
    step: Callable[[str, str], None]

    def verify(self, event_type: str, is_ours: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for the event of this type, check its signature and that a tampered body fails."""

        def received() -> tuple[Delivery, dict[str, Any]] | None:
            for delivery in list(self.receiver.deliveries):
                event = msgspec.json.decode(delivery.body)
                if event["type"] == event_type and is_ours(event):
                    return delivery, event
            return None

        delivery, event = wait_for(f"the webhook {event_type}", _WEBHOOK_SECONDS, received)
        verifier = Webhook(self.secret)
        try:
            verifier.verify(delivery.body, dict(delivery.headers))
        except WebhookVerificationError as error:
            raise TourFailed(f"The webhook's signature is wrong: {error}") from error
        tampered = delivery.body.replace("Completed", "Cancelled")
        try:
            verifier.verify(tampered, dict(delivery.headers))
        except WebhookVerificationError:
            self.step(
                "Webhook received",
                f"{event_type} {event['id']}, signature valid, forgery rejected",
            )
            return event
        raise TourFailed("A tampered webhook has a valid signature")
