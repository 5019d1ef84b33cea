"""Production refuses to start with a wrong, weak or half-set configuration, in one line."""

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from config.settings import databases
from tests.environment.processes import CHECKOUT

COMPLETE = {
    "DJANGO_SETTINGS_MODULE": "config.settings.production",
    "SECRET_KEY": "k3-W9fQ_only_for_the_test_zT7uXbV4mN1pL6sD0hJ5gRyCeAaBq",
    "FIELD_ENCRYPTION_KEYS": "dGVzdHMgb25seTogdGhpcnR5LXR3byBieXRlcyBvZiA=",
    "ALLOWED_HOSTS": "exchange.example",
    "DATABASE_URL": "postgresql://exchange_app@127.0.0.1/exchange",
    "CELERY_BROKER_URL": "amqp://127.0.0.1//",
    "CACHE_URL": "redis://127.0.0.1/0",
    "FLUTTERWAVE_SECRET_KEY": "secret",
    "FLUTTERWAVE_WEBHOOK_HASH": "hash",
}
REQUIRED = sorted(set(COMPLETE) - {"DJANGO_SETTINGS_MODULE"})

# Reads one environment per line and writes the refusal, what escaped instead, or the settings.
_READER = """
import json, os, sys
from django.core.exceptions import ImproperlyConfigured
kept = dict(os.environ)
for line in sys.stdin:
    os.environ.clear()
    os.environ.update({**kept, **json.loads(line)})
    for name in [name for name in sys.modules if name.startswith("config.settings")]:
        del sys.modules[name]
    try:
        from config.settings import production
        values = {name: getattr(production, name) for name in dir(production) if name.isupper()}
        values.pop("LOGGING")  # has functions
        env = production.env
        done = {"settings": json.dumps(values, default=str)}
        done["broker"] = os.environ["CELERY_BROKER_URL"]
        done["declared"] = [[each.name, each.kind, each.default, each.name in env.required]
                            for each in env.declared.values()]
    except ImproperlyConfigured as error:
        done = {"refused": str(error)}
    except BaseException as error:
        done = {"escaped": repr(error)}
    print(json.dumps(done))
"""


def _environment(**changes: str) -> dict[str, str]:
    home = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    return {**home, **COMPLETE, **changes}


def read_settings(*environments: dict[str, str]) -> list[dict[str, Any]]:
    """Return what the production settings make of each environment, all in one process."""
    lines = "\n".join(json.dumps({**COMPLETE, **changes}) for changes in environments)
    done = subprocess.run(
        [sys.executable, "-c", _READER],
        cwd=CHECKOUT,
        env=_environment(),
        input=lines + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def run(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=CHECKOUT,
        env=_environment(**changes),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_complete_settings_pass_the_deployment_check_without_a_warning() -> None:
    proxy = {"SECURE_PROXY_HEADER": "HTTP_X_FORWARDED_PROTO", "TRUSTED_PROXIES": "1"}
    done = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **proxy)
    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout or "no issues (1 silenced)" in done.stdout


def test_every_cookie_is_bound_to_its_host() -> None:
    [read] = read_settings({})
    found = json.loads(read["settings"])
    names = ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "KNOWN_DEVICE_COOKIE_NAME")
    assert [found[name] for name in names] == [
        "__Host-sessionid", "__Host-csrftoken", "__Host-known_device",
    ]  # fmt: skip
    assert found["MESSAGE_STORAGE"] == "config.back_office.messages.HostMessages"
    # Browsers refuse the prefix without these, or with a domain.
    for kind in ("SESSION", "CSRF"):
        assert found[f"{kind}_COOKIE_SECURE"] is True
        assert f"{kind}_COOKIE_PATH" not in found
        assert f"{kind}_COOKIE_DOMAIN" not in found


@pytest.mark.parametrize(
    "command",
    [
        ("-m", "config.webserver", "--port", "0"),
        ("-m", "celery", "-A", "config.celery", "worker"),
        ("-m", "celery", "-A", "config.celery", "beat"),
        ("manage.py", "prove_books"),
        ("manage.py", "doctor"),
    ],
    ids=lambda command: " ".join(command[-2:]),
)
@pytest.mark.one_in(3)
def test_every_program_refuses_in_one_line(command: tuple[str, ...]) -> None:
    done = run(*command, SECURE_SSL_REDIRECT="flase")
    assert done.returncode == 1
    assert done.stderr == "SECURE_SSL_REDIRECT: is not a boolean. Give true or false.\n"


@pytest.mark.parametrize(
    ("option", "value"),
    [("--port", "65536"), ("--port", "x"), ("--workers", "0"), ("--host", "256.0.0.1")],
)
def test_a_wrong_option_of_the_web_server_is_named(option: str, value: str) -> None:
    done = run("-m", "config.webserver", "--port", "0", option, value)
    assert done.returncode == 2
    assert value in done.stderr or option in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("module", "reason"),
    [("config.settings.prodution", "no such module"), ("", "is empty")],
)
def test_a_settings_module_that_does_not_exist_is_named(module: str, reason: str) -> None:
    done = run("-m", "config.webserver", "--port", "0", DJANGO_SETTINGS_MODULE=module)
    assert done.returncode == 1
    assert done.stderr.startswith(f"DJANGO_SETTINGS_MODULE: {reason}. Give config.settings.")
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_variable_is_named_with_its_remedy() -> None:
    for variable, done in zip(
        REQUIRED, read_settings(*({each: " \n"} for each in REQUIRED)), strict=True
    ):
        assert done["refused"].startswith(f"{variable}: is not set. Give "), done


URLS = [
    "postgresql//host/name",
    "host:5432/name",
    "http://",
    "redis://",
    "amqp://:5672//",
    "redis://user:pa/ss@host/0",
    "redis://host:port/0",
    "redis://host:99999/0",
    "redis://host:0/0",
    "redis://ho st/0",
]
# For each kind of variable, values that none of the kind may have.
WRONG = {
    "true or false": ["", "flase", "ture", "2", "-1", "none", "true,false", "t rue"],
    "number": [
        "",
        "x",
        "1x",
        "-1",
        "-0.5",
        "1e3",
        "1_0",
        "nan",
        "inf",
        "0x10",
        "1,5",
        "9" * 30,
        "٣",
    ],
    "list": [",", "a,,b", "a,", "a b", "a;b", "https//x", "http://", "*", "ex ample"],
    "url": URLS,
    "postgresql://": [
        *URLS,
        "sqlite:///x",
        "postgresql://app@host",
        "postgresql:///name",
        "postgresql://app@host:0/name",
        "postgresql://app@host:99999/name",
        "postgresql://app@host:port/name",
        "postgresql://app@host/name?sslmode=requrie",
        "postgresql://app@host/name?ssl_mod=require",
        "postgresql://app@host/name?options=-c%20role%3Dexchange_owner",
        "postgresql://app:pa%ss@host/name",
    ],
    "secret": ["with space", "línea", "tab\tinside"],
    "text": ["with space", "a/b", "línea"],
    "address and port": ["9464", "10.0.0.7", "metrics.example:9464", "8.8.8.8:9464"],
    "choice": ["x", "LOUD", "pgpool", "info"],
}
# Wrong in every variable.
ALWAYS_WRONG = ['"true"', "'1'", '"redis://host/0"', "a\x07b", "line\nline"]


def kind_of(kind: str) -> str:
    if kind in WRONG:
        return kind
    if re.fullmatch(r"[0-9.,]+ to [0-9.,]+", kind):
        return "number"
    return "url" if "://" in kind else "choice"


@pytest.mark.slow
def test_wrong_values_of_every_variable_are_refused_in_one_line_without_the_value() -> None:
    (complete,) = read_settings({})
    cases = []
    for name, kind, _, _ in complete["declared"]:
        wrong = [*WRONG[kind_of(kind)], *ALWAYS_WRONG]
        if kind_of(kind) == "number":
            low, high = (float(bound.replace(",", "")) for bound in kind.split(" to "))
            wrong += [f"{low - 1:.0f}", f"{high + 1:.0f}"]
        cases += [(name, value) for value in wrong]
    results = read_settings(*({name: value} for name, value in cases))
    offenders = [
        (name, value, done)
        for (name, value), done in zip(cases, results, strict=True)
        if not re.fullmatch(rf"{name}: [^\n]+\. [A-Z][^\n]+\.", done.get("refused", ""))
        or (len(value) > 6 and value in done["refused"])
    ]
    assert offenders == []
    assert len(cases) > 500


UNSAFE: list[tuple[dict[str, str], str]] = [
    ({"DEBUG": "true"}, "DEBUG: is on"),
    ({"SECRET_KEY": "short"}, "SECRET_KEY: can be guessed"),
    ({"SECRET_KEY": "django-insecure-" + COMPLETE["SECRET_KEY"]}, "SECRET_KEY: can be guessed"),
    ({"SECRET_KEY": "a" * 60}, "SECRET_KEY: can be guessed"),
    ({"SECRET_KEY_FALLBACKS": "short"}, "SECRET_KEY_FALLBACKS: can be guessed"),
    (
        {"SECRET_KEY_FALLBACKS": COMPLETE["SECRET_KEY"]},
        "SECRET_KEY_FALLBACKS: repeats SECRET_KEY",
    ),
    ({"FIELD_ENCRYPTION_KEYS": "not-a-key"}, "FIELD_ENCRYPTION_KEYS: has an item that is no"),
    ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS: item 1 is malformed"),
    ({"ALLOWED_HOSTS": "https://exchange.example"}, "ALLOWED_HOSTS: item 1 is malformed"),
    ({"DATABASE_URL": "sqlite:///x"}, "DATABASE_URL: does not begin with postgresql://"),
    ({"DATABASE_OWNER_URL": "postgresql://h"}, "DATABASE_OWNER_URL: names no database"),
    ({"CELERY_BROKER_URL": "filesystem://"}, "CELERY_BROKER_URL: does not begin with amqp://"),
    ({"CELERY_BROKER_URL": "memory://"}, "CELERY_BROKER_URL: does not begin with amqp://"),
    ({"DATABASE_REPLICA_URL": "mysql://h/x"}, "DATABASE_REPLICA_URL: does not begin with"),
    ({"DATABASE_REPLICA_URL": "postgresql://h"}, "DATABASE_REPLICA_URL: names no database"),
    (
        {"DATABASE_REPLICA_URL": COMPLETE["DATABASE_URL"]},
        "DATABASE_REPLICA_URL: is the address of DATABASE_URL",
    ),
    ({"DATABASE_REPLICA_MAX_LAG_SECONDS": "0"}, "DATABASE_REPLICA_MAX_LAG_SECONDS: is "),
    ({"DATABASE_POOLER": "pgpool"}, "DATABASE_POOLER: is none of the values known"),
    ({"CACHE_URL": "locmem://"}, "CACHE_URL: does not begin with redis://"),
    ({"FLUTTERWAVE_BASE_URL": "https://host"}, "FLUTTERWAVE_BASE_URL: does not end in /v3"),
    ({"FLUTTERWAVE_READ_TIMEOUT": "46"}, "FLUTTERWAVE_READ_TIMEOUT: is longer than"),
    ({"FLUTTERWAVE_TOTAL_TIMEOUT": "60.5"}, "PAYOUT_LEASE_SECONDS: is shorter than twice"),
    ({"PAYOUT_LEASE_SECONDS": "89"}, "PAYOUT_LEASE_SECONDS: is shorter than twice"),
    (
        {"RETENTION_AUDIT_MONTHS": "59"},
        "RETENTION_AUDIT_MONTHS: is not from 60 to 1200: records of payments",
    ),
    ({"RETENTION_EVENTS_MONTHS": "2"}, "RETENTION_EVENTS_MONTHS: is not from 3 to 1200"),
    ({"RETENTION_EVENTS_MONTHS": "24"}, "RETENTION_DELIVERIES_MONTHS: is longer than"),
    (
        {"RETENTION_EVENTS_MONTHS": "24", "RETENTION_DELIVERIES_MONTHS": "25"},
        "RETENTION_DELIVERIES_MONTHS: is longer than",
    ),
    ({"IDEMPOTENCY_RETENTION_HOURS": "23"}, "IDEMPOTENCY_RETENTION_HOURS: is out of bounds"),
    ({"IDEMPOTENCY_RETENTION_HOURS": "649"}, "IDEMPOTENCY_RETENTION_HOURS: is out of bounds"),
    ({"EMAIL_HOST": "mail.example"}, "EMAIL_FROM: is not set, but EMAIL_HOST is"),
    (
        {"EMAIL_HOST": "mail.example", "EMAIL_FROM": "a@exchange.example"},
        "BACK_OFFICE_URL: is not set, but EMAIL_HOST is",
    ),
    ({"EMAIL_FROM": "exchange"}, "EMAIL_FROM: is malformed"),
    # Browsers have no passkeys at these, or compare them with something else.
    ({"PASSKEY_ORIGIN": "http://exchange.example"}, "PASSKEY_ORIGIN: is malformed"),
    ({"PASSKEY_ORIGIN": "http://127.0.0.1:8000"}, "PASSKEY_ORIGIN: is malformed"),
    ({"PASSKEY_ORIGIN": "https://192.0.2.1"}, "PASSKEY_ORIGIN: is malformed"),
    ({"PASSKEY_ORIGIN": "https://exchange.example/"}, "PASSKEY_ORIGIN: is malformed"),
    ({"PASSKEY_ORIGIN": "exchange.example"}, "PASSKEY_ORIGIN: is malformed"),
    ({"SECURE_PROXY_HEADER": "HTTP_X"}, "TRUSTED_PROXIES: is 0, but SECURE_PROXY_HEADER"),
    ({"SECURE_PROXY_HEADER": "X-Forwarded-Proto"}, "SECURE_PROXY_HEADER: is malformed"),
]


def test_unsafe_values_are_refused() -> None:
    results = read_settings(*(changes for changes, _ in UNSAFE))
    offenders = [
        (changes, done)
        for (changes, words), done in zip(UNSAFE, results, strict=True)
        if not done.get("refused", "").startswith(words)
    ]
    assert offenders == []


def test_the_white_space_of_files_is_ignored_by_every_reader() -> None:
    changed = {name: f" {value}\n" for name, value in COMPLETE.items() if name in REQUIRED}
    padded, plain = read_settings(changed, {})
    assert padded["settings"] == plain["settings"]
    assert padded["broker"] == COMPLETE["CELERY_BROKER_URL"]


def test_bounds_themselves_are_accepted() -> None:
    (complete,) = read_settings({})
    bounds = []
    for name, kind, _, _ in complete["declared"]:
        if kind_of(kind) == "number" and not re.search("TIMEOUT|LEASE", name):
            bounds += [{name: bound.replace(",", "")} for bound in kind.split(" to ")]
    assert [done for done in read_settings(*bounds) if "settings" not in done] == []


def test_behind_pgbouncer_nothing_is_prepared_and_the_login_has_the_options() -> None:
    direct = databases.runtime_database({"NAME": "exchange"})["OPTIONS"]
    assert direct["prepare_threshold"] == 1
    assert "role=exchange_runtime" in direct["options"]
    pooled = databases.runtime_database({"NAME": "exchange"}, "pgbouncer")["OPTIONS"]
    assert pooled["prepare_threshold"] is None
    assert "options" not in pooled
