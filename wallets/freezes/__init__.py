"""Freezes of owners: what keeps an owner's money from leaving."""
