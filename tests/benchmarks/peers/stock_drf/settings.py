"""Settings of the peers: Django's and DRF's defaults, which connect for every request; their keys
are in a schema of the benchmark's database, the tokens are ours.
"""

from __future__ import annotations

import os
from typing import Any

from config.settings.databases import from_url

SECRET_KEY = "benchmark only"
DEBUG = False
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "tests.benchmarks.peers.stock_drf.urls"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django_filters",
    "rest_framework",
    "rest_framework.authtoken",
    "tests.benchmarks.peers.stock_drf.apps.PeerConfig",
]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

_database: dict[str, Any] = from_url(os.environ["PEER_DATABASE_URL"])
_database["OPTIONS"]["options"] = "-c search_path=peer_tokens"
DATABASES = {"default": _database}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "DEFAULT_FILTER_BACKENDS": [
        "django_filters.rest_framework.DjangoFilterBackend",
        "rest_framework.filters.SearchFilter",
    ],
    "PAGE_SIZE": 20,
    "COERCE_DECIMAL_TO_STRING": False,
}
