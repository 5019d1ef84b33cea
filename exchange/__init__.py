"""Participants, tokens, staff, and the API framework."""
