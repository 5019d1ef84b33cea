"""The forms of signing in."""

from __future__ import annotations

from django import forms


class PasswordForm(forms.Form):
    """The first step."""

    username = forms.CharField(
        max_length=150,
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false",
                   "autofocus": True}
        ),
    )  # fmt: skip
    password = forms.CharField(
        max_length=4096,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class CodeForm(forms.Form):
    """The second step: a code of the app."""

    code = forms.CharField(
        label="Code",
        max_length=12,
        help_text="The six digits that your authenticator app shows now",
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}
        ),
    )


class RecoveryCodeForm(forms.Form):
    """The second step without the app."""

    code = forms.CharField(
        label="Recovery code",
        max_length=40,
        help_text="One of those you kept when you set up the second factor, like abcd-efgh-…",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false",
                   "autofocus": True}
        ),
    )  # fmt: skip
