"""Messages after a redirect, in a cookie that only this host can set (production)."""

from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class HostCookieStorage(CookieStorage):
    """Django's storage under a name with the prefix `__Host-`."""

    cookie_name = "__Host-messages"


class HostMessages(FallbackStorage):
    """A cookie for what fits in, else the session."""

    storage_classes = (HostCookieStorage, SessionStorage)
