"""Registers the peer with Django."""

from django.apps import AppConfig


class PeerLoansConfig(AppConfig):
    name = "tests.benchmarks.peers.orm_loans"
    label = "peer_loans"
