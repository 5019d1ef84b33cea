"""Who made the changes that triggers keep: the admin's requests carry the person (pghistory)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from exchange.ids import parse_id
from exchange.models import ApiKey, StaffUser


def who_changed(changes: Sequence[Any]) -> list[str]:
    """The person behind each of `changes`; `The system` where none is known."""
    ids = [_person_id(change) for change in changes]
    known = {user.pk: str(user) for user in StaffUser.objects.filter(pk__in=[i for i in ids if i])}
    return [known.get(i, "The system") if i else "The system" for i in ids]


def _person_id(change: Any) -> UUID | None:
    return parse_id(str((change.pgh_context or {}).get("user") or ""))


def actors(texts: Sequence[str]) -> list[str]:
    """Actors as records keep them (`staff:<id>`, `api_key:<id>`, `system:<job>`), in words."""
    ids = [i for i in (parse_id(text.partition(":")[2]) for text in texts) if i]
    names = {f"staff:{user.pk}": str(user) for user in StaffUser.objects.filter(pk__in=ids)}
    names |= {
        f"api_key:{key.pk}": f"API key {key.name}" for key in ApiKey.objects.filter(pk__in=ids)
    }
    return [names.get(text, text.replace(":", ": ", 1).capitalize()) for text in texts]
