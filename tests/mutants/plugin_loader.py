"""The pytest plugin that loads the one a run needs as soon as Django is set up: it imports models.

What tests execute has to be traced from before that.
"""

from __future__ import annotations

import os
from pathlib import Path

import coverage
import pytest

from tests.mutants.runner import JOBS, RECORDING


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    for variable, plugin in (
        (RECORDING, "tests.mutants.recording"),
        (JOBS, "tests.mutants.worker"),
    ):
        if variable in os.environ:
            config.pluginmanager.import_plugin(plugin)


def _trace(folder: Path) -> coverage.Coverage:
    """Begin before any module of ours is imported, or its first lines are missed."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    tracer = coverage.Coverage(
        data_file=str(folder / f"coverage-{worker}"),
        config_file=False,
        source=["config", "exchange", "wallets", "credit", "orders"],
        omit=["*/migrations/*"],
    )
    tracer.start()
    return tracer


TRACER = _trace(Path(os.environ[RECORDING])) if RECORDING in os.environ else None
