"""The peer's routes."""

from django.urls import path

from tests.benchmarks.peers.drf_orm.views import TransferView, WithdrawView

urlpatterns = [
    path("withdraw/<uuid:holder>", WithdrawView.as_view()),
    path("transfers", TransferView.as_view()),
]
