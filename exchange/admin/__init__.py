"""The admin of participants, access and events. Pages call services; see `base`."""

from exchange.admin import access, events, participants, staff

__all__ = ["access", "events", "participants", "staff"]
