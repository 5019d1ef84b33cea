"""The peer's two lists."""

from django.urls import path

from tests.benchmarks.peers.stock_drf.views import ActiveTokens, AllTokens

urlpatterns = [
    path("tokens", ActiveTokens.as_view({"get": "list"})),
    path("search", AllTokens.as_view({"get": "list"})),
]
