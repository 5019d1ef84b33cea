"""Registers the peer with Django."""

from django.apps import AppConfig


class PeerOrdersConfig(AppConfig):
    name = "tests.benchmarks.peers.orm_orders"
    label = "peer_orders"
