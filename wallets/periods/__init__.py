"""Closing a month: its figures, frozen by two people as one set of files."""
