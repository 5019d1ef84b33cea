"""Flutterwave v3: `client` makes the calls, `transport` the HTTP, `wire` reads and writes bodies.

Free of Django: everything configurable is a constructor parameter of `FlutterwaveClient`.
"""

from wallets.providers.flutterwave.client import FlutterwaveClient

__all__ = ["FlutterwaveClient"]
