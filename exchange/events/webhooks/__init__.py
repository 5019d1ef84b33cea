"""Mechanism of webhooks to organisations: signing, which addresses may be called, one post.

Knows neither tables nor rules; `exchange.events.services.deliveries` decides what is posted when.
"""
