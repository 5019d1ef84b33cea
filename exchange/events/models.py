"""The outbox: events for the webhooks of organisations, their deliveries, and every attempt.

An event is written in the transaction of the change it describes, with a delivery for each endpoint
that wants it. Workers deliver from these rows; a task only notifies them.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from exchange.core.fields import UNCHECKED, EncryptedTextField, choice_field
from exchange.core.models import Record
from exchange.participants.models import Organisation

# Stands for all event types, also those of later releases.
ALL_EVENTS = "*"


class WebhookEndpoint(Record):
    """An address that receives an organisation's events, and the secrets that sign them.

    Ids follow time: the oldest endpoint of an organisation has the smallest.
    """

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="webhook_endpoints", db_index=False
    )
    url = models.URLField(max_length=2000)
    events = ArrayField(
        models.CharField(max_length=60),
        db_default=[ALL_EVENTS],
        help_text="Event types that it wants; * for all",
    )
    description = models.CharField(max_length=200, blank=True, default="", db_default="")
    secret = EncryptedTextField(help_text="whsec_ and base64 of 24 to 64 random bytes")
    previous_secret = EncryptedTextField(blank=True, default="")
    previous_secret_until = models.DateTimeField(null=True, blank=True)
    enabled = models.BooleanField(default=True)
    disabled_reason = models.CharField(max_length=200, blank=True)
    # Since the last delivery, or since it was enabled or its address changed.
    failing_since = models.DateTimeField(null=True, blank=True)
    failed_attempts = models.IntegerField(default=0, db_default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["organisation", "id"], name="endpoint_listed")]

    def __str__(self) -> str:
        return self.url


class EventStatus(models.TextChoices):
    """Status of a delivery; that of an event is its oldest endpoint's (`sql/deliveries.sql`)."""

    PENDING = "Pending"
    DELIVERED = "Delivered"
    EXHAUSTED = "Exhausted"
    # No enabled endpoint wanted the event, or the endpoint was disabled; it can be resent.
    UNSENT = "Unsent"


# The retry schedule ended, or there was no endpoint: resent only on request.
UNDELIVERED = (EventStatus.EXHAUSTED, EventStatus.UNSENT)


class Event(Record):
    """An event of an organisation: the frozen body to deliver, and its delivery status."""

    # No foreign key in the database: it would lock the organisation's row for every event. Events
    # are written from rows that have one, and organisations are never deleted.
    organisation = models.ForeignKey(Organisation, related_name="events", **UNCHECKED)
    type = models.CharField(max_length=60)
    subject_id = models.UUIDField(help_text="ID of the record the event is about")
    body = models.TextField(help_text="The signed and posted text")
    # Status, attempts and time of delivery are copied from the deliveries.
    status = choice_field(EventStatus, max_length=10, db_default=EventStatus.PENDING)
    attempts = models.SmallIntegerField(db_default=0)
    created_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["organisation", "-created_at", "-id"], name="event_listed"),
            models.Index(fields=["subject_id"], name="event_subject"),
            # Finds undelivered events among millions of delivered ones.
            models.Index(
                fields=["status", "-id"],
                condition=models.Q(status__in=["Exhausted", "Unsent"]),
                name="event_undelivered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.id}"


class EventDelivery(models.Model):
    """The delivery of an event to an endpoint that wants it. Partitioned like the events.

    A deleted endpoint leaves its deliveries.
    """

    pk = models.CompositePrimaryKey("event_id", "endpoint_id")
    event = models.ForeignKey(Event, related_name="deliveries", **UNCHECKED)
    endpoint = models.ForeignKey(
        WebhookEndpoint,
        on_delete=models.DO_NOTHING,
        related_name="deliveries",
        db_index=False,
        db_constraint=False,
    )
    status = choice_field(EventStatus, max_length=10, db_default=EventStatus.PENDING)
    attempts = models.SmallIntegerField(db_default=0)
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    last_attempt_at = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            # Claims go by endpoint, so that none waits behind another's events.
            models.Index(
                fields=["endpoint", "next_attempt_at"],
                condition=models.Q(status="Pending"),
                name="delivery_due",
            ),
            models.Index(
                fields=["endpoint", "event"],
                condition=models.Q(status__in=["Exhausted", "Unsent"]),
                name="delivery_undelivered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} to {self.endpoint_id}"


class UnnumberedEvent(models.Model):
    """An event that the feed does not show yet. A trigger adds it, `number_events` removes it."""

    # Drawn under the lock of the event's record, from a sequence: a clock may step back.
    position = models.BigAutoField(primary_key=True)
    event = models.ForeignKey(Event, related_name="+", **UNCHECKED)
    organisation = models.ForeignKey(Organisation, related_name="+", **UNCHECKED)

    def __str__(self) -> str:
        return str(self.event_id)


class EventNumber(models.Model):
    """The number of a committed event: its place in the feed (decision 63).

    Partitioned like the events, whose months it goes with.
    """

    event = models.OneToOneField(
        Event,
        on_delete=models.PROTECT,
        related_name="number",
        primary_key=True,
        db_constraint=False,
    )
    organisation = models.ForeignKey(Organisation, related_name="+", **UNCHECKED)
    seq = models.BigIntegerField()
    # That of another numbering differs, such as one after a restore.
    numbered_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["organisation", "seq"], name="event_numbered")]

    def __str__(self) -> str:
        return str(self.seq)


class DeliveryAttempt(Record):
    """A delivery attempt: time, response (first 1 KiB) and duration."""

    # No foreign key in the database: it would bind the retention of attempts to that of events. An
    # attempt is written under the lock of its event, and the application deletes no event.
    event = models.ForeignKey(
        Event, on_delete=models.PROTECT, related_name="delivery_attempts", db_constraint=False
    )
    # None before endpoints could be several.
    endpoint = models.ForeignKey(
        WebhookEndpoint,
        on_delete=models.DO_NOTHING,
        related_name="+",
        null=True,
        db_index=False,
        db_constraint=False,
    )
    number = models.PositiveSmallIntegerField(help_text="Counted for each endpoint")
    url = models.URLField(max_length=2000)
    attempted_at = models.DateTimeField()
    milliseconds = models.PositiveIntegerField()
    status_code = models.PositiveSmallIntegerField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)
    answer = models.CharField(max_length=1024, blank=True)

    class Meta:
        ordering = ["event", "attempted_at", "id"]

    def __str__(self) -> str:
        return f"{self.event_id} attempt {self.number}"
