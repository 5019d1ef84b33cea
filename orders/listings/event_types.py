"""Event types of listed tokens, and when each is emitted."""

EVENT_TYPES = {
    "token.raise_completed": "The raise of a token that you issued or hold is complete",
    "token.cancelled": "A token that you issued was cancelled; an open raise of it is refunded",
    "token.halted": "Trading of a token that you issued or hold is halted",
    "token.resumed": "Trading of a token that you issued or hold goes on",
    "token.quote_changed": "The prices of a token that you issued or hold have changed",
    "token.terms_changed": "The terms of a token changed that you or your members hold",
}
