"""Registers `config` with Django, and our own admin site in the place of Django's."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Config"


class ExchangeAdminConfig(admin_apps.AdminConfig):
    default = False  # named in INSTALLED_APPS, never found by itself
    default_site = "config.admin_site.BackOffice"
