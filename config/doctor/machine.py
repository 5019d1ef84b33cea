"""Checks of this machine: its settings, collected files and addresses; and comparing clocks."""

import contextlib
import ipaddress
import socket
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import checks

from config.doctor.findings import Diagnosis, ok, problem, warning

_CLOCK_WARNING_SECONDS = 1.0
_CLOCK_PROBLEM_SECONDS = 10.0
# Addresses of documentation: the route to them is that to the internet. Nothing is sent.
_PROBES = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


def is_production() -> bool:
    """Return whether the settings are those of production."""
    return settings.SETTINGS_MODULE == "config.settings.production"


def check_settings() -> Iterator[Diagnosis]:
    """Report the deployment checks, and rights that the service should not have."""
    module = str(settings.SETTINGS_MODULE)
    if not is_production():
        yield ok("settings", f"{module}: a local installation, not for production")
        return
    messages = [
        message
        for message in checks.run_checks(include_deployment_checks=True)
        if message.level >= checks.WARNING and not message.is_silenced()
    ]
    if not messages:
        yield ok("settings", f"{module}; check --deploy passes")
    for message in messages:
        report = problem if message.level >= checks.ERROR else warning
        text = " ".join(str(message.msg).split())
        yield report("settings", f"{message.id}: {text}", message.hint or "See check --deploy")
    if "owner" in settings.DATABASES:
        yield warning(
            "owner",
            "DATABASE_OWNER_URL is set: this environment can change and delete every table",
            "Set it only where migrations run",
        )


def check_static_files() -> Iterator[Diagnosis]:
    """Report files of pages that were not collected."""
    storage: Any = staticfiles_storage
    if not hasattr(storage, "hashed_files"):
        return  # a local installation serves them from their sources
    application: Any = apps.get_app_config("staticfiles")
    needed = {
        name for finder in get_finders() for name, _ in finder.list(application.ignore_patterns)
    }
    collected = storage.hashed_files
    missing = [
        name for name in needed if name not in collected or not storage.exists(collected[name])
    ]
    if missing:
        yield problem(
            "static files",
            f"{len(missing)} of {len(needed)} are not collected: pages fail",
            "Run manage.py collectstatic --no-input in this version",
        )
    else:
        yield ok("static files", f"all {len(needed)} are collected")


def check_metrics_address() -> Iterator[Diagnosis]:
    """Report metrics on an address that the internet may reach."""
    if settings.METRICS_LISTEN is None:
        return
    # The settings refuse a public address itself.
    on_all = ipaddress.ip_address(settings.METRICS_LISTEN[0]).is_unspecified
    if on_all and (public := _public_addresses()):
        yield problem(
            "metrics",
            f"served on all addresses, with {', '.join(public)}, where anyone reads the float",
            "Give a private address of this machine in METRICS_LISTEN",
        )


def _public_addresses() -> list[str]:
    """Return the public addresses from which this machine reaches the internet."""
    found = []
    for family, probe in _PROBES.items():
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as trial:
            trial.connect((probe, 9))
            found.append(trial.getsockname()[0])
    return [each for each in found if ipaddress.ip_address(each).is_global]


def clock_finding(check: str, seconds: float, precision: float = 0.0) -> Diagnosis:
    """Return the finding about a clock that is `seconds` ahead of this machine's."""
    seen = f"{abs(seconds):.1f} seconds {'ahead' if seconds >= 0 else 'behind'}"
    remedy = "Run chrony or systemd-timesyncd on both machines"
    if abs(seconds) > _CLOCK_PROBLEM_SECONDS + precision:
        return problem(check, f"{seen}: leases and codes are wrong", remedy)
    if abs(seconds) > _CLOCK_WARNING_SECONDS + precision:
        return warning(check, seen, remedy)
    return ok(check, seen)
