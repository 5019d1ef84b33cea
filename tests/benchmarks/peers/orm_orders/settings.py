"""Settings of the peer: Django's defaults, one kept connection a thread, in a schema of its own."""

from __future__ import annotations

import os
from typing import Any

from config.settings.databases import from_url

SECRET_KEY = "benchmark only"
DEBUG = False
INSTALLED_APPS = ["tests.benchmarks.peers.orm_orders.apps.PeerOrdersConfig"]
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

_database: dict[str, Any] = from_url(os.environ["PEER_DATABASE_URL"])
_database["OPTIONS"]["options"] = "-c search_path=peer_orders"
_database["CONN_MAX_AGE"] = None
DATABASES = {"default": _database}
