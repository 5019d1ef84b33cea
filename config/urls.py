"""Every address of the service."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from config.views import health, landing

urlpatterns = [
    path("", landing, name="landing"),
    path("health", health, name="health"),
    path("admin", RedirectView.as_view(url="/admin/")),
    path("admin/", admin.site.urls),
    path("", include("wallets.payouts.hooks")),
    path("v1/", include("orders.urls")),
    path("v1/", include("credit.urls")),
    path("v1/", include("wallets.urls")),
    path("v1/", include("exchange.urls")),
]

handler400 = "config.faults.unreadable"
handler403 = "config.faults.refused"
handler404 = "config.faults.missing"
handler500 = "config.faults.fault"
