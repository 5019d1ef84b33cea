"""Settings of the test suite. The harness (tests/environment/database.py) sets the database.

In the test process the names below are placeholders until then; a service started by a test gets
`TEST_DATABASE_URL` and uses a pool like production.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from config.logs import configure_structlog, logging_settings
from config.settings import base, databases
from config.settings.base import *  # noqa: F403 - how Django settings are layered
from config.settings.environment import env

DATA_DIR = Path(os.environ.get("TEST_DATA_DIR", tempfile.gettempdir()))
DEBUG = False
DEMO_DATA = True  # tests create people with tenure
SECRET_KEY = "tests only: nothing outside the test database is signed with this"  # noqa: S105
FIELD_ENCRYPTION_KEYS: list[str] = ["dGVzdHMgb25seTogdGhpcnR5LXR3byBieXRlcyBvZiA="]
ALLOWED_HOSTS = ["*"]

INSTALLED_APPS = [*base.INSTALLED_APPS, "tests.environment"]

_url = os.environ.get("TEST_DATABASE_URL", "")
_given = databases.from_url(_url or "postgresql://nobody@127.0.0.1:1/unset", "TEST_DATABASE_URL")
DATABASES: dict[str, Any] = {
    "default": databases.runtime_database(_given),
    "owner": databases.owner_database(_given),
}
if _replica := databases.replica_database(DATABASES["default"]):
    DATABASES["replica"] = _replica
if not _url:  # the test process itself: transactions are rolled back, threads come and go
    DATABASES["default"]["OPTIONS"].pop("pool")

BROKER_TRANSPORTS = {"files": "config.local.embedded.broker:FileTransport"}
CELERY_BROKER_URL = os.environ.get("TEST_BROKER_URL", "memory://")
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = json.loads(
    os.environ.get("TEST_BROKER_OPTIONS", "{}")
)
CELERY_TASK_DEFAULT_QUEUE = os.environ.get("TEST_BROKER_QUEUE", "tests")
RATE_LIMITS_ENABLED = env.boolean("RATE_LIMITS_ENABLED", default=False)
REQUEST_LOG_ENABLED = env.boolean("REQUEST_LOG_ENABLED", default=False)
CACHES: dict[str, Any] = {
    "default": base.local_cache(os.environ.get("TEST_CACHE_URL", ""), limits=RATE_LIMITS_ENABLED)
}

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.MD5PasswordHasher",
    "exchange.participants.client_secrets.ClientSecretHasher",
]
PASSKEY_ORIGIN = base.PASSKEY_ORIGIN or "http://localhost"
DEMO_WEBHOOK_URL = ""
SANDBOX_DELAY_SECONDS = 2.0
BULK_APPROVAL_UNDO_SECONDS = 0
WEBHOOK_ALLOW_LOCAL = env.boolean("WEBHOOK_ALLOW_LOCAL", default=True)
SECURE_SSL_REDIRECT = False
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
# Every test client creates its own middleware: find files on request, do not index them first.
WHITENOISE_AUTOREFRESH = not _url

PAYMENT_PROVIDER = {
    **base.PAYMENT_PROVIDER,
    "base_url": base.provider_base_url("http://127.0.0.1:1/v3"),
    "secret_key": base.PAYMENT_PROVIDER["secret_key"] or "FLWSECK_TEST-tests-X",
    "webhook_hash": base.PAYMENT_PROVIDER["webhook_hash"] or "tests-webhook-hash",
    # As many retries as in production, with a short backoff.
    "read_backoff": 0.01,
}

LOGGING = logging_settings(
    as_json=env.boolean("TEST_LOG_JSON", default=False), level=base.log_level("ERROR")
)
configure_structlog()
