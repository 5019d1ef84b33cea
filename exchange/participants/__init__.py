"""Organisations, their members, and their API keys."""
