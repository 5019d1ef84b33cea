"""The WSGI application; imports Celery, so that requests can notify workers."""

from __future__ import annotations

from django.core.wsgi import get_wsgi_application

from config.celery import app as celery_app

__all__ = ["application", "celery_app"]

application = get_wsgi_application()
