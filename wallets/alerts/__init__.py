"""Alerts for staff: open until resolved."""
