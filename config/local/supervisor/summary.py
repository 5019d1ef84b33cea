"""The summary that `up` prints, from DIR/demo.json."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.conf import settings

from config.local.demo import credentials_file
from config.local.outcomes.people import has_identities
from config.local.outcomes.settings import SCOPE
from exchange.participants.models import Organisation


def demo_is_loaded(data_dir: Path, base_url: str) -> bool:
    """Return whether the file is complete and its organisations are in this database.

    With another `base_url` it is loaded again, since the URLs of logos contain it; and where an
    earlier version loaded it, which had no identities of the sandbox.
    """
    demo = credentials_file.read(data_dir)
    ids = [organisation["id"] for organisation in demo.get("organisations", [])]
    if not ids or not demo.get("tokens") or demo.get("base_url") != base_url:
        return False
    if SCOPE in settings.SCOPES and not has_identities("owner"):
        return False
    return Organisation.objects.using("owner").filter(id__in=ids).count() == len(ids)


def lines(data_dir: Path, addresses: Mapping[str, str], *, demo: bool) -> Iterator[str]:
    """Yield the addresses, and the credentials of the demo data if loaded.

    Updates the addresses in the file, since the port may change.
    """
    yield ""
    yield f"  Service            {addresses['base_url']}"
    yield f"  Streams            {addresses['stream_url']}"
    yield f"  API documentation  {addresses['base_url']}/v1/docs"
    yield f"  Back office        {addresses['admin_url']}"
    yield f"  Payment provider   {addresses['provider_url']}"
    yield "  For this machine only: no proxy keeps slow clients from the web server."
    credentials = credentials_file.read(data_dir) if demo else {}
    if credentials:
        credentials_file.write(data_dir, {**credentials, **addresses})
        yield ""
        for person in credentials.get("staff", []):
            yield f"  {person['role']:<18} {person['username']} / {person['password']}"
        yield f"  Sign-in codes      {_python()} manage.py totp USERNAME"
        for organisation in credentials.get("organisations", []):
            yield ""
            yield f"  {organisation['name']} ({organisation['id']})"
            for name in ("client_id", "client_secret", "access_token", "webhook_secret"):
                yield f"    {name:<16} {organisation[name]}"
        yield ""
        yield f"  Stored in {data_dir / credentials_file.FILE_NAME}"
    yield ""


def _python() -> str:
    """Return the interpreter's path relative to the working directory, for the printed command."""
    return sys.executable.removeprefix(f"{Path.cwd()}/")
