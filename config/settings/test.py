"""Settings of the test suite. The harness (tests/environment/database.py) sets the database.

In the test process the names below are placeholders until then; a service started by a test gets
`TEST_DATABASE_URL` and uses a pool like production.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from config.logs import configure_structlog, logging_settings
from config.settings import base
from config.settings.base import *  # noqa: F403 - how Django settings are layered
from config.settings.databases import from_url

env = base.env

DATA_DIR = Path(env.str("TEST_DATA_DIR", default=tempfile.gettempdir()))
DEBUG = False
DEMO_DATA = True  # tests create people with tenure
SECRET_KEY = "tests only: nothing outside the test database is signed with this"  # noqa: S105
FIELD_ENCRYPTION_KEYS: list[str] = ["dGVzdHMgb25seTogdGhpcnR5LXR3byBieXRlcyBvZiA="]
ALLOWED_HOSTS = ["*"]

INSTALLED_APPS = [*base.INSTALLED_APPS, "tests.environment"]

_url = env.str("TEST_DATABASE_URL", default="")
_given = from_url(_url or "postgresql://nobody@127.0.0.1:1/unset", "TEST_DATABASE_URL")
DATABASES: dict[str, Any] = {
    "default": base.runtime_database(_given),
    "owner": base.owner_database(_given),
}
if not _url:  # the test process itself: transactions are rolled back, threads come and go
    DATABASES["default"]["OPTIONS"].pop("pool")

CELERY_BROKER_URL = env.str("TEST_BROKER_URL", default="memory://")
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = env.json("TEST_BROKER_OPTIONS", default={})
CELERY_TASK_DEFAULT_QUEUE = env.str("TEST_BROKER_QUEUE", default="tests")
RATE_LIMITS_ENABLED = env.bool("RATE_LIMITS_ENABLED", default=False)
CACHES: dict[str, Any] = {
    "default": base.local_cache(env.str("TEST_CACHE_URL", default=""), limits=RATE_LIMITS_ENABLED)
}

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.MD5PasswordHasher",
    "exchange.participants.client_secrets.ClientSecretHasher",
]
WEBHOOK_ALLOW_LOCAL = env.bool("WEBHOOK_ALLOW_LOCAL", default=True)
SECURE_SSL_REDIRECT = False
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
# Every test client creates its own middleware: find files on request, do not index them first.
WHITENOISE_AUTOREFRESH = not _url

PAYMENT_PROVIDER = {
    **base.PAYMENT_PROVIDER,
    "base_url": env.str("FLUTTERWAVE_BASE_URL", default="http://127.0.0.1:1/v3"),
    "secret_key": env.str("FLUTTERWAVE_SECRET_KEY", default="FLWSECK_TEST-tests-X"),
    "webhook_hash": env.str("FLUTTERWAVE_WEBHOOK_HASH", default="tests-webhook-hash"),
    # As many retries as in production, with a short backoff.
    "read_backoff": 0.01,
}

LOGGING = logging_settings(as_json=False, level=env.str("LOG_LEVEL", default="ERROR"))
configure_structlog()
