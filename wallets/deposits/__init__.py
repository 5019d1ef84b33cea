"""Money that came in."""
