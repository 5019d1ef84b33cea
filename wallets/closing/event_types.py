"""Event types of closed members, and when each is emitted."""

EVENT_TYPES = {
    "member.closed": "A member was closed",
    "member.reopened": "A closed member was opened again",
}
