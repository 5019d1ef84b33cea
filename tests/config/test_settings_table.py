"""docs/operations/settings.md lists every variable of the environment, with bounds and default."""

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.config.test_production import read_settings
from tests.environment.processes import CHECKOUT

PAGE = CHECKOUT / "docs" / "operations" / "settings.md"
ROW = re.compile(r"\| `([A-Z_]+)` \| ([^|]+) \| ([^|]+) \| [^|]+ \|")
# Defaults that the settings compute.
COMPUTED = {"CSRF_TRUSTED_ORIGINS": "https of the hosts"}
LOCAL_COMPUTED = {"CELERY_QUEUE", "FLUTTERWAVE_BASE_URL"}
_LOCAL = """
import json
from config.settings import local
print(json.dumps({each.name: [each.kind, each.default] for each in local.env.declared.values()}))
"""


def documented() -> dict[str, tuple[str, str]]:
    rows = [ROW.fullmatch(line) for line in PAGE.read_text().splitlines()]
    cells = [row.groups() for row in rows if row]
    assert len({name for name, _, _ in cells}) == len(cells), "a variable is listed twice"
    return {
        name: (kind.replace("`", ""), default.replace("`", "")) for name, kind, default in cells
    }


def declared() -> dict[str, tuple[str, str]]:
    """Return what the settings of production and of a local installation read."""
    (production,) = read_settings({})
    done = subprocess.run(
        [sys.executable, "-c", _LOCAL], cwd=CHECKOUT, env={"PATH": "/usr/bin"},
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    local = json.loads(done.stdout)
    found = {}
    for name, kind, default, required in production["declared"]:
        shown = COMPUTED.get(name) or ("*required*" if required else default or "none")
        if not required and name in local and name not in {*COMPUTED, *LOCAL_COMPUTED}:
            other = local[name][1] or "none"
            shown += f" (local: {other})" if other != (default or "none") else ""
        found[name] = (kind, shown)
    only_local = {name: (kind, default or "none") for name, (kind, default) in local.items()}
    return {**only_local, **found}


def test_the_table_lists_every_variable_with_its_bounds_and_default() -> None:
    table = documented()
    table["CACHE_URL"] = (
        table["CACHE_URL"][0],
        table["CACHE_URL"][1].replace(" (local: none)", ""),
    )
    table["DATA_DIR"] = (table["DATA_DIR"][0], table["DATA_DIR"][1].replace("var/", "none"))
    assert table == declared()


def test_no_other_module_reads_a_variable_that_the_settings_do_not() -> None:
    # The last one is for the web server's own processes.
    known = {*declared(), "DJANGO_SETTINGS_MODULE", "PROMETHEUS_MULTIPROC_DIR"}
    read = re.compile(r"""(?:os\.environ(?:\.get\(|\[)|getenv\()["']([A-Z_]+)""")
    offenders = [
        (str(path.relative_to(CHECKOUT)), name)
        for app in ("config", "exchange", "wallets", "credit", "orders")
        for path in sorted(Path(CHECKOUT, app).rglob("*.py"))
        if path.name != "test.py"
        for name in read.findall(path.read_text())
        if name not in known
    ]
    assert offenders == []
