"""A reason is not the last one again: copied reasons explain nothing.

The session has the person's last reason, whatever it was for. A submission that decides about
many records has one reason.
"""

from django import forms
from django.http import HttpRequest

from exchange.admin.fields import ReasonField
from exchange.core.text import REASON_RULE, is_reason

_LAST = "last_reason"
_REPEATED = "This is your last reason again. Say what is particular here"


def refuse_repeated_reason(request: HttpRequest, form: forms.Form | None) -> bool:
    """Mark a reason in the valid `form` that is the person's last one; return whether it is."""
    field, reason = _given(form)
    if form is None or not reason or _fold(reason) != request.session.get(_LAST):
        return False
    form.add_error(field, _REPEATED)
    return True


def remember_reason(request: HttpRequest, form: forms.Form | None) -> None:
    """Keep the reason that was accepted."""
    _, reason = _given(form)
    if reason:
        keep_reason(request, reason)


def keep_reason(request: HttpRequest, reason: str) -> None:
    """Keep a reason that was accepted without a form."""
    request.session[_LAST] = _fold(reason)


def describe_reason_error(request: HttpRequest, reason: str) -> str:
    """Return what is wrong with a reason that comes without a form, or ""."""
    if not is_reason(reason):
        return REASON_RULE
    return _REPEATED if _fold(reason) == request.session.get(_LAST) else ""


def _fold(reason: str) -> str:
    """Return a reason without case and spacing."""
    return " ".join(reason.casefold().split())


def _given(form: forms.Form | None) -> tuple[str, str]:
    """Return the first reason in a valid form, with its field."""
    for name, field in form.fields.items() if form else ():
        if isinstance(field, ReasonField) and field.required and form:
            return name, form.cleaned_data[name]
    return "", ""
