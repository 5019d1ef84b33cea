"""Settings of a local installation (`manage.py up` and other commands).

All files are in one data directory (`DATA_DIR`, by default `var/` in the checkout). `DATABASE_URL`,
`CELERY_BROKER_URL` and `CACHE_URL` replace the embedded parts. Importing this has no side effects.
"""

from __future__ import annotations

import hashlib
import socket
from typing import Any

from config.demo import credentials_file
from config.local import secrets as local_secrets
from config.local.embedded.layout import APPLICATION, OWNER, database_settings, default_data_dir
from config.logs import configure_structlog, logging_settings
from config.settings import base
from config.settings.base import *  # noqa: F403 - how Django settings are layered
from config.settings.databases import from_url

env = base.env

DATA_DIR = default_data_dir()
_secrets = local_secrets.load(DATA_DIR)

DEBUG = False
DEMO_DATA = True
SECRET_KEY = env.str("SECRET_KEY", default=_secrets.secret_key)
FIELD_ENCRYPTION_KEYS: list[str] = env.list(
    "FIELD_ENCRYPTION_KEYS", default=[_secrets.field_encryption_key]
)
ALLOWED_HOSTS = [
    "localhost",
    ".localhost",
    "127.0.0.1",
    "[::1]",
    "0.0.0.0",  # noqa: S104 - a name a browser may send, not an address to bind
    socket.gethostname(),
    *env.list("ALLOWED_HOSTS", default=[]),
]
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# --- Database: the embedded server unless a URL is given ---
DATABASE_URL = env.str("DATABASE_URL", default="")
EMBEDDED_DATABASE = not DATABASE_URL
DATABASES: dict[str, Any]
if EMBEDDED_DATABASE:
    DATABASES = {
        "default": base.runtime_database(database_settings(DATA_DIR, APPLICATION)),
        "owner": base.owner_database(database_settings(DATA_DIR, OWNER)),
    }
else:
    _owner_url = env.str("DATABASE_OWNER_URL", default=DATABASE_URL)
    DATABASES = {
        "default": base.runtime_database(from_url(DATABASE_URL)),
        "owner": base.owner_database(from_url(_owner_url, "DATABASE_OWNER_URL")),
    }

# --- Broker: files unless a URL is given ---
FILE_BROKER = "files://localhost//"
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="") or FILE_BROKER
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {}
if CELERY_BROKER_URL == FILE_BROKER:
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(DATA_DIR / "broker" / "messages"),
        "data_folder_out": str(DATA_DIR / "broker" / "messages"),
        "control_folder": str(DATA_DIR / "broker" / "control"),
    }

# Installations that share a broker must not take each other's tasks.
CELERY_TASK_DEFAULT_QUEUE = env.str(
    "CELERY_QUEUE", default=f"exchange-{hashlib.sha256(bytes(DATA_DIR)).hexdigest()[:8]}"
)

# --- Cache: for rate limits only ---
RATE_LIMITS_ENABLED = env.bool("RATE_LIMITS_ENABLED", default=False)
CACHES: dict[str, Any] = {
    "default": base.local_cache(env.str("CACHE_URL", default=""), limits=RATE_LIMITS_ENABLED)
}

# --- Payment provider: the sandbox, at the address of the last `up` ---
_sandbox_url = credentials_file.read(DATA_DIR).get("provider_url") or "http://127.0.0.1:8001/v3"
PAYMENT_PROVIDER = {
    **base.PAYMENT_PROVIDER,
    "base_url": env.str("FLUTTERWAVE_BASE_URL", default=_sandbox_url),
    "secret_key": env.str("FLUTTERWAVE_SECRET_KEY", default=_secrets.provider_secret_key),
    "webhook_hash": env.str("FLUTTERWAVE_WEBHOOK_HASH", default=_secrets.provider_webhook_hash),
}

WEBHOOK_ALLOW_LOCAL = env.bool("WEBHOOK_ALLOW_LOCAL", default=True)
SECURE_SSL_REDIRECT = False

# Static files are served from the packages, without collectstatic.
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False

LOGGING = logging_settings(as_json=False, level=env.str("LOG_LEVEL", default="WARNING"))
configure_structlog()
