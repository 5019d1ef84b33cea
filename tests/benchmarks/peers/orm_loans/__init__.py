"""Loans in plain Python over the ORM: lock, check, create and save each row."""
