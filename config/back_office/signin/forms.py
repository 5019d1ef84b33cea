"""Sign-in forms."""

from django import forms


class PasswordForm(forms.Form):
    """First step: username and password."""

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
    """Second step: a code from the authenticator app."""

    code = forms.CharField(
        label="Code",
        max_length=12,
        help_text="The current six-digit code from your authenticator app",
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}
        ),
    )


class RecoveryCodeForm(forms.Form):
    """Second step: a recovery code."""

    code = forms.CharField(
        label="Recovery code",
        max_length=40,
        help_text="One of the codes you saved during setup, such as abcd-efgh-…",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false",
                   "autofocus": True}
        ),
    )  # fmt: skip


class PasskeyForm(forms.Form):
    """Second step: what the browser returns for a passkey, which a script fills in."""

    credential = forms.CharField(
        max_length=16_384,
        widget=forms.HiddenInput,
        error_messages={"required": "The browser sent no passkey. Passkeys need JavaScript."},
    )


class NewPasskeyForm(PasskeyForm):
    """A new passkey and its name."""

    name = forms.CharField(
        max_length=60,
        help_text="Where the key is, such as “Laptop” or “Security key in the safe”",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autofocus": True}),
    )
