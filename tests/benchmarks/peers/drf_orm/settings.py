"""Settings of the peer: Django's and DRF's defaults, in a schema of the benchmark's database.

`PEER_POOL=1` gives it psycopg's pool; without, it connects for every request, Django's default.
"""

from __future__ import annotations

import os
from typing import Any

from config.settings.databases import from_url

SECRET_KEY = "benchmark only"
DEBUG = False
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "tests.benchmarks.peers.drf_orm.urls"
WSGI_APPLICATION = "tests.benchmarks.peers.drf_orm.wsgi.application"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "rest_framework.authtoken",
    "tests.benchmarks.peers.drf_orm.apps.PeerConfig",
]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

_database: dict[str, Any] = from_url(os.environ["PEER_DATABASE_URL"])
_database["OPTIONS"]["options"] = "-c search_path=peer"
if os.environ.get("PEER_POOL") == "1":
    _database["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 8}
DATABASES = {"default": _database}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
}
