"""The part of the OpenAPI document about the sandbox, on sandbox installations only."""

from typing import Any

from config.local.outcomes.api import TAG

_TEXT = "Outcomes that you set yourself, for the tests of your integration. Sandbox only."


def add_tag(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the tag of the sandbox's operations, last."""
    result["tags"].append({"name": TAG, "description": _TEXT})
    for group in result["x-tagGroups"]:
        group["tags"].append(TAG)
    return result
