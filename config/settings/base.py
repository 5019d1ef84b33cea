"""Settings that every deployment shares.

Values for operators are read from the environment here, each with its bounds and default. Secrets
and the places of data are in `local`, `production` and `test`.
"""

from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet

from config import event_types
from config.settings import databases, mail, passkeys, plausibility, retention
from config.settings.environment import env, refusal

HOST_NAME = r"\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\]"
ORIGIN = r"https?://(\*\.)?([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?"
QUEUE_NAME = r"[A-Za-z0-9_.-]{1,100}"
BROKER_SCHEMES = ("amqp", "amqps", "redis", "rediss")
CACHE_SCHEMES = ("redis", "rediss")

BASE_DIR = Path(__file__).resolve().parent.parent.parent

INSTALLED_APPS = [
    "config.apps.ExchangeAdminConfig",
    # Before django.contrib.auth, to replace `createsuperuser` and `changepassword`.
    "config",
    # After the admin, since its scripts of the same names expect Alpine.
    "unfold.apps.BasicAppConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_filters",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "oauth2_provider",
    "exchange",
    "wallets",
    "credit",
    "orders",
]

MIDDLEWARE = [
    "exchange.api.middleware.RequestIdMiddleware",
    "config.metrics.middleware.RequestMetricsMiddleware",
    "exchange.requests.middleware.RequestLogMiddleware",
    "exchange.api.answers.AnswerMiddleware",
    "exchange.api.middleware.EnvelopeMiddleware",
    "exchange.api.middleware.BodyLimitMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Django's middleware for browsers, skipped for the API.
    "exchange.api.middleware.NonApiSessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "exchange.api.middleware.NonApiAuthenticationMiddleware",
    "exchange.api.middleware.NonApiMessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "exchange.admin.visible_text.VisibleTextMiddleware",
    "exchange.api.middleware.AuditContextMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

PASSWORD_HASHERS = [
    # The first is for passwords of staff, the last for client secrets of API keys only.
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
    "exchange.participants.client_secrets.ClientSecretHasher",
]
# For new passwords of staff (ASVS 2.1.1, 2.1.2); existing ones stay valid.
_VALIDATION = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"{_VALIDATION}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATION}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {
        "NAME": "config.back_office.signin.passwords.MaximumLengthValidator",
        "OPTIONS": {"max_length": 128},
    },
    {"NAME": f"{_VALIDATION}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATION}.NumericPasswordValidator"},
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
FORMAT_MODULE_PATH = "config.back_office.formats"

STATIC_URL = "/static/"
STATIC_ROOT: Path | None = BASE_DIR / "static"

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
# Addresses that take a file: the longest body, of a file of 10 MiB and the rest of its form.
UPLOAD_LIMITS = {"/admin/wallets/statementfile/add/": (10 * 1024 + 64) * 1024}
# Files stay in memory, where the body already is: nothing is written to the disk.
FILE_UPLOAD_MAX_MEMORY_SIZE = max(UPLOAD_LIMITS.values())

# --- Back office -----------------------------------------------------------------------------
UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Tokenized Investment Exchange",
    "SITE_HEADER": "Tokenized Investment Exchange",
    "DASHBOARD_CALLBACK": "config.back_office.dashboard.dashboard_context",
}

# --- Sign-in of staff ------------------------------------------------------------------------
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
# The longest session, and the longest pause without a request.
SESSION_HOURS = env.integer("SESSION_HOURS", default=12, low=1, high=168)
SESSION_COOKIE_AGE = SESSION_HOURS * 3600
SESSION_IDLE_MINUTES = env.integer("SESSION_IDLE_MINUTES", default=30, low=1, high=1440)
# How long a second-factor code allows approvals.
SECOND_FACTOR_FRESH_MINUTES = env.integer(
    "SECOND_FACTOR_FRESH_MINUTES", default=15, low=1, high=120
)
PASSKEY_ORIGIN = passkeys.ORIGIN
# Failed attempts (passwords and codes) of one account and one address before a lockout.
SIGN_IN_ATTEMPTS: dict[str, int] = {
    "account": env.integer("SIGN_IN_ATTEMPTS_PER_ACCOUNT", default=5, low=1, high=100),
    "address": env.integer("SIGN_IN_ATTEMPTS_PER_ADDRESS", default=30, low=1, high=10_000),
}
SIGN_IN_LOCKED_MINUTES = env.integer("SIGN_IN_LOCKED_MINUTES", default=15, low=1, high=1440)
# The number of our proxies that extend X-Forwarded-For; 0: the peer is the client.
TRUSTED_PROXIES = env.integer("TRUSTED_PROXIES", default=0, low=0, high=10)
# How long a browser after a sign-in has its own count of failed attempts.
KNOWN_DEVICE_DAYS = 30
KNOWN_DEVICE_COOKIE_NAME = "known_device"
# The validity of the one-time link of an invitation.
PASSWORD_RESET_TIMEOUT = env.integer("INVITATION_HOURS", default=24, low=1, high=168) * 3600
# Privileged access is effective only after a cooling-off period, and one of two approvers needs
# tenure. Deliberately not read from the environment.
COOLING_OFF_HOURS = 24
TENURE_DAYS = 7
# Demo data has people with tenure.
DEMO_DATA = False
# Permissions without privileged access, in addition to those that start with `view_`.
UNPRIVILEGED_PERMISSIONS = "config.back_office.roles.UNPRIVILEGED_PERMISSIONS"
# Models whose records the audit shows by name, and functions that find record ids by name.
AUDIT_NAMED_MODELS = (
    "exchange.StaffUser",
    "exchange.Organisation",
    "exchange.Member",
    "exchange.Token",
)
AUDIT_FINDERS = (
    "exchange.participants.selectors.find_ids_by_name",
    "exchange.tokens.selectors.tokens.find_ids_by_symbol",
    "wallets.withdrawals.selectors.search.find_ids",
)
# Panels of other subjects on the pages of records.
RECORD_PANELS = "config.back_office.panels.panels_of"
CSRF_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "config.error_views.csrf_failed"

# --- Database --------------------------------------------------------------------------------
# The role of web and workers: it owns nothing and writes the ledger only through functions.
# Migrations run as the owner (alias `owner`).
DATABASE_RUNTIME_ROLE = databases.RUNTIME_ROLE
DATABASE_POOL_SIZE = databases.POOL_SIZE
DATABASE_LOCK_WAIT = databases.LOCK_WAIT
DATABASE_POOLER = env.choice("DATABASE_POOLER", default="", choices=("", "pgbouncer"))
# The router is always on: without a replica every query goes to the primary.
DATABASE_ROUTERS = ["exchange.core.replica.ReplicaRouter"]
# Lists show what the primary had this long ago or later.
REPLICA_MAX_LAG_SECONDS = env.integer(
    "DATABASE_REPLICA_MAX_LAG_SECONDS", default=10, low=1, high=300
)


def field_encryption_keys() -> list[str]:
    """Return FIELD_ENCRYPTION_KEYS, each a Fernet key."""
    keys = env.items("FIELD_ENCRYPTION_KEYS", pattern=r"[A-Za-z0-9_=-]+", example="a Fernet key")
    for key in keys:
        try:
            Fernet(key)
        except ValueError:
            raise refusal(
                "FIELD_ENCRYPTION_KEYS",
                "has an item that is no Fernet key",
                "Give 32 bytes each, in URL-safe base64",
            ) from None
    return keys


def log_level(default: str) -> str:
    """Return LOG_LEVEL."""
    return env.choice(
        "LOG_LEVEL", default=default, choices=("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
    )


def redis_cache(url: str) -> dict[str, Any]:
    """Return the `default` cache in the Redis at `url`, with a timeout of one second."""
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": url,
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
    }


def local_cache(url: str, *, limits: bool) -> dict[str, Any]:
    """Return the `default` cache of a single machine: the Redis at `url` if given.

    Without it, rate limits that are on are counted in PostgreSQL, shared by all processes.
    """
    if url:
        return redis_cache(url)
    if limits:
        return {"BACKEND": "exchange.core.counters.DatabaseCounters"}
    return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}


# --- Metrics ---------------------------------------------------------------------------------
# Where the web server serves its metrics; worker, beat and streams on the next three ports.
METRICS_MAX_PORT = 65535 - 3
METRICS_LISTEN = env.private_address("METRICS_LISTEN", high=METRICS_MAX_PORT)

# --- API -------------------------------------------------------------------------------------
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["exchange.participants.authentication.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["exchange.api.permissions.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["exchange.api.renderers.EnvelopeRenderer"],
    "DEFAULT_PARSER_CLASSES": ["exchange.api.parsers.ExactJSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["exchange.api.throttling.KeyThrottle"],
    "DEFAULT_PAGINATION_CLASS": "exchange.api.pagination.EnvelopePagination",
    "DEFAULT_FILTER_BACKENDS": [
        "django_filters.rest_framework.DjangoFilterBackend",
        "exchange.api.pagination.Sorting",
    ],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "exchange.api.negotiation.OnlyJSON",
    "DEFAULT_SCHEMA_CLASS": "exchange.api.schema.EnvelopeSchema",
    "EXCEPTION_HANDLER": "exchange.api.exceptions.handle_exception",
    "UNAUTHENTICATED_USER": None,
    "COERCE_DECIMAL_TO_STRING": False,
}

API_BODY_LIMIT_BYTES = 64 * 1024
API_BODY_DEPTH_LIMIT = 20
API_PAGE_LIMIT_DEFAULT = 20
API_PAGE_LIMIT_MAX = 200

# Per minute and key: requests, money-moving POSTs, token requests. Failed token requests: per
# address and client id, and per address.
RATE_LIMITS_ENABLED = env.boolean("RATE_LIMITS_ENABLED", default=True)
RATE_LIMITS: dict[str, int] = {
    "requests": env.integer("RATE_LIMIT_REQUESTS", default=600, low=1, high=10_000_000),
    "money": env.integer("RATE_LIMIT_MONEY", default=120, low=1, high=10_000_000),
    "token": env.integer("RATE_LIMIT_TOKEN", default=20, low=1, high=10_000_000),
    "token_failures": env.integer("RATE_LIMIT_TOKEN_FAILURES", default=10, low=1, high=10_000),
    "token_failures_address": env.integer(
        "RATE_LIMIT_TOKEN_FAILURES_ADDRESS", default=60, low=1, high=100_000
    ),
}
IDEMPOTENCY_WAIT_SECONDS = env.integer("IDEMPOTENCY_WAIT_SECONDS", default=10, low=1, high=60)
IDEMPOTENCY_RETENTION_HOURS = retention.idempotency_hours()
# Months that partitioned tables keep, by table; None is forever.
RETENTION_MONTHS = retention.retention_months()
REQUEST_LOG_ENABLED = env.boolean("REQUEST_LOG_ENABLED", default=True)

# --- Plausibility ----------------------------------------------------------------------------
# A change by more percent than this is shown in red, and both people give a reason. Of deposits and
# treasury movements: how far above the largest so far.
PLAUSIBILITY_BANDS = plausibility.bands()
# The same amount of the same owner, or of the same kind of treasury movement, within these days.
REPEATED_AMOUNT_DAYS = env.integer("REPEATED_AMOUNT_DAYS", default=7, low=0, high=366)
# Finds the balance at the provider that was read last, which deposits by hand are compared with.
PROVIDER_BALANCE = "wallets.reconciliation.selectors.overview.last_provider_balance"

# --- Conversions and trading -----------------------------------------------------------------
# Older rates convert nothing.
RATE_MAX_AGE_HOURS = env.integer("RATE_MAX_AGE_HOURS", default=24, low=1, high=8760)
# Percent by which the price of a market order may be less favourable than the best one.
MARKET_COLLAR = env.integer("MARKET_COLLAR", default=5, low=0, high=50)

# --- Credit and distributions ----------------------------------------------------------------
# Older quotes do not count as collateral value: a missing or stale price blocks.
PRICE_MAX_AGE_HOURS = env.integer("PRICE_MAX_AGE_HOURS", default=30 * 24, low=1, high=8760)
# A distribution is announced at least this long before its record.
DISTRIBUTION_NOTICE_DAYS = env.integer("DISTRIBUTION_NOTICE_DAYS", default=3, low=0, high=30)
# Income of this share of price.sell or more a unit: open orders are cancelled at the record.
EX_INCOME_PERCENT = env.integer("EX_INCOME_PERCENT", default=5, low=1, high=100)

# Event types, for lists and filters.
EVENT_TYPES = event_types.EVENT_TYPES

# The ids in paths, for the OpenAPI document.
API_PATH_IDS = "config.api_docs.document.PATH_IDS"
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Tokenized Investment Exchange",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/v1",
    "PATH_CONVERTER_OVERRIDES": {"own_id": str},
    "POSTPROCESSING_HOOKS": [
        "config.api_docs.document.introduce",
        "exchange.participants.oauth_schema.add_oauth",
        *event_types.SCHEMA_HOOKS,
        "config.api_docs.document.add_code_samples",
        "config.api_docs.contract.publish",
    ],
    "SERVERS": [{"url": "/", "description": "This installation"}],
    "CONTACT": {"name": "The team that runs this installation"},
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
    "SERVE_PERMISSIONS": [],
    "SERVE_AUTHENTICATION": [],
}

# --- Access ----------------------------------------------------------------------------------
AUTH_USER_MODEL = "exchange.StaffUser"
OAUTH2_PROVIDER_APPLICATION_MODEL = "exchange.ApiKey"
SCOPES = {
    "tokens:read": "Read tokens and distributions",
    "tokens:write": "Propose and fund distributions of own tokens",
    "orders:read": "Read orders, books and trades",
    "orders:write": "Place and cancel orders",
    "portfolio:read": "Read the investments of members",
    "credit:read": "Read loan configurations and loans",
    "credit:write": "Propose configurations, create and service loans",
    "wallets:read": "Read wallets, income, statements, withdrawals and banks",
    "wallets:withdraw": "Request and cancel withdrawals",
    "wallets:transfer": "Transfer and convert money between own wallets",
    "deposits:write": "Open virtual accounts and checkouts",
    "members:read": "Read members",
    "members:write": "Create members",
    "webhooks:manage": "Manage the webhook endpoint and its events",
}
# Scopes that give an API key privileged access: such a key takes two people.
PRIVILEGED_SCOPES = frozenset(
    {"credit:write", "orders:write", "tokens:write", "wallets:transfer", "wallets:withdraw"}
)
OAUTH2_PROVIDER: dict[str, Any] = {
    "SCOPES": SCOPES,
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
    # Only client credentials are offered; the rest of other grants is disabled too.
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_SCHEME": True,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],
    "OAUTH2_VALIDATOR_CLASS": "exchange.participants.oauth.ApiKeyValidator",
    "CLIENT_SECRET_HASHER": "client_sha256",
}

# --- Webhooks to organisations -----------------------------------------------------------------
WEBHOOK_TIMEOUT_SECONDS = 15
# Events show staff as a role and an opaque id; on: also their names.
EVENTS_NAME_STAFF = env.boolean("EVENTS_NAME_STAFF", default=False)
WEBHOOK_ALLOW_LOCAL = env.boolean("WEBHOOK_ALLOW_LOCAL", default=False)

# --- E-mail to staff -----------------------------------------------------------------------------
EMAIL_BACKEND, EMAIL_TIMEOUT = mail.BACKEND, mail.SECONDS
EMAIL_HOST, EMAIL_PORT, EMAIL_USE_TLS = mail.HOST, mail.PORT, mail.USE_TLS
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = mail.USER, mail.PASSWORD
DEFAULT_FROM_EMAIL, BACK_OFFICE_URL = mail.SENDER or "exchange@localhost", mail.BACK_OFFICE_URL

# --- Proof of books ------------------------------------------------------------------------------
# From this hour (UTC) on, the daily full proof runs.
BOOKS_PROOF_HOUR = env.integer("BOOKS_PROOF_HOUR", default=3, low=0, high=23)

# --- Withdrawals and payouts -------------------------------------------------------------------
BANK_LIST_FRESH_HOURS, PAYOUT_MONITORING_DAYS = 24, 30
BANK_LIST_SERVE_STALE = env.boolean("BANK_LIST_SERVE_STALE", default=False)
PAYOUT_LEASE_SECONDS = env.integer("PAYOUT_LEASE_SECONDS", default=120, low=1, high=3600)
BULK_APPROVAL_UNDO_SECONDS = env.integer("BULK_APPROVAL_UNDO_SECONDS", default=10, low=0, high=600)
PAYOUT_UNKNOWN_AFTER_SECONDS = env.integer(
    "PAYOUT_UNKNOWN_AFTER_SECONDS", default=30 * 60, low=1, high=604_800
)
# Consecutive provider failures that put payouts on hold, and the interval of probes then.
PROVIDER_CIRCUIT_FAILURES = env.integer("PROVIDER_CIRCUIT_FAILURES", default=5, low=1, high=100)
PROVIDER_CIRCUIT_PROBE_SECONDS = env.integer(
    "PROVIDER_CIRCUIT_PROBE_SECONDS", default=60, low=1, high=3600
)


def provider_base_url(default: str) -> str:
    """Return FLUTTERWAVE_BASE_URL, which ends in the version of the API."""
    url = env.url("FLUTTERWAVE_BASE_URL", default=default, schemes=("https", "http")).rstrip("/")
    if not url.endswith("/v3"):
        raise refusal("FLUTTERWAVE_BASE_URL", "does not end in /v3", "Give https://host/v3")
    return url


PAYMENT_PROVIDER: dict[str, Any] = {
    "base_url": provider_base_url("https://api.flutterwave.com/v3"),
    "secret_key": env.secret("FLUTTERWAVE_SECRET_KEY"),
    "webhook_hash": env.secret("FLUTTERWAVE_WEBHOOK_HASH"),
    "connect_timeout": env.number("FLUTTERWAVE_CONNECT_TIMEOUT", default=5, low=0.1, high=300),
    "read_timeout": env.number("FLUTTERWAVE_READ_TIMEOUT", default=35, low=0.1, high=300),
    "total_timeout": env.number("FLUTTERWAVE_TOTAL_TIMEOUT", default=45, low=0.1, high=300),
}
for _name in ("connect_timeout", "read_timeout"):
    if PAYMENT_PROVIDER[_name] > PAYMENT_PROVIDER["total_timeout"]:
        raise refusal(
            f"FLUTTERWAVE_{_name.upper()}",
            "is longer than FLUTTERWAVE_TOTAL_TIMEOUT",
            "Shorten it, or lengthen the total",
        )
# A transfer is posted in the first half of its lease, and must end within it.
if 2 * PAYMENT_PROVIDER["total_timeout"] > PAYOUT_LEASE_SECONDS:
    raise refusal(
        "PAYOUT_LEASE_SECONDS",
        "is shorter than twice FLUTTERWAVE_TOTAL_TIMEOUT, so two workers could own one payout",
        "Lengthen it, or shorten the time-out",
    )

# --- Exports -----------------------------------------------------------------------------------
EXPORT_SOURCES = "config.back_office.exports.SOURCES"
EXPORT_RETENTION_DAYS = 7
# Progress is a share of at most this many rows, since counting more is slow.
EXPORT_COUNT_LIMIT = 1_000_000

# --- Celery ------------------------------------------------------------------------------------
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY = False
