"""Instructions to the provider's sandbox, over HTTP, and the wait for what they cause."""

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import requests

from config.local.demo.sandbox import post_control
from exchange.core.errors import ProviderFailed, StateConflict

_WAIT_SECONDS = 8.0
_PAUSE_SECONDS = 0.02


def instruct(control: str, **order: Any) -> dict[str, Any]:
    """Send an order to a control of the sandbox, and return its answer.

    Raises `StateConflict` for an order that its state does not allow, and `ProviderFailed`.
    """
    try:
        response = post_control(control, order)
        if response.status_code == HTTPStatus.BAD_REQUEST:
            raise StateConflict(f"The payment provider's sandbox: {response.json()['error']}")
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
    except requests.RequestException as error:
        raise ProviderFailed("The payment provider's sandbox did not respond") from error
    return answer


def wait_until(is_done: Callable[[], bool]) -> bool:
    """Try until it is done, as a worker may be doing the same; return False after some seconds."""
    ends = time.monotonic() + _WAIT_SECONDS
    while not (done := is_done()) and time.monotonic() < ends:
        time.sleep(_PAUSE_SECONDS)
    return done
