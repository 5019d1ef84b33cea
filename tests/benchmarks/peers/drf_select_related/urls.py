"""The peer's one route."""

from django.urls import path

from tests.benchmarks.peers.drf_select_related.views import PortfolioView

urlpatterns = [path("portfolio/<uuid:member_id>", PortfolioView.as_view())]
