"""Settings of the peer: Django's and DRF's defaults, on our own tables.

`PEER_POOL=1` gives it psycopg's pool; without, it connects for every request, Django's default.
"""

from __future__ import annotations

import os
from typing import Any

from config.settings.base import AUTH_USER_MODEL, OAUTH2_PROVIDER_APPLICATION_MODEL
from config.settings.databases import from_url

SECRET_KEY = "benchmark only"
FIELD_ENCRYPTION_KEYS: list[str] = []
DEBUG = False
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "tests.benchmarks.peers.drf_select_related.urls"
WSGI_APPLICATION = "tests.benchmarks.peers.drf_select_related.wsgi.application"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
    "rest_framework",
    "oauth2_provider",
    "exchange",
    "wallets",
]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

_database: dict[str, Any] = from_url(os.environ["PEER_DATABASE_URL"])
if os.environ.get("PEER_POOL") == "1":
    _database["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 8}
DATABASES = {"default": _database}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "tests.benchmarks.peers.drf_select_related.authentication.KeyAuthentication"
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
}

__all__ = ["AUTH_USER_MODEL", "OAUTH2_PROVIDER_APPLICATION_MODEL"]
