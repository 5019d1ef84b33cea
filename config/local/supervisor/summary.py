"""What `up` tells the person who started it, from DIR/demo.json."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from config.demo import credentials_file
from exchange.participants.models import Organisation


def demo_is_loaded(data_dir: Path, base_url: str) -> bool:
    """Whether the file is there, complete, and its organisations are in this database.

    At another `base_url` it is loaded again: the logos of its tokens have their address in it.
    """
    demo = credentials_file.read(data_dir)
    ids = [organisation["id"] for organisation in demo.get("organisations", [])]
    if not ids or not demo.get("tokens") or demo.get("base_url") != base_url:
        return False
    return Organisation.objects.using("owner").filter(id__in=ids).count() == len(ids)


def lines(data_dir: Path, base_url: str, provider_url: str, *, demo: bool) -> Iterator[str]:
    """Addresses, and the credentials of the demo world where it is loaded.

    The addresses in the file are brought up to date: the port may differ from start to start.
    """
    addresses = {
        "base_url": base_url,
        "admin_url": f"{base_url}/admin/",
        "provider_url": provider_url,
    }
    yield ""
    yield f"  Service            {base_url}"
    yield f"  API documentation  {base_url}/v1/docs"
    yield f"  Back office        {addresses['admin_url']}"
    yield f"  Payment provider   {provider_url}"
    world = credentials_file.read(data_dir) if demo else {}
    if world:
        credentials_file.write(data_dir, {**world, **addresses})
        yield ""
        for person in world.get("staff", []):
            yield f"  {person['role']:<18} {person['username']} / {person['password']}"
        yield f"  Their codes        {_python()} manage.py totp USERNAME"
        for organisation in world.get("organisations", []):
            yield ""
            yield f"  {organisation['name']} ({organisation['id']})"
            for name in ("client_id", "client_secret", "access_token", "webhook_secret"):
                yield f"    {name:<16} {organisation[name]}"
        yield ""
        yield f"  All of this is in {data_dir / credentials_file.FILE_NAME}"
    yield ""


def _python() -> str:
    """How to call this interpreter from here, so that what is printed can be typed as it stands."""
    return sys.executable.removeprefix(f"{Path.cwd()}/")
