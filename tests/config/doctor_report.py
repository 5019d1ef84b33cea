"""Runs `manage.py doctor` as an operator does, and reads what it found."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence

from tests.config.test_production import COMPLETE
from tests.environment.processes import CHECKOUT

# Refuses connections, unless a test names a provider.
NO_PROVIDER = "http://127.0.0.1:1/v3"
# None of these may be shown.
SECRET_WORDS = [
    COMPLETE["SECRET_KEY"], COMPLETE["FIELD_ENCRYPTION_KEYS"], "FLWSECK_TEST-doctor-0123456789-X",
    "hash-of-the-webhooks", "secret-word", "p@ss", "p%40ss",
]  # fmt: skip


class Report:
    """What doctor printed: findings by check."""

    def __init__(self, done: subprocess.CompletedProcess[str], seconds: float) -> None:
        self.text, self.seconds, self.status = done.stdout, seconds, done.returncode
        assert done.stderr == "", done.stderr
        self.findings = json.loads(done.stdout)["findings"]

    def levels(self, check: str) -> list[str]:
        return [each["level"] for each in self.findings if each["check"] == check]

    def seen(self, check: str) -> str:
        return " | ".join(each["seen"] for each in self.findings if each["check"] == check)


def doctor(*, within: Sequence[str] = (), **changes: str) -> Report:
    """Run doctor with a production environment and `changes`, by the command `within` if any."""
    began = time.monotonic()
    done = subprocess.run(
        [*within, sys.executable, "manage.py", "doctor", "--json"],
        cwd=CHECKOUT,
        env={
            "PATH": os.environ["PATH"],
            "HOME": "/",
            **COMPLETE,
            "FLUTTERWAVE_BASE_URL": NO_PROVIDER,
            **changes,
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    report = Report(done, time.monotonic() - began)
    leaked = [word for word in SECRET_WORDS if word in done.stdout]
    assert leaked == []
    assert all(each["remedy"] or each["level"] == "ok" for each in report.findings)
    assert (report.status == 1) == any(each["level"] == "problem" for each in report.findings)
    return report
