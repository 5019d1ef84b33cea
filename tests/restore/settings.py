"""Production settings of the installations that tests restore and rotate.

Demo data is on, so that tests can create people with tenure; static files need no build.
"""

from config.settings.production import *  # noqa: F403 - how Django settings are layered

DEMO_DATA = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
