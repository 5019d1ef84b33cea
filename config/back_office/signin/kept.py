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

_KEPT = "signin_kept"
_SECONDS = 15 * 60
_MOST_BYTES = 64 * 1024
_CSRF = "csrfmiddlewaretoken"
# What pages send along themselves: nobody typed it.
_NOT_TYPED = frozenset({"seen", "warned", "version", "view", "confirmed", "index", "select_across"})
# Names of the boxes that are ticked in lists.
_LABELS = {ACTION_CHECKBOX_NAME: "records", "row": "records"}


@dataclass(frozen=True, slots=True)
class KeptForm:
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
    def typed(self) -> list[tuple[str, str]]:
        """What a person recognises it by: label and value."""
        shown: dict[str, list[str]] = {}
        for name, value in self.fields:
            if name not in _NOT_TYPED and value.strip():
                # The action of a list is named, not typed.
                words = value.replace("_", " ") if name == "action" else value
                shown.setdefault(_LABELS.get(name, name.replace("_", " ")), []).append(words)
        return [(label.capitalize(), _in_words(values)) for label, values in shown.items()]


def keep(request: HttpRequest) -> None:
    """Note that the POST `request` was interrupted by the question for a code, and keep it."""
    request.session[_KEPT] = _packed(request)


def was_interrupted(request: HttpRequest) -> bool:
    """Whether a POST of this session waits for a code, kept or not."""
    return _KEPT in request.session


def kept_form(request: HttpRequest) -> KeptForm | None:
    """Return the POST that waits; None when none does, or it could not be kept."""
    packed = request.session.get(_KEPT)
    if not packed:
        return None
    found = json.loads(decrypt(packed))
    if time.time() - found["at"] > _SECONDS:
        return None
    return KeptForm(found["path"], [(name, value) for name, value in found["fields"]])


def forget(request: HttpRequest) -> bool:
    """Drop what waits; say whether anything did."""
    return request.session.pop(_KEPT, None) is not None


def _packed(request: HttpRequest) -> str:
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
    return encrypt(text) if len(text) <= _MOST_BYTES else ""


def _in_words(values: Sequence[str]) -> str:
    if all(parse_id(value.partition(":")[0]) for value in values):
        return f"{len(values)} chosen"
    return ", ".join("yes" if value == "on" else value for value in values)
