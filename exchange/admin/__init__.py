"""The admin of participants, access, events and tokens. Pages call services; see `base`.

The pages of a token are registered by `orders`, which adds to them (`exchange.admin.tokens`).
"""

from exchange.admin import (
    access,
    access_proposals,
    audit,
    events,
    exports,
    participants,
    quotes,
    staff,
)

__all__ = [
    "access",
    "access_proposals",
    "audit",
    "events",
    "exports",
    "participants",
    "quotes",
    "staff",
]
