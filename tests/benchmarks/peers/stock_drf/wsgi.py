"""The peer's WSGI application."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.benchmarks.peers.stock_drf.settings")
application = get_wsgi_application()
