"""The controls of the sandbox; a real payment provider has none."""

from typing import Any

import requests
from django.conf import settings

_TIMEOUT_SECONDS = 10


def is_sandbox() -> bool:
    """Return whether the payment provider is the sandbox."""
    return requests.get(_url("accounts"), timeout=_TIMEOUT_SECONDS).ok


def send_control(name: str, order: dict[str, Any]) -> dict[str, Any]:
    """Send an order to a control, and return its answer."""
    response = post_control(name, order)
    response.raise_for_status()
    made: dict[str, Any] = response.json()
    return made


def post_control(name: str, order: dict[str, Any]) -> requests.Response:
    """Send an order to a control, and return its response."""
    return requests.post(_url(name), json=order, timeout=_TIMEOUT_SECONDS)


def read_control(name: str) -> dict[str, Any]:
    """Return what a control shows."""
    shown: dict[str, Any] = requests.get(_url(name), timeout=_TIMEOUT_SECONDS).json()
    return shown


def _url(name: str) -> str:
    return f"{settings.PAYMENT_PROVIDER['base_url'].removesuffix('/v3')}/sandbox/{name}"
