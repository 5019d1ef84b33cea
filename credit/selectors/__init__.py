"""Reads of credit."""
