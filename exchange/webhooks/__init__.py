"""Mechanism of webhooks to organisations: signing, which addresses may be called, one post.

Knows neither tables nor rules; `exchange.services.deliveries` decides what is posted when.
"""
