"""Registers the peer with Django."""

from django.apps import AppConfig


class PeerConfig(AppConfig):
    name = "tests.benchmarks.peers.drf_orm"
    label = "peer"
