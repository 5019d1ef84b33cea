"""The peer's one route."""

from django.urls import path

from tests.benchmarks.peers.drf_orm.views import WithdrawView

urlpatterns = [path("withdraw/<uuid:holder>", WithdrawView.as_view())]
