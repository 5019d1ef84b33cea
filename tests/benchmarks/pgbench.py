"""pgbench, whose statements are the least that the database has to do."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from config.local.embedded.layout import OWNER, binary, database_settings
from tests.benchmarks.installation import Installation

SCRIPTS = Path(__file__).parent / "pgbench"


def run_pgbench(
    installation: Installation,
    script: Path,
    defines: Mapping[str, object],
    *,
    connections: int,
    seconds: float,
    options: str = "",
) -> tuple[int, float]:
    """Run the prepared statements of `script`; return their number and the seconds they took.

    `options` are settings of the server for the connections.
    """
    where = database_settings(installation.folder, OWNER)
    command = [
        str(binary("pgbench")),
        *("--no-vacuum", "--protocol=prepared", f"--client={connections}", "--jobs=1"),
        f"--time={max(1, round(seconds))}",
        *(f"--define={name}={value}" for name, value in defines.items()),
        f"--file={script}",
        *("--host", where["HOST"], "--port", where["PORT"], "--username", where["USER"]),
        where["NAME"],
    ]
    environment = {**os.environ, "PGOPTIONS": options}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    read = re.search(r"actually processed: (\d+)[^$]*?\ntps = ([\d.]+)", done.stdout)
    if read is None:
        sys.stderr.write(done.stderr)
        raise RuntimeError("pgbench gave no figure")
    processed = int(read[1])
    return processed, processed / float(read[2])
