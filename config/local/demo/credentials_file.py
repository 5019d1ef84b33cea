"""DIR/demo.json: addresses and credentials of the demo data, readable by its owner only."""

import json
import os
from pathlib import Path
from typing import Any

FILE_NAME = "demo.json"


def read(data_dir: Path) -> dict[str, Any]:
    """Return the content of the file; {} if it is missing or not a JSON object."""
    try:
        content = json.loads((data_dir / FILE_NAME).read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write(data_dir: Path, content: dict[str, Any]) -> None:
    """Replace the file atomically, with mode 0600."""
    path = data_dir / FILE_NAME
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(content, file, indent=2)
    draft.replace(path)
