"""A form interrupted by the request for a code or by the end of the session, submitted again later.

The fields are encrypted for 15 minutes, never in a URL or log: in the session, or, where it has
ended, in the page that asks for the password, whose form sends them along. Files are omitted; forms
with a password are not stored. After the code a page shows the entries; its button submits them to
the original URL with a new CSRF token.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from cryptography.fernet import InvalidToken
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
# Fields filled in by pages, not by people.
_HIDDEN_FIELDS = frozenset(
    {"seen", "warned", "flag", "version", "view", "confirmed", "index", "select_across"}
)
# Labels of list checkboxes.
_LABELS = {ACTION_CHECKBOX_NAME: "records", "row": "records"}


@dataclass(frozen=True, slots=True)
class InterruptedForm:
    """An interrupted POST: path and fields in order."""

    path: str
    fields: Sequence[tuple[str, str]]

    @property
    def title(self) -> str:
        """The page of the form: `Withdrawal: reject`."""
        try:
            name = resolve(self.path.partition("?")[0]).url_name or ""
            app, model, page = name.split("_", 2)
            noun = str(apps.get_model(app, model)._meta.verbose_name)
        except (Resolver404, ValueError, LookupError):
            return ""
        words = {"changelist": "list", "bulk": "bulk decision"}.get(page, page)
        return f"{noun.capitalize()}: {words.replace('_', ' ')}"

    @property
    def entered_values(self) -> list[tuple[str, str]]:
        """The entries of the form: label and value."""
        shown: dict[str, list[str]] = {}
        for name, value in self.fields:
            if name not in _HIDDEN_FIELDS and value.strip():
                # The action of a list is an identifier.
                words = value.replace("_", " ") if name == "action" else value
                shown.setdefault(_LABELS.get(name, name.replace("_", " ")), []).append(words)
        return [(label.capitalize(), _format_values(values)) for label, values in shown.items()]


def store(request: HttpRequest) -> None:
    """Store the interrupted POST in the session."""
    request.session[_SESSION_KEY] = pack(request)


def restore(request: HttpRequest, packed: str, user_id: UUID) -> None:
    """Store in the session what `pack` returned, unless it is of another user than `user_id`."""
    try:
        form = json.loads(decrypt(packed)) if packed else {}
    except (InvalidToken, ValueError):
        return
    if isinstance(form, dict) and form.get("user") in {"", str(user_id)}:
        request.session[_SESSION_KEY] = packed


def was_interrupted(request: HttpRequest) -> bool:
    """Return whether a POST of this session was interrupted, stored or not."""
    return _SESSION_KEY in request.session


def load(request: HttpRequest) -> InterruptedForm | None:
    """Return the interrupted form; None if there is none or it could not be stored."""
    packed = request.session.get(_SESSION_KEY)
    if not packed:
        return None
    found = json.loads(decrypt(packed))
    if time.time() - found["at"] > _MAX_AGE_SECONDS:
        return None
    return InterruptedForm(found["path"], [(name, value) for name, value in found["fields"]])


def discard(request: HttpRequest) -> bool:
    """Discard the interrupted form; return whether there was one."""
    return request.session.pop(_SESSION_KEY, None) is not None


def pack(request: HttpRequest) -> str:
    """Return the POST, encrypted; empty if it must not be stored."""
    if any("password" in name for name in request.POST):
        return ""
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        if name != _CSRF
        for value in values
        if isinstance(value, str)
    ]
    form = {
        "path": request.get_full_path(),
        "fields": fields,
        "at": time.time(),
        "user": str(request.user.pk or ""),
    }
    text = json.dumps(form)
    return encrypt(text) if len(text) <= _MAX_BYTES else ""


def _format_values(values: Sequence[str]) -> str:
    if all(parse_id(value.partition(":")[0]) for value in values):
        return f"{len(values)} selected"
    return ", ".join("yes" if value == "on" else value for value in values)
