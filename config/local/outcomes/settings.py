"""What the settings of a sandbox installation add: addresses, a scope and their documentation.

Settings modules import it, so it imports nothing of Django.
"""

from typing import Any
from urllib.parse import urlsplit

SCOPE = "sandbox"
_SCOPES = {SCOPE: "Set outcomes at the sandbox: decide, pay, return, fall due"}


def is_sandbox(provider: dict[str, Any]) -> bool:
    """Return whether a payment provider is the sandbox: on this machine, with a test key.

    Behind a tunnel to a real provider on this machine, a test key moves no money.
    """
    host = urlsplit(provider["base_url"]).hostname
    return host in {"127.0.0.1", "localhost", "::1"} and "_TEST" in provider["secret_key"]


def sandbox_settings(
    scopes: dict[str, str], oauth: dict[str, Any], schema: dict[str, Any]
) -> dict[str, Any]:
    """Return the settings that differ from `SCOPES` and others of production."""
    known = {**scopes, **_SCOPES}
    hooks = [*schema["POSTPROCESSING_HOOKS"], "config.local.outcomes.schema.add_tag"]
    return {
        "ROOT_URLCONF": "config.local.outcomes.urls",
        "SCOPES": known,
        "OAUTH2_PROVIDER": {**oauth, "SCOPES": known},
        "SPECTACULAR_SETTINGS": {**schema, "POSTPROCESSING_HOOKS": hooks},
    }
