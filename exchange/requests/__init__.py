"""The log of API requests: writes, refusals, and counts of successful reads."""
