"""Checks of the payment provider: the only call is a read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import requests
from django.conf import settings

from config.doctor.capacity import clock_finding
from config.doctor.database import is_local
from config.doctor.findings import Diagnosis, describe_error, ok, problem, warning
from config.doctor.session import ALIAS, is_production, require_database, rows
from wallets.fees.definitions import PAYOUTS_ON_HOLD
from wallets.fees.selectors import effective_changes

_SECONDS = (3.0, 6.0)
_CORRECT = "Correct FLUTTERWAVE_BASE_URL, or let this machine reach it through the firewall"


def check_provider() -> Iterator[Diagnosis]:
    """Read the balances with the key, and compare the clock with the response's date."""
    provider = settings.PAYMENT_PROVIDER
    base_url, key = str(provider["base_url"]), str(provider["secret_key"])
    url = urlsplit(base_url)
    if url.scheme != "https" and not is_local(url.hostname or ""):
        yield problem(
            "encryption", f"the key crosses the network to {url.hostname} in plain text",
            "Use https:// in FLUTTERWAVE_BASE_URL",
        )  # fmt: skip
        return
    session = requests.Session()
    session.trust_env = False
    try:
        with session.get(
            f"{base_url}/balances",
            headers={"Authorization": f"Bearer {key}"},
            timeout=_SECONDS,
            allow_redirects=False,
            stream=True,  # the body is not read
        ) as response:
            code, date = response.status_code, response.headers.get("Date", "")
    except requests.RequestException as error:
        # Its text may have the address of a proxy or the request.
        reason = describe_error(type(error)())
        yield problem("provider", f"{url.hostname} cannot be reached ({reason})", _CORRECT)
        return
    yield from _response(code, url.hostname)
    yield from _clock(date)


def _response(code: int, host: str | None) -> Iterator[Diagnosis]:
    if code == requests.codes.ok:
        yield ok("provider", f"{host} accepts the key")
    elif code in {401, 403}:
        yield problem(
            "provider", f"{host} rejects the key ({code})", "Correct FLUTTERWAVE_SECRET_KEY"
        )
    elif code == requests.codes.too_many:
        yield warning("provider", f"{host} limits our requests (429)", "Run doctor again later")
    else:
        yield problem("provider", f"{host} responds with status {code}", _CORRECT)


def _clock(date: str) -> Iterator[Diagnosis]:
    try:
        there = parsedate_to_datetime(date)
    except ValueError:
        return
    if there.tzinfo is not None:
        # The header has whole seconds, and the response took a moment.
        seconds = (there - datetime.now(UTC)).total_seconds()
        yield clock_finding("clock and provider", seconds, precision=2.0)


def check_key() -> Iterator[Diagnosis]:
    """Report a key for tests in production, and whether webhooks can be verified."""
    provider = settings.PAYMENT_PROVIDER
    if is_production() and "_TEST" in str(provider["secret_key"]):
        yield warning(
            "key", "a test key: no real money moves", "Set FLUTTERWAVE_SECRET_KEY to the live key"
        )
    if provider["webhook_hash"]:
        yield ok("webhooks", "the secret is set")
    else:
        yield problem(
            "webhooks", "without a secret they are rejected", "Set FLUTTERWAVE_WEBHOOK_HASH"
        )


def check_payouts() -> Iterator[Diagnosis]:
    """Report payouts on hold: by people, or because the provider failed."""
    require_database()
    hold = effective_changes().using(ALIAS).filter(configuration_id=PAYOUTS_ON_HOLD).first()
    if hold is not None and hold.value:
        yield warning(
            "payouts",
            f"on hold until two people release them: {hold.reason}",
            "Finance releases them under Settings, once the reason is gone",
        )
        return
    found = rows("SELECT state, reason FROM wallets_payoutcircuit WHERE state <> 'Closed'")
    for state, reason in found:
        yield warning(
            "payouts",
            f"on hold, since the provider failed ({state}): {reason}",
            "Follow When the provider fails in docs/operations/respond.md",
        )
    if not found:
        yield ok("payouts", "not on hold")


CHECKS = (check_provider, check_key, check_payouts)
