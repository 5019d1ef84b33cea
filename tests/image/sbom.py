"""The image's bill of materials in CycloneDX: every Debian and Python package that is in it."""

import hashlib
import re
import subprocess
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from tests.image.build import BuildError

_PYTHON_PACKAGES = "opt/venv/lib/python3.11/site-packages"


def write_sbom(root: Path, wheels: Path, version: str, path: Path) -> None:
    """Write the bill of materials of the image at `root` to `path`.

    Hashes are those of the packages that were installed: of `wheels`, and of apt's signed lists.
    Raises BuildError for a package without one.
    """
    bom = Bom(components=[*_debian_packages(root), *_python_packages(root, wheels)])
    image = Component(name="exchange", version=version, type=ComponentType.CONTAINER)
    bom.metadata.component = image
    bom.register_dependency(image, bom.components)
    path.write_text(JsonV1Dot6(bom).output_as_string(indent=1))


def _component(url: PackageURL, sha256: str) -> Component:
    return Component(
        name=url.name,
        version=url.version,
        type=ComponentType.LIBRARY,
        purl=url,
        bom_ref=url.to_string(),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=sha256)],
    )


def _debian_packages(root: Path) -> Iterator[Component]:
    listed = _output(
        *("dpkg-query", f"--admindir={root}/var/lib/dpkg", "--show"),
        *("--showformat", "${Package}\t${Version}\t${Architecture}\n"),
    )
    packages = [line.split("\t") for line in listed.splitlines()]
    names = [f"{name}:{architecture}={version}" if architecture != "all" else f"{name}={version}"
             for name, version, architecture in packages]  # fmt: skip
    known = _apt_hashes(_output("apt-cache", "show", *names))
    for name, version, architecture in packages:
        if (name, version) not in known:
            raise BuildError(f"apt's lists have no hash of {name} {version}: run apt-get update.")
        url = PackageURL("deb", "debian", name, version, {"arch": architecture})
        yield _component(url, known[name, version])


def _apt_hashes(text: str) -> dict[tuple[str, str], str]:
    found = {}
    for record in text.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Version|SHA256): (.*)$", record, re.MULTILINE))
        if len(fields) == 3:
            found[fields["Package"], fields["Version"]] = fields["SHA256"]
    return found


def _python_packages(root: Path, wheels: Path) -> Iterator[Component]:
    files = {}
    for wheel in wheels.glob("*.whl"):
        name, version, *_ = wheel.name.split("-")
        files[_normal(name), version] = wheel
    for package in distributions(path=[str(root / _PYTHON_PACKAGES)]):
        key = _normal(package.name), package.version
        if key not in files:
            raise BuildError(f"{package.name} {package.version} was not installed from a wheel.")
        sha256 = hashlib.sha256(files[key].read_bytes()).hexdigest()
        yield _component(PackageURL("pypi", None, *key), sha256)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{command[0]}: {done.stderr.strip()[-1000:]}")
    return done.stdout
