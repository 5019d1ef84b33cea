"""Orders, matching and trades."""
