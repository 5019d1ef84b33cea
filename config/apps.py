"""The `config` app, and the admin site that replaces Django's."""

from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.core.checks import Tags, register

from config.back_office.pages import PAGES
from config.checks import check_cooling_off, check_shared_rate_limits


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Config"

    def ready(self) -> None:
        """Register the deployment checks."""
        register(check_shared_rate_limits, Tags.security, deploy=True)
        register(check_cooling_off, Tags.security, deploy=True)


class ExchangeAdminConfig(admin_apps.SimpleAdminConfig):
    default = False  # listed in INSTALLED_APPS by its path
    default_site = "config.back_office.site.BackOffice"

    def ready(self) -> None:
        """Register the pages."""
        super().ready()
        for page in PAGES:
            import_module(page)
