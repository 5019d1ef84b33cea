"""A pytest plugin that loads another one, which imports models, once Django is set up.

Tracing has to start before that.
"""

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
    """Start tracing before any of our modules is imported, to record all lines."""
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
