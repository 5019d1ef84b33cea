"""Exports of back-office lists as files."""
