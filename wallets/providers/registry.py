"""The configured payment provider. Clients get their settings here."""

from functools import cache

from django.conf import settings

from wallets.providers.base import PaymentProvider
from wallets.providers.flutterwave import FlutterwaveClient


@cache
def payment_provider() -> PaymentProvider:
    """Return the configured provider, one per process, shared by its threads.

    `settings.PAYMENT_PROVIDER` holds the parameters of `FlutterwaveClient` by name. After changing
    settings in a test, call `payment_provider.cache_clear()`.
    """
    return FlutterwaveClient(**settings.PAYMENT_PROVIDER)
