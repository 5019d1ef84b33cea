"""A client of the API: JSON over HTTP with a bearer token, amounts as decimals."""

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar

import msgspec
import requests

_JSON = msgspec.json.Encoder(decimal_format="number")
_TIMEOUT_SECONDS = 15.0
_POLL_SECONDS = 0.25

Found = TypeVar("Found")


class TourFailed(Exception):
    """A step of the tour failed; the message is one line."""


class Api:
    """One organisation's access to the API."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._session = requests.Session()

    def log_in(self, client_id: str, client_secret: str) -> dict[str, Any]:
        """Get an access token by client credentials and use it from then on."""
        response = self._send(
            "POST",
            "/v1/oauth/token",
            data={"grant_type": "client_credentials"},
            auth=(client_id, client_secret),
        )
        body = read_json(response)
        if response.status_code != requests.codes.ok:
            raise TourFailed(f"No access token: {response.status_code} {body.get('error', '')}")
        self._session.headers["Authorization"] = f"Bearer {body['access_token']}"
        return body

    def get(self, path: str, **query: str) -> Any:
        """Return the `data` of a successful GET."""
        return expect(self._send("GET", path, params=query), 200)["data"]

    def put(self, path: str, body: dict[str, Any]) -> Any:
        """Return the `data` of a successful PUT."""
        return expect(self._send("PUT", path, json=body), 200, 201)["data"]

    def try_get(self, path: str) -> requests.Response:
        """Return the response to a GET, of any status."""
        return self._send("GET", path)

    def post(self, path: str, body: dict[str, Any], **headers: str) -> requests.Response:
        """Return the response to a POST, of any status; `headers` have _ for -."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named["Content-Type"] = "application/json"
        return self._send("POST", path, data=_JSON.encode(body), headers=named)

    def _send(self, method: str, path: str, **options: Any) -> requests.Response:
        try:
            return self._session.request(
                method, self._base_url + path, timeout=_TIMEOUT_SECONDS, **options
            )
        except requests.RequestException as error:
            raise TourFailed(
                f"{method} {self._base_url}{path}: no response ({type(error).__name__});"
                " is the service running?"
            ) from error


def read_json(response: requests.Response) -> dict[str, Any]:
    """Return the response's JSON object, with numbers as decimals."""
    try:
        body = response.json(parse_float=Decimal, parse_int=Decimal)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise TourFailed(f"{_describe_request(response)} did not return a JSON object")
    return body


def expect(response: requests.Response, *statuses: int) -> dict[str, Any]:
    """Return the envelope of a response; raise TourFailed unless its status is in `statuses`."""
    body = read_json(response)
    if response.status_code not in statuses:
        raise TourFailed(
            f"{_describe_request(response)} returned {response.status_code}:"
            f" {body.get('message', '')}"
        )
    return body


def check(condition: bool, message: str) -> None:
    """Raise TourFailed with `message` unless `condition` is true."""
    if not condition:
        raise TourFailed(message[:1].upper() + message[1:])


def wait_for(what: str, seconds: float, poll: Callable[[], Found | None]) -> Found:
    """Call `poll` until its result is not None; raise TourFailed after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        result = poll()
        if result is not None:
            return result
        if time.monotonic() > deadline:
            raise TourFailed(f"Timed out after {seconds:g} seconds waiting for {what}")
        time.sleep(_POLL_SECONDS)


def _describe_request(response: requests.Response) -> str:
    return f"{response.request.method} {response.request.url}"
