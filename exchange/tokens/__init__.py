"""The catalogue: tokens, quotes, and who sees private deals."""
