"""Build the image, write it and its bill of materials, and run it without rights.

Uses the machine's PostgreSQL, broker and Redis, with a database and a queue of its own.
"""

import argparse
import sys
import time
import tomllib
from pathlib import Path

from tests.image.build import CHECKOUT, BuildError, build
from tests.image.check import check_image
from tests.image.container import Container
from tests.image.sbom import write_sbom


def main() -> int:
    """Build and check the image; return 1 if a check failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.image", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/image"))
    options = parser.parse_args()
    began = time.monotonic()
    version = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]
    archive, sbom = options.out / "exchange.tar", options.out / "exchange.cdx.json"
    try:
        image = build(options.out)
        image.archive(archive.absolute())
        print(f"Built in {time.monotonic() - began:.0f} s", flush=True)
        with image.mounted() as root:
            write_sbom(root, image.wheels, version, sbom)
            container = Container(root, image.configuration())
            failures = check_image(container, sbom)
    except BuildError as error:
        parser.error(str(error))
    print(f"{archive}: {archive.stat().st_size / 1e6:.0f} MB; {sbom}", flush=True)
    for failure in failures:
        print(failure)
    print(f"{'FAILED' if failures else 'passed'} after {time.monotonic() - began:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
