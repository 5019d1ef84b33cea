"""The stock peer's settings with other addresses."""

from tests.benchmarks.peers.stock_drf.settings import *  # noqa: F403 - how Django settings are layered

ROOT_URLCONF = "tests.benchmarks.peers.ninja.urls"
