"""Registers `exchange` with Django."""

from django.apps import AppConfig


class ExchangeConfig(AppConfig):
    name = "exchange"
    verbose_name = "Exchange"
