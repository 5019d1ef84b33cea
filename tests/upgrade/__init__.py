"""Upgrading the database of the last release to this version."""
