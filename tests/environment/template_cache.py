"""A cache of the migrated template: the files of the embedded server that holds it.

Stored under `build/template-HASH`; the hash covers everything that determines its content. A run
works on a copy. The files appear atomically, so interrupted and parallel runs cannot corrupt them.
"""

import contextlib
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path
from tempfile import mkdtemp

import grimp

from config.local.embedded.layout import postgres_dir

CHECKOUT = Path(__file__).resolve().parent.parent.parent
CACHE_DIR = CHECKOUT / "build"
_APPS = ("config", "credit", "exchange", "orders", "wallets")
# The modules that `migrate` loads. They and their imports determine the template.
_ENTRY_MODULES = re.compile(
    r"^\w+\.(apps|\w+\.(commands|payloads)|models|migrations(\..+)?|settings\.test"
    r"|management\.commands\.migrate)$"
)
_OTHER_SOURCES = (
    "config/local/embedded/cluster.py",
    "config/local/embedded/layout.py",
    "tests/environment/database.py",
    "tests/environment/template_cache.py",
    "tests/environment/seed_rows.py",
)
# Enough for several branches of the same checkout.
_TEMPLATES_STORED = 3


def sources() -> set[Path]:
    """Return the files that determine the template: migrations, SQL, and what they import."""
    graph = grimp.build_graph(*_APPS, cache_dir=None)
    modules = {name for name in graph.modules if _ENTRY_MODULES.match(name)}
    for name in tuple(modules):
        modules |= graph.find_upstream_modules(name)
    # Importing a module runs its packages too.
    modules |= {name[:end] for name in modules for end, letter in enumerate(name) if letter == "."}
    files = {_file(name) for name in modules}
    files.update(path for app in _APPS for path in (CHECKOUT / app).rglob("*.sql"))
    files.update(CHECKOUT / name for name in _OTHER_SOURCES)
    return files


def template_hash(files: Iterable[Path]) -> str:
    """Hash `files`, the installed packages, and the month, whose partitions a template has."""
    digest = hashlib.sha256(f"{sys.version} {datetime.now(UTC):%Y-%m}".encode())
    for name, version in sorted((found.name, found.version) for found in distributions()):
        digest.update(f"{name} {version}\n".encode())
    for path in sorted(files):
        content = path.read_bytes()
        digest.update(f"{os.path.relpath(path, CHECKOUT)} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:20]


def restore_template(name: str, data_dir: Path, cache_dir: Path = CACHE_DIR) -> bool:
    """Copy the files stored under `name` into a new data directory; False if there are none."""
    kept = cache_dir / f"template-{name}"
    home = postgres_dir(data_dir)
    try:
        os.utime(kept)  # marks it as recently used
        home.mkdir(parents=True, mode=0o700)
        shutil.copytree(kept, home / "data")
    except OSError:  # missing, not readable, or being removed
        shutil.rmtree(home, ignore_errors=True)
        return False
    return True


def store_template(name: str, data_dir: Path, cache_dir: Path = CACHE_DIR) -> None:
    """Store the files of the stopped server of `data_dir` under `name`, and drop the oldest."""
    cache_dir.mkdir(exist_ok=True)
    draft = Path(mkdtemp(prefix="draft-template-", dir=cache_dir))
    try:
        shutil.copytree(postgres_dir(data_dir) / "data", draft, dirs_exist_ok=True)
        os.sync()  # a crash must not leave half-written files under the name
        with contextlib.suppress(OSError):  # another run stored it first
            draft.rename(cache_dir / f"template-{name}")
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    found = sorted(cache_dir.glob("template-*"), key=lambda path: path.stat().st_mtime)
    for old in found[:-_TEMPLATES_STORED]:
        shutil.rmtree(old, ignore_errors=True)


def place_migrated_server(data_dir: Path) -> None:
    """Copy a migrated server into a new data directory, if one is stored.

    Otherwise the first start on the directory migrates.
    """
    restore_template(template_hash(sources()), data_dir)


def _file(module: str) -> Path:
    # A folder of another release may contain only compiled files.
    path = CHECKOUT.joinpath(*module.split("."))
    source = path.with_suffix(".py")
    return source if source.is_file() else path / "__init__.py"
