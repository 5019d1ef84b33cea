"""Compare the locked packages with the advisories of OSV, from its service or from files.

`--files` names a folder of OSV records in JSON, or the zip file that OSV publishes of an ecosystem,
for machines without the internet. Exits with 0 when there are no findings, 1 with findings, and 3
when the packages could not be audited.
"""

import argparse
import json
import re
import sys
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

NOT_AUDITED = 3
LOCKS = ("requirements.lock", "config/installer.lock", "tests/requirements.lock")
SERVICE = "https://api.osv.dev/v1/querybatch"
_SECONDS = 30
_LOCKED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^ ;\\]+)", re.MULTILINE)


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    """An advisory about a locked version of a package."""

    package: str
    version: str
    advisory: str


def main(arguments: list[str]) -> int:
    """Print the findings; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.advisories", description=__doc__)
    parser.add_argument("--files", type=Path, help="a folder or zip file of OSV records")
    parser.add_argument("--service", default=SERVICE, help="the address that is queried")
    parser.add_argument("locks", nargs="*", type=Path, default=[Path(lock) for lock in LOCKS])
    options = parser.parse_args(arguments)
    try:
        locked = read_locks(options.locks)
        found = find_in_files(options.files, locked) if options.files else ask(options, locked)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        print(f"NOT AUDITED: {error}. Try again, or pass --files with OSV records.")
        return NOT_AUDITED
    for finding in sorted(found):
        print(f"{finding.package} {finding.version}: {finding.advisory}")
    print(f"{len(locked)} packages audited, {len(found)} findings.")
    return 1 if found else 0


def read_locks(files: list[Path]) -> dict[str, str]:
    """Return the versions of all locked packages by normalized name. Raises `ValueError`."""
    locked = {
        normalize(name): version
        for file in files
        for name, version in _LOCKED.findall(file.read_text())
    }
    if not locked:
        raise ValueError("the lock files name no package")
    return locked


def normalize(name: str) -> str:
    """Return a package's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def ask(options: argparse.Namespace, locked: Mapping[str, str]) -> set[Finding]:
    """Return the findings of the service. Raises `OSError`, `ValueError`."""
    packages = list(locked.items())
    queries = [
        {"package": {"name": name, "ecosystem": "PyPI"}, "version": version}
        for name, version in packages
    ]
    request = urllib.request.Request(
        options.service,
        json.dumps({"queries": queries}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=_SECONDS) as response:
        results = json.load(response)["results"]
    return {
        Finding(name, version, advisory["id"])
        for (name, version), result in zip(packages, results, strict=True)
        for advisory in result.get("vulns", ())
    }


def find_in_files(source: Path, locked: Mapping[str, str]) -> set[Finding]:
    """Return the findings of the OSV records in `source`. Raises `OSError`, `ValueError`."""
    found, records = set(), 0
    for record in read_records(source):
        records += 1
        for affected in () if record.get("withdrawn") else record.get("affected", ()):
            package = affected.get("package", {})
            name = normalize(package.get("name", ""))
            if package.get("ecosystem") == "PyPI" and name in locked:
                version = locked[name]
                if is_affected(version, affected):
                    found.add(Finding(name, version, record["id"]))
    if not records:
        raise ValueError(f"{source} has no OSV records")
    return found


def read_records(source: Path) -> Iterator[dict[str, Any]]:
    """Yield the OSV records of a folder or a zip file."""
    if source.is_dir():
        for file in sorted(source.glob("**/*.json")):
            yield json.loads(file.read_bytes())
        return
    with zipfile.ZipFile(source) as archive:
        for name in archive.namelist():
            if name.endswith(".json"):
                yield json.loads(archive.read(name))


def is_affected(version: str, affected: Mapping[str, Any]) -> bool:
    """Return whether `version` is listed, or lies in a range of the record."""
    if version in affected.get("versions", ()):
        return True
    return any(
        _is_inside(Version(version), each["events"])
        for each in affected.get("ranges", ())
        if each.get("type") == "ECOSYSTEM"
    )


def _is_inside(version: Version, events: list[Mapping[str, str]]) -> bool:
    """Apply the events in order of their versions: each begins or ends what is affected."""
    inside = False
    for event in sorted(events, key=lambda one: _version(next(iter(one.values())))):
        [(kind, text)] = event.items()
        limit = _version(text)
        if kind == "introduced" and version >= limit:
            inside = True
        elif (kind == "fixed" and version >= limit) or (
            kind == "last_affected" and version > limit
        ):
            inside = False
    return inside


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
