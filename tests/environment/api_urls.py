"""The addresses of participants and access alone, as `config.urls` mounts them."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [path("v1/", include("exchange.urls"))]
