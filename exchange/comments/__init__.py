"""Comments of staff on records: internal, append-only."""
