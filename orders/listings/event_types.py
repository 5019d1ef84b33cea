"""Event types of listed tokens, and when each is emitted."""

EVENT_TYPES = {
    "token.terms_changed": "The terms of a token changed that you or your members hold",
}
