"""The list of the provider's webhooks, read-only."""

from django.contrib import admin

from exchange.admin.base import SafeAdmin
from exchange.admin.columns import column
from exchange.admin.display import format_time
from wallets.providers.models import ProviderEvent


@admin.register(ProviderEvent)
class ProviderEventAdmin(SafeAdmin):
    reads_replica = True
    list_display = ("time_display", "reference", "provider_id", "deliveries")
    ordering = ("-pk",)
    search_fields = ("=reference", "=provider_id")
    search_help_text = "Reference, provider ID, or event ID"
    fields = ("time_display", "reference", "provider_id", "deliveries", "digest", "body")

    time_display = column(
        "received (UTC)", lambda event: format_time(event.received_at), ordering="received_at"
    )
