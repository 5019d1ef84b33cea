"""`make audit`: findings of a service and of files, and an honest "not audited"."""

import json
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.advisories.__main__ import LOCKS, NOT_AUDITED, is_affected, main, read_locks
from tests.environment.processes import CHECKOUT

LOCK = "django==5.2.1 \\\n    --hash=sha256:00\nPy_YAML==6.0 ; python_version < '4'\n# via x==1\n"


def record(name: str, *events: dict[str, str], **more: Any) -> dict[str, Any]:
    ranges = [{"type": "ECOSYSTEM", "events": list(events)}]
    affected = {"package": {"name": name, "ecosystem": "PyPI"}, "ranges": ranges}
    return {"id": f"TEST-{name}", "affected": [affected], **more}


@pytest.fixture
def lock(tmp_path: Path) -> str:
    file = tmp_path / "requirements.lock"
    file.write_text(LOCK)
    return str(file)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "records"
    folder.mkdir()
    introduced = {"introduced": "0"}
    for number, each in enumerate(
        [
            record("Django", introduced, {"fixed": "5.2.2"}),
            record("py.yaml", introduced, {"fixed": "6.0"}),
            record("django", introduced, withdrawn="2026-01-01T00:00:00Z", id="TEST-withdrawn"),
            record("other", introduced),
        ]
    ):
        (folder / f"{number}.json").write_text(json.dumps(each))
    return folder


def test_files_name_the_affected_versions(lock, files, tmp_path, capsys):
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for file in files.iterdir():
            packed.write(file, file.name)
    for source in (files, archive):
        assert main(["--files", str(source), lock]) == 1
        assert capsys.readouterr().out == (
            "django 5.2.1: TEST-Django\n2 packages audited, 1 findings.\n"
        )
    (files / "0.json").unlink()
    assert main(["--files", str(files), lock]) == 0
    assert capsys.readouterr().out == "2 packages audited, 0 findings.\n"


@pytest.mark.parametrize("given", ["missing", "empty", "no zip", "no service"])
def test_what_could_not_be_audited_says_so_with_its_own_code(lock, tmp_path, capsys, given):
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "text").write_text("not a zip file")
    arguments = {
        "missing": ["--files", str(tmp_path / "absent")],
        "empty": ["--files", str(empty)],
        "no zip": ["--files", str(tmp_path / "text")],
        "no service": ["--service", "http://127.0.0.1:9/v1/querybatch"],
    }[given]
    assert main([*arguments, lock]) == NOT_AUDITED == 3
    out = capsys.readouterr().out
    assert out.startswith("NOT AUDITED: ")
    assert "findings" not in out


@pytest.mark.parametrize(
    ("events", "affected"),
    [
        ([{"introduced": "0"}], True),
        ([{"introduced": "5.2.2"}], False),
        ([{"introduced": "5.0"}, {"fixed": "5.2.1"}], False),
        ([{"introduced": "5.0"}, {"fixed": "5.10"}], True),
        ([{"introduced": "5.0"}, {"last_affected": "5.2.1"}], True),
        ([{"introduced": "5.0"}, {"last_affected": "5.2.0"}], False),
        ([{"introduced": "0"}, {"fixed": "4"}, {"introduced": "5.2"}, {"fixed": "6"}], True),
    ],
)
def test_a_range_is_compared_as_versions(events, affected):
    assert is_affected("5.2.1", record("django", *events)["affected"][0]) is affected


@pytest.fixture
def service() -> Iterator[str]:
    """A server that knows one advisory about django."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            results = [
                {"vulns": [{"id": "TEST-1"}]} if one["package"]["name"] == "django" else {}
                for one in asked["queries"]
            ]
            body = json.dumps({"results": results}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/querybatch"
        server.shutdown()


def test_the_service_is_asked_about_every_locked_version(lock, service, capsys):
    assert main(["--service", service, lock]) == 1
    assert capsys.readouterr().out.startswith("django 5.2.1: TEST-1\n2 packages audited")


def test_every_package_of_the_locks_is_read():
    locks = [CHECKOUT / name for name in LOCKS]
    lines = "\n".join(lock.read_text() for lock in locks).splitlines()
    packages = {line.partition("==")[0] for line in lines if line[:1].isalnum()}
    assert len(read_locks(locks)) == len(packages) > 100
