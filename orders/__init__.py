"""Orders, matching, trades and primary raises."""
