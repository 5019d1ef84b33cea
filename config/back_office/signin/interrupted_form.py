"""What a person was about to do when a code was asked for: kept, and sent on when they say so.

The fields of the form lie encrypted in the session, for a quarter of an hour, never in an address
or a log. Files are left out; of a form with a password nothing is kept. Nothing is sent on by
itself: after the code a page shows what was typed, and its button sends it to where it was going,
under a new CSRF token and as stale or fresh as it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.apps import apps
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest
from django.urls import Resolver404, resolve

from exchange.core.crypto import decrypt, encrypt
from exchange.core.ids import parse_id

_SESSION_KEY = "signin_kept"
_MAX_AGE_SECONDS = 15 * 60
_MAX_BYTES = 64 * 1024
_CSRF = "csrfmiddlewaretoken"
# What pages send along themselves: nobody typed it.
_HIDDEN_FIELDS = frozenset(
    {"seen", "warned", "version", "view", "confirmed", "index", "select_across"}
)
# Names of the boxes that are ticked in lists.
_LABELS = {ACTION_CHECKBOX_NAME: "records", "row": "records"}


@dataclass(frozen=True, slots=True)
class InterruptedForm:
    """A POST that waits: where it was going, and its fields in order."""

    path: str
    fields: Sequence[tuple[str, str]]

    @property
    def title(self) -> str:
        """Which page it was sent from, in words: `Withdrawal: reject`."""
        try:
            name = resolve(self.path.partition("?")[0]).url_name or ""
            app, model, page = name.split("_", 2)
            noun = str(apps.get_model(app, model)._meta.verbose_name)
        except (Resolver404, ValueError, LookupError):
            return ""
        words = {"changelist": "list", "bulk": "decide about several"}.get(page, page)
        return f"{noun.capitalize()}: {words.replace('_', ' ')}"

    @property
    def entered_values(self) -> list[tuple[str, str]]:
        """What a person recognises it by: label and value."""
        shown: dict[str, list[str]] = {}
        for name, value in self.fields:
            if name not in _HIDDEN_FIELDS and value.strip():
                # The action of a list is named, not typed.
                words = value.replace("_", " ") if name == "action" else value
                shown.setdefault(_LABELS.get(name, name.replace("_", " ")), []).append(words)
        return [(label.capitalize(), _format_values(values)) for label, values in shown.items()]


def store(request: HttpRequest) -> None:
    """Note that the POST `request` was interrupted by the question for a code, and keep it."""
    request.session[_SESSION_KEY] = _serialize(request)


def was_interrupted(request: HttpRequest) -> bool:
    """Whether a POST of this session waits for a code, kept or not."""
    return _SESSION_KEY in request.session


def load(request: HttpRequest) -> InterruptedForm | None:
    """Return the POST that waits; None when none does, or it could not be kept."""
    packed = request.session.get(_SESSION_KEY)
    if not packed:
        return None
    found = json.loads(decrypt(packed))
    if time.time() - found["at"] > _MAX_AGE_SECONDS:
        return None
    return InterruptedForm(found["path"], [(name, value) for name, value in found["fields"]])


def discard(request: HttpRequest) -> bool:
    """Drop what waits; say whether anything did."""
    return request.session.pop(_SESSION_KEY, None) is not None


def _serialize(request: HttpRequest) -> str:
    """The POST as text; empty for one that is not kept."""
    if any("password" in name for name in request.POST):
        return ""
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        if name != _CSRF
        for value in values
        if isinstance(value, str)
    ]
    form = {"path": request.get_full_path(), "fields": fields, "at": time.time()}
    text = json.dumps(form)
    return encrypt(text) if len(text) <= _MAX_BYTES else ""


def _format_values(values: Sequence[str]) -> str:
    if all(parse_id(value.partition(":")[0]) for value in values):
        return f"{len(values)} chosen"
    return ", ".join("yes" if value == "on" else value for value in values)
