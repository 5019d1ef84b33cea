"""Webhook delivery: signatures, allowed addresses, and a single bounded post.

Uses no tables and no rules; `exchange.events.services.deliveries` decides what is posted when.
"""
