"""Settings of a production deployment, all from the environment (docs/operations/settings.md).

Missing or insecure values, and the embedded parts, prevent the start.
"""

from __future__ import annotations

from typing import Any

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from config.logs import configure_structlog, logging_settings
from config.settings import base
from config.settings.base import *  # noqa: F403 - how Django settings are layered
from config.settings.databases import from_url

env = base.env


def _required(variable: str, why: str) -> str:
    # Secrets from files often end in a newline.
    value = env.str(variable, default="").strip()
    if not value:
        raise ImproperlyConfigured(f"Set {variable}: {why}")
    return str(value)


def _required_list(variable: str, why: str) -> list[str]:
    return [part.strip() for part in _required(variable, why).split(",") if part.strip()]


if env.bool("DEBUG", default=False):
    raise ImproperlyConfigured("DEBUG must not be on in production.")
DEBUG = False

SECRET_KEY = _required("SECRET_KEY", "50 or more random characters.")
if len(SECRET_KEY) < 50 or len(set(SECRET_KEY)) < 10 or "insecure" in SECRET_KEY:
    raise ImproperlyConfigured("SECRET_KEY must be 50 or more random characters.")
FIELD_ENCRYPTION_KEYS = _required_list(
    "FIELD_ENCRYPTION_KEYS", "Fernet keys, comma-separated; the first encrypts, all decrypt."
)
try:
    for _key in FIELD_ENCRYPTION_KEYS:
        Fernet(_key)
except ValueError:
    raise ImproperlyConfigured(
        "FIELD_ENCRYPTION_KEYS: each key is 32 bytes in URL-safe base64."
    ) from None

ALLOWED_HOSTS = _required_list("ALLOWED_HOSTS", "the host names served, comma-separated.")
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS must name the hosts; * admits any.")
CSRF_TRUSTED_ORIGINS = env.list(
    "CSRF_TRUSTED_ORIGINS",
    default=[f"https://{host.replace('.', '*.', 1) if host[0] == '.' else host}"
             for host in ALLOWED_HOSTS],
)  # fmt: skip

# --- Services ------------------------------------------------------------------------------------
DATABASE_POOLER = env.str("DATABASE_POOLER", default="").strip()
if DATABASE_POOLER not in {"", "pgbouncer"}:
    raise ImproperlyConfigured("DATABASE_POOLER must be pgbouncer, or empty without a pooler.")
DATABASES: dict[str, Any] = {
    "default": base.runtime_database(
        from_url(_required("DATABASE_URL", "the PostgreSQL server, as the runtime login.")),
        DATABASE_POOLER,
    )
}
if _owner_url := env.str("DATABASE_OWNER_URL", default="").strip():
    DATABASES["owner"] = base.owner_database(from_url(_owner_url, "DATABASE_OWNER_URL"))

CELERY_BROKER_URL = _required("CELERY_BROKER_URL", "RabbitMQ (amqp://) or Redis (redis://).")
if not CELERY_BROKER_URL.startswith(("amqp://", "amqps://", "redis://", "rediss://")):
    raise ImproperlyConfigured("CELERY_BROKER_URL must be RabbitMQ (amqp) or Redis (redis).")
CELERY_TASK_DEFAULT_QUEUE = env.str("CELERY_QUEUE", default="exchange")
if CELERY_BROKER_URL.startswith("amqp"):
    CELERY_TASK_DEFAULT_QUEUE_TYPE = "quorum"
    CELERY_WORKER_DETECT_QUORUM_QUEUES = True

CACHE_URL = _required("CACHE_URL", "Redis (redis://), for the limits that all processes share.")
if not CACHE_URL.startswith(("redis://", "rediss://")):
    raise ImproperlyConfigured("CACHE_URL must be Redis (redis://).")
CACHES = {"default": base.redis_cache(CACHE_URL)}

PAYMENT_PROVIDER = {
    **base.PAYMENT_PROVIDER,
    "secret_key": _required("FLUTTERWAVE_SECRET_KEY", "the payment provider's secret key."),
    "webhook_hash": _required("FLUTTERWAVE_WEBHOOK_HASH", "the secret of its webhooks."),
}

# --- Transport security ---
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=True)
# Load balancers request /health over plain HTTP.
SECURE_REDIRECT_EXEMPT = [r"^health(/live|/ready)?$"]
if _proxy_header := env.str("SECURE_PROXY_HEADER", default=""):
    # Only behind a proxy that always sets the header itself, e.g. HTTP_X_FORWARDED_PROTO.
    SECURE_PROXY_SSL_HEADER = (_proxy_header, "https")
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=365 * 24 * 3600)
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("SECURE_HSTS_INCLUDE_SUBDOMAINS", default=True)
SECURE_HSTS_PRELOAD = env.bool("SECURE_HSTS_PRELOAD", default=True)
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

MIDDLEWARE = [*base.MIDDLEWARE, "django_structlog.middlewares.RequestMiddleware"]
LOGGING = logging_settings(as_json=True, level=env.str("LOG_LEVEL", default="INFO"))
configure_structlog()
