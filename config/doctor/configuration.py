"""Checks of settings and environment variables; they connect to nothing but the database."""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import checks

from config.doctor.findings import Diagnosis, ok, problem, warning
from config.doctor.session import is_production, require_database, rows
from config.settings.environment import env
from exchange.core.crypto import key_position
from exchange.core.reencryption import encrypted_columns

# Celery reads these itself, in place of ours.
_CELERYS_OWN = {
    "CELERY_BROKER_READ_URL",
    "CELERY_BROKER_WRITE_URL",
    "CELERY_CONFIG_MODULE",
    "CELERY_LOADER",
    "CELERY_RESULT_BACKEND",
}
# Kubernetes adds these for each of its services, which may be named `database` or `cache`.
_KUBERNETES = re.compile(r"_(SERVICE_(HOST|PORT\w*)|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$")
# Variables of desktops, shells and of the other containers.
_OTHERS = {"SESSION_MANAGER", "SESSIONNAME", "SECURITYSESSIONID", "DEBUGINFOD_URLS"}
_SIMILARITY = 0.85
_SECRETS_READ = 20_000


def check_settings_module() -> Iterator[Diagnosis]:
    """Report the settings, and the deployment checks of those of production."""
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
        yield ok("settings", f"{module}; the deployment checks pass")
    for message in messages:
        report = problem if message.level >= checks.ERROR else warning
        text = " ".join(str(message.msg).split())
        yield report("settings", f"{message.id}: {text}", message.hint or "See check --deploy")


def check_variables() -> Iterator[Diagnosis]:
    """Report variables that look like ours but are not read."""
    unread = sorted(_unread_variables(os.environ, env.declared))
    for name, similar in unread:
        if name in _CELERYS_OWN:
            yield problem(
                "variables", f"{name} is set: Celery uses it instead of ours", "Remove it"
            )
        else:
            remedy = f"Rename it to {similar}, or remove it" if similar else "Remove it"
            yield warning("variables", f"{name} is set, but nothing reads it", remedy)
    for name in sorted(name for name in os.environ if re.fullmatch(r"PG[A-Z]{3,}", name)):
        if name not in {"PGDATA", "PGPASSFILE"}:
            yield warning(
                "variables",
                f"{name} is set: libpq adds it to DATABASE_URL",
                "Remove it, or write it as a parameter of the URL",
            )
    if not unread:
        read = sum(name in os.environ for name in env.declared)
        yield ok("variables", f"{read} of {len(env.declared)} known variables are set")


def _unread_variables(
    given: Iterable[str], known: Iterable[str]
) -> Iterator[tuple[str, str | None]]:
    """Yield variables like those known, with the most similar one if any is."""
    names = list(known)
    families = {f"{name.partition('_')[0]}_" for name in names if "_" in name}
    for name in given:
        upper = name.upper()
        if name in names or name in _OTHERS or _KUBERNETES.search(name):
            continue
        similar = difflib.get_close_matches(upper, names, n=1, cutoff=_SIMILARITY)
        if similar or name in _CELERYS_OWN or any(upper.startswith(each) for each in families):
            yield name, similar[0] if similar else None


def check_production_values() -> Iterator[Diagnosis]:
    """Report values that production accepts but that are unsafe, or set by half."""
    if not is_production():
        return
    if settings.SECURE_SSL_REDIRECT and not getattr(settings, "SECURE_PROXY_SSL_HEADER", None):
        yield problem(
            "proxy",
            "SECURE_PROXY_HEADER is not set: every request is redirected to https, for ever",
            "Set SECURE_PROXY_HEADER to the header in which the proxy tells the protocol",
        )
    elif not settings.TRUSTED_PROXIES:
        yield problem(
            "proxy",
            "TRUSTED_PROXIES is 0, but slow clients stop a web server without a proxy",
            "Put docs/cluster/haproxy-front.cfg in front, and set it to the number of proxies",
        )
    else:
        yield ok("proxy", f"{settings.TRUSTED_PROXIES} trusted")
    if not settings.RATE_LIMITS_ENABLED:
        yield warning("rate limits", "off", "Set RATE_LIMITS_ENABLED=true")
    if settings.WEBHOOK_ALLOW_LOCAL:
        yield warning(
            "webhooks",
            "WEBHOOK_ALLOW_LOCAL is on: organisations reach private addresses through the service",
            "Remove it",
        )
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
    missing = sorted(
        name for name in needed if name not in collected or not storage.exists(collected[name])
    )
    if missing:
        yield problem(
            "static files",
            f"{len(missing)} of {len(needed)} are not collected: pages fail",
            "Run manage.py collectstatic --no-input in this version",
        )
    else:
        yield ok("static files", f"all {len(needed)} are collected")


def check_stored_secrets() -> Iterator[Diagnosis]:
    """Decrypt the stored secrets with the keys given."""
    require_database()
    positions: Counter[int | None] = Counter()
    for column in encrypted_columns():
        # The names come from the models.
        values = rows(
            f'SELECT "{column.column}" FROM "{column.table}"'  # noqa: S608
            f" WHERE \"{column.column}\" <> '' LIMIT %s",
            [_SECRETS_READ],
        )
        found = Counter(key_position(token) for (token,) in values)
        positions += found
        if found[None]:
            yield problem(
                "stored secrets",
                f"{found[None]} in {column} cannot be decrypted",
                "Add the key that encrypted them to FIELD_ENCRYPTION_KEYS, at the end",
            )
    if positions[None]:
        return
    seen = f"all {positions.total()} readable"
    if older := positions.total() - positions[0]:
        seen += f", {older} with an older key: run manage.py reencrypt before it is removed"
    yield ok("stored secrets", seen)


CHECKS = (
    check_settings_module,
    check_variables,
    check_production_values,
    check_static_files,
    check_stored_secrets,
)
