"""A real Prometheus with the files of docs/monitoring, at the ports of a test."""

import math
import re
from pathlib import Path

import requests

from config.ports import is_responding
from tests.environment.debian import require_programs
from tests.environment.ports import claim_ports
from tests.environment.processes import CHECKOUT, Program, wait_until

MONITORING = CHECKOUT / "docs" / "monitoring"
HOST = "127.0.0.1"

Sample = tuple[dict[str, str], float]


class Prometheus:
    """Scrapes the programs whose metrics begin at `metrics_port`, every second.

    Alerts fire after a second instead of minutes; everything else is as in the files.
    """

    def __init__(self, folder: Path, metrics_port: int) -> None:
        require_programs({"prometheus": "prometheus"})
        port = claim_ports()
        self._url = f"http://{HOST}:{port}/api/v1"
        folder.mkdir()
        configuration = (MONITORING / "prometheus.yml").read_text().replace(": 15s", ": 1s")
        # The ports of web, worker, beat and streams, whichever nodes have them.
        for offset in range(4):
            there = f"{HOST}:{metrics_port + offset}"
            configuration = re.sub(rf"\$\{{\w+\}}:{9464 + offset}\b", there, configuration)
        configuration = configuration.replace("${ALERTMANAGER}:9093", f"{HOST}:9")
        assert "$" not in configuration.partition("global:")[2]
        rules = (MONITORING / "alerts.yml").read_text()
        (folder / "alerts.yml").write_text(re.sub(r"for: \d+m\b", "for: 1s", rules))
        (folder / "prometheus.yml").write_text(configuration)
        self.program = Program(
            command=[
                "prometheus",
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={HOST}:{port}",
                "--log.level=warn",
            ],
            environment={},
            ready=lambda: is_responding(HOST, port, "/-/ready"),
            output=folder / "prometheus.log",
        )

    def query(self, expression: str) -> list[Sample]:
        """Return the labels and values of the expression now, without values that are NaN."""
        response = requests.get(f"{self._url}/query", params={"query": expression}, timeout=10)
        body = response.json()
        assert body["status"] == "success", (expression, body)
        result = body["data"]["result"]
        if body["data"]["resultType"] == "scalar":
            return [({}, float(result[1]))]
        samples = [(row["metric"], float(row["value"][1])) for row in result]
        return [sample for sample in samples if not math.isnan(sample[1])]

    def value(self, expression: str) -> float | None:
        """Return the only value of the expression, or None if it has none."""
        samples = self.query(expression)
        assert len(samples) < 2, samples
        return samples[0][1] if samples else None

    def firing(self) -> set[tuple[str, ...]]:
        """Return name and distinguishing label of each alert that fires."""
        names = ("kind", "job", "task", "status", "state", "operation", "currency")
        return {
            (labels["alertname"], *(labels[name] for name in names if name in labels))
            for labels, _ in self.query('ALERTS{alertstate="firing"}')
        }

    def wait_for(self, expression: str) -> None:
        """Wait until the expression has a value."""
        wait_until(lambda: bool(self.query(expression)), expression)
