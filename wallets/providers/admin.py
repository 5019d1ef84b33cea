"""The list of the provider's webhooks, read-only."""

from django.contrib import admin

from exchange.admin.base import SafeAdmin
from exchange.admin.columns import time_column
from wallets.providers.models import ProviderEvent


@admin.register(ProviderEvent)
class ProviderEventAdmin(SafeAdmin):
    reads_replica = True
    list_display = ("time_display", "reference", "provider_id", "deliveries")
    ordering = ("-pk",)
    search_fields = ("=reference", "=provider_id")
    search_help_text = "Reference, provider ID, or event ID"
    fields = ("time_display", "reference", "provider_id", "deliveries", "digest", "body")

    time_display = time_column("received (UTC)", "received_at", ordering="received_at")
