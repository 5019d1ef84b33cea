"""Settings of a local installation (`manage.py up` and other commands).

All files are in one data directory (`DATA_DIR`, by default `var/` in the checkout). `DATABASE_URL`,
`CELERY_BROKER_URL` and `CACHE_URL` replace the embedded parts. Importing this has no side effects.
"""

import hashlib
import socket
from typing import Any

from config.local import secrets as local_secrets
from config.local.demo import credentials_file
from config.local.embedded.layout import APPLICATION, OWNER, database_settings, default_data_dir
from config.local.outcomes.settings import is_sandbox, sandbox_settings
from config.logs import configure_structlog, logging_settings
from config.settings import base, databases
from config.settings.base import *  # noqa: F403 - how Django settings are layered
from config.settings.environment import env

DATA_DIR = default_data_dir()
_secrets = local_secrets.load(DATA_DIR)

DEBUG = False
DEMO_DATA = True
SECRET_KEY = env.secret("SECRET_KEY") or _secrets.secret_key
FIELD_ENCRYPTION_KEYS = base.field_encryption_keys() or [_secrets.field_encryption_key]
ALLOWED_HOSTS = [
    "localhost",
    ".localhost",
    "127.0.0.1",
    "[::1]",
    "0.0.0.0",  # noqa: S104 - a name a browser may send, not an address to bind
    socket.gethostname(),
    *env.items("ALLOWED_HOSTS", pattern=base.HOST_NAME, example="exchange.example"),
]
CSRF_TRUSTED_ORIGINS = env.items(
    "CSRF_TRUSTED_ORIGINS", pattern=base.ORIGIN, example="https://exchange.example"
)

# --- Database: the embedded server unless a URL is given ---
DATABASE_URL = env.database_url("DATABASE_URL")
EMBEDDED_DATABASE = not DATABASE_URL
DATABASES: dict[str, Any]
if EMBEDDED_DATABASE:
    DATABASES = {
        "default": databases.runtime_database(database_settings(DATA_DIR, APPLICATION)),
        "owner": databases.owner_database(database_settings(DATA_DIR, OWNER)),
    }
else:
    _owner_url = env.database_url("DATABASE_OWNER_URL") or DATABASE_URL
    DATABASES = {
        "default": databases.runtime_database(
            databases.from_url(DATABASE_URL), base.DATABASE_POOLER
        ),
        "owner": databases.owner_database(databases.from_url(_owner_url, "DATABASE_OWNER_URL")),
    }
if _replica := databases.replica_database(DATABASES["default"], base.DATABASE_POOLER):
    DATABASES["replica"] = _replica

# --- Broker: files unless a URL is given ---
FILE_BROKER = "files://localhost//"
CELERY_BROKER_URL = env.url("CELERY_BROKER_URL", schemes=base.BROKER_SCHEMES) or FILE_BROKER
BROKER_TRANSPORTS = {"files": "config.local.embedded.broker:FileTransport"}
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {}
if CELERY_BROKER_URL == FILE_BROKER:
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(DATA_DIR / "broker" / "messages"),
        "data_folder_out": str(DATA_DIR / "broker" / "messages"),
        "control_folder": str(DATA_DIR / "broker" / "control"),
    }

# Installations that share a broker must not take each other's tasks.
CELERY_TASK_DEFAULT_QUEUE = env.text(
    "CELERY_QUEUE",
    default=f"exchange-{hashlib.sha256(bytes(DATA_DIR)).hexdigest()[:8]}",
    pattern=base.QUEUE_NAME,
    example="exchange",
)

# --- Cache: for rate limits only ---
RATE_LIMITS_ENABLED = env.boolean("RATE_LIMITS_ENABLED", default=False)
CACHES: dict[str, Any] = {
    "default": base.local_cache(
        env.url("CACHE_URL", schemes=base.CACHE_SCHEMES), limits=RATE_LIMITS_ENABLED
    )
}

# --- E-mail: printed unless a server is given ---
_addresses = credentials_file.read(DATA_DIR)
if not base.EMAIL_HOST:
    EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
BACK_OFFICE_URL = base.BACK_OFFICE_URL or _addresses.get("base_url") or "http://127.0.0.1:8000"
# An IP address has no passkeys; `up` gives its own port.
PASSKEY_ORIGIN = base.PASSKEY_ORIGIN or "http://localhost:8000"

# --- Payment provider: the sandbox, at the address of the last `up` ---
_sandbox_url = _addresses.get("provider_url") or "http://127.0.0.1:8001/v3"
PAYMENT_PROVIDER = {
    **base.PAYMENT_PROVIDER,
    "base_url": base.provider_base_url(_sandbox_url),
    "secret_key": base.PAYMENT_PROVIDER["secret_key"] or _secrets.provider_secret_key,
    "webhook_hash": base.PAYMENT_PROVIDER["webhook_hash"] or _secrets.provider_webhook_hash,
}

# --- Demo data and sandbox ---
# Outcomes by API, with a scope of their own: never with a real payment provider.
if is_sandbox(PAYMENT_PROVIDER):
    globals().update(sandbox_settings(base.SCOPES, base.OAUTH2_PROVIDER, base.SPECTACULAR_SETTINGS))

# The webhook endpoint of the demo organisations, and how long the sandbox takes to pay.
DEMO_WEBHOOK_URL = env.url("DEMO_WEBHOOK_URL", schemes=("http", "https"))
SANDBOX_DELAY_SECONDS = env.number("SANDBOX_DELAY_SECONDS", default=2, low=0, high=3600)

# Distributions of the demo are recorded at once.
DISTRIBUTION_NOTICE_DAYS = env.integer("DISTRIBUTION_NOTICE_DAYS", default=0, low=0, high=30)

WEBHOOK_ALLOW_LOCAL = env.boolean("WEBHOOK_ALLOW_LOCAL", default=True)
SECURE_SSL_REDIRECT = False

# Static files are served from the packages, without collectstatic.
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False

LOGGING = logging_settings(as_json=False, level=base.log_level("WARNING"))
configure_structlog()
