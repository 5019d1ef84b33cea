"""The catalogue: tokens, quotes, and access to private deals."""
