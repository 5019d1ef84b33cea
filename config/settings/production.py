"""Settings of a production deployment, all from the environment (docs/operations/settings.md).

Missing or insecure values, and the embedded parts, prevent the start.
"""

from typing import Any

from config.logs import configure_structlog, logging_settings
from config.settings import base, databases
from config.settings.base import *  # noqa: F403 - how Django settings are layered
from config.settings.environment import env, refusal

for _name, _remedy in {
    "SECRET_KEY": "Give 50 or more random characters",
    "FIELD_ENCRYPTION_KEYS": "Give Fernet keys, comma-separated; the first encrypts, all decrypt",
    "ALLOWED_HOSTS": "Give the host names served, comma-separated",
    "DATABASE_URL": "Give the PostgreSQL server, with the runtime login",
    "CELERY_BROKER_URL": "Give RabbitMQ (amqp://) or Redis (redis://)",
    "CACHE_URL": "Give Redis (redis://), for the limits that all processes share",
    "FLUTTERWAVE_SECRET_KEY": "Give the payment provider's secret key",
    "FLUTTERWAVE_WEBHOOK_HASH": "Give the secret of the payment provider's webhooks",
}.items():
    env.require(_name, _remedy)

if env.boolean("DEBUG", default=False):
    raise refusal("DEBUG", "is on, which shows source code and settings to anyone", "Remove it")
DEBUG = False

SECRET_KEY = env.secret("SECRET_KEY")
# Verify what was signed with another key, during a rotation only.
SECRET_KEY_FALLBACKS = env.items(
    "SECRET_KEY_FALLBACKS", pattern=r"[!-~]+", example="the key that SECRET_KEY had before"
)
for _name, _keys in (("SECRET_KEY", [SECRET_KEY]), ("SECRET_KEY_FALLBACKS", SECRET_KEY_FALLBACKS)):
    for _key in _keys:
        if len(_key) < 50 or len(set(_key)) < 10 or "insecure" in _key:
            raise refusal(_name, "can be guessed", "Give 50 or more random characters")
if SECRET_KEY in SECRET_KEY_FALLBACKS:
    raise refusal("SECRET_KEY_FALLBACKS", "repeats SECRET_KEY", "Remove the key from it")
FIELD_ENCRYPTION_KEYS = base.field_encryption_keys()

ALLOWED_HOSTS = env.items("ALLOWED_HOSTS", pattern=base.HOST_NAME, example="exchange.example")
CSRF_TRUSTED_ORIGINS = env.items(
    "CSRF_TRUSTED_ORIGINS",
    default=[f"https://{host.replace('.', '*.', 1) if host[0] == '.' else host}"
             for host in ALLOWED_HOSTS],
    pattern=base.ORIGIN,
    example="https://exchange.example",
)  # fmt: skip

# --- Services ------------------------------------------------------------------------------------
DATABASES: dict[str, Any] = {
    "default": databases.runtime_database(
        databases.from_url(env.database_url("DATABASE_URL")), base.DATABASE_POOLER
    )
}
if _replica := databases.replica_database(DATABASES["default"], base.DATABASE_POOLER):
    DATABASES["replica"] = _replica
if _owner_url := env.database_url("DATABASE_OWNER_URL"):
    DATABASES["owner"] = databases.owner_database(
        databases.from_url(_owner_url, "DATABASE_OWNER_URL")
    )

CELERY_BROKER_URL = env.url("CELERY_BROKER_URL", schemes=base.BROKER_SCHEMES)
# Transports that kombu does not have: their class, by scheme of the URL.
BROKER_TRANSPORTS: dict[str, str] = {}
CELERY_TASK_DEFAULT_QUEUE = env.text(
    "CELERY_QUEUE", default="exchange", pattern=base.QUEUE_NAME, example="exchange"
)
if CELERY_BROKER_URL.startswith("amqp"):
    CELERY_TASK_DEFAULT_QUEUE_TYPE = "quorum"
    CELERY_WORKER_DETECT_QUORUM_QUEUES = True

CACHES = {"default": base.redis_cache(env.url("CACHE_URL", schemes=base.CACHE_SCHEMES))}

# --- Transport security ---
SECURE_SSL_REDIRECT = env.boolean("SECURE_SSL_REDIRECT", default=True)
# Load balancers request /health over plain HTTP.
SECURE_REDIRECT_EXEMPT = [r"^health(/live|/ready)?$"]
if _proxy_header := env.text(
    "SECURE_PROXY_HEADER", pattern=r"HTTP_[A-Z0-9_]+", example="HTTP_X_FORWARDED_PROTO"
):
    # Only behind a proxy that always sets the header itself.
    SECURE_PROXY_SSL_HEADER = (_proxy_header, "https")
    if not base.TRUSTED_PROXIES:
        raise refusal(
            "TRUSTED_PROXIES",
            "is 0, but SECURE_PROXY_HEADER tells of a proxy, whose address all clients would share",
            "Give the number of proxies that extend X-Forwarded-For",
        )
SECURE_HSTS_SECONDS = env.integer(
    "SECURE_HSTS_SECONDS", default=365 * 24 * 3600, low=0, high=2 * 366 * 24 * 3600
)
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.boolean("SECURE_HSTS_INCLUDE_SUBDOMAINS", default=True)
SECURE_HSTS_PRELOAD = env.boolean("SECURE_HSTS_PRELOAD", default=True)
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
# Browsers accept the prefix only over TLS, from this host and for all of its paths.
SESSION_COOKIE_NAME = "__Host-sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken"
KNOWN_DEVICE_COOKIE_NAME = "__Host-known_device"
MESSAGE_STORAGE = "config.back_office.messages.HostMessages"
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

LOGGING = logging_settings(as_json=True, level=base.log_level("INFO"))
configure_structlog()
