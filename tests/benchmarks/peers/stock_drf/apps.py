"""Registers the peer with Django."""

from django.apps import AppConfig


class PeerConfig(AppConfig):
    name = "tests.benchmarks.peers.stock_drf"
    label = "peer_tokens"
