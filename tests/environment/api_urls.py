"""The URLs of participants and access only, mounted as in `config.urls`."""

from django.urls import include, path

urlpatterns = [path("v1/", include("exchange.urls"))]
