"""The URLs of `exchange` and `wallets` only, mounted as in `config.urls`."""

from django.urls import include, path

urlpatterns = [path("v1/", include("wallets.urls")), path("v1/", include("exchange.urls"))]
