"""Audit trail: actor, change, time and source."""
