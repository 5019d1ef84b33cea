"""The `config` app, and the admin site that replaces Django's."""

from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.core.checks import Tags, register

from config.back_office.pages import PAGES
from config.checks import CHECKS


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Config"

    def ready(self) -> None:
        """Register the deployment checks."""
        for check in CHECKS:
            register(check, Tags.security, deploy=True)


class ExchangeAdminConfig(admin_apps.SimpleAdminConfig):
    default = False  # listed in INSTALLED_APPS by its path
    default_site = "config.back_office.site.BackOffice"

    def ready(self) -> None:
        """Register the pages."""
        super().ready()
        for page in PAGES:
            import_module(page)
