"""Reads the environment variables of the service.

Each read states kind, bounds and default. A value outside them refuses the start in one line,
`VARIABLE: reason. Remedy.`, without the value, which may be a secret in the wrong place. An empty
value counts as none where the default is none, and is refused elsewhere. White space around a value
is ignored: secrets from files often end in a newline. `docs/operations/settings.md` lists every
variable, which a test compares with `env.declared`.
"""

import ipaddress
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0"}
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,6})?")
# Control characters, and bytes that are not UTF-8.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_HOST = re.compile(r"[A-Za-z0-9_.-]{1,253}|[0-9A-Fa-f:.]{2,45}")


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that was read: its kind with bounds, and its default, as documented."""

    name: str
    kind: str
    default: str


class Environment:
    """The environment of this process."""

    def __init__(self) -> None:
        self.declared: dict[str, Variable] = {}
        self.required: set[str] = set()

    def boolean(self, name: str, *, default: bool) -> bool:
        """Return a boolean: true or false, yes or no, on or off, 1 or 0."""
        value = self._read(name, "true or false", str(default).lower())
        if value is None:
            return default
        if value.lower() not in _TRUE | _FALSE:
            raise refusal(name, "is not a boolean", "Give true or false")
        return value.lower() in _TRUE

    def integer(self, name: str, *, default: int, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        kind = f"{low:,} to {high:,}"
        value = self._read(name, kind, str(default))
        if value is None:
            return default
        if not _WHOLE_NUMBER.fullmatch(value):
            raise refusal(name, "is not a whole number", f"Give one from {low} to {high}")
        if not low <= int(value) <= high:
            raise refusal(name, "is out of bounds", f"Give a whole number from {low} to {high}")
        return int(value)

    def optional_integer(self, name: str, *, low: int, high: int, reason: str) -> int | None:
        """Return a whole number from `low` to `high`, or None; `reason` explains `low`."""
        value = self._read(name, f"empty, {low:,} to {high:,}", "")
        if value is None:
            return None
        if not _WHOLE_NUMBER.fullmatch(value):
            raise refusal(name, "is not a whole number", f"Give one from {low} to {high}, or none")
        if not low <= int(value) <= high:
            raise refusal(
                name,
                f"is not from {low} to {high}: {reason}",
                "Give a number that is, or none to keep everything",
            )
        return int(value)

    def number(self, name: str, *, default: float, low: float, high: float) -> float:
        """Return a number from `low` to `high`, which may have a fraction."""
        value = self._read(name, f"{low:g} to {high:g}", f"{default:g}")
        if value is None:
            return default
        if not _NUMBER.fullmatch(value) or not math.isfinite(float(value)):
            raise refusal(name, "is not a number", f"Give one from {low:g} to {high:g}")
        if not low <= float(value) <= high:
            raise refusal(name, "is out of bounds", f"Give a number from {low:g} to {high:g}")
        return float(value)

    def choice(self, name: str, *, default: str, choices: Sequence[str]) -> str:
        """Return one of `choices`."""
        named = ", ".join(each or "empty" for each in choices)
        value = self._read(name, named, default)
        if value is None:
            return default
        if value not in choices:
            raise refusal(name, "is none of the values known", f"Give one of: {named}")
        return value

    def text(self, name: str, *, default: str = "", pattern: str, example: str) -> str:
        """Return a text that matches `pattern` as a whole."""
        value = self._read(name, "text", default)
        if value is None:
            return default
        if not re.fullmatch(pattern, value):
            raise refusal(name, "is malformed", f"Give it like {example}")
        return value

    def items(
        self, name: str, *, default: Sequence[str] = (), pattern: str, example: str
    ) -> list[str]:
        """Return the items of a comma-separated list, of which each matches `pattern`."""
        value = self._read(name, "list", ",".join(default))
        if value is None:
            return list(default)
        items = [item.strip() for item in value.split(",")]
        if "" in items:
            raise refusal(name, "has an empty item", "Separate items by one comma, with none after")
        for position, item in enumerate(items, start=1):
            if not re.fullmatch(pattern, item):
                raise refusal(name, f"item {position} is malformed", f"Give it like {example}")
        return items

    def secret(self, name: str) -> str:
        """Return a secret of printable ASCII without spaces, or "" if there is none."""
        value = self._read(name, "secret", "")
        if value is None:
            return ""
        if not value.isascii() or " " in value:
            raise refusal(
                name, "has characters other than printable ASCII", "Copy it again, without spaces"
            )
        return value

    def url(self, name: str, *, default: str = "", schemes: Sequence[str]) -> str:
        """Return a URL with one of `schemes` and a host."""
        form = " or ".join(f"{scheme}://" for scheme in schemes)
        value = self._read(name, form, default)
        if value is None:
            return default
        if value.partition("://")[0] not in schemes or "://" not in value:
            raise refusal(name, f"does not begin with {form}", f"Give {schemes[0]}://host:port/…")
        check_address(name, value)
        return value

    def private_address(self, name: str, *, high: int) -> tuple[str, int] | None:
        """Return an IP address that is not public, and a port up to `high`, or None."""
        value = self._read(name, "address and port", "")
        if value is None:
            return None
        try:
            parts = urlsplit(f"//{value}")
            host, port = ipaddress.ip_address(parts.hostname or ""), parts.port or 0
        except ValueError:
            port = 0
        if not 1 <= port <= high or parts.netloc != value or parts.username is not None:
            raise refusal(
                name,
                "is no IP address with a port",
                f"Give them like 127.0.0.1:9464, with a port up to {high}",
            )
        if host.is_global:
            raise refusal(
                name,
                "is a public address, where anyone could connect",
                "Give a loopback or private address",
            )
        return str(host), port

    def database_url(self, name: str) -> str:
        """Return what `databases.from_url` checks, or "" if there is none."""
        return self._read(name, "postgresql://", "") or ""

    def folder(self, name: str) -> str:
        """Return the path of a folder, or "" if there is none."""
        return self._read(name, "folder", "") or ""

    def require(self, name: str, remedy: str) -> None:
        """Refuse the start unless the variable has a value."""
        self.required.add(name)
        if not os.environ.get(name, "").strip():
            raise refusal(name, "is not set", remedy)

    def _read(self, name: str, kind: str, default: str) -> str | None:
        """Return the value without surrounding white space, or None for the default."""
        self.declared[name] = Variable(name, kind, default)
        given = os.environ.get(name)
        if given is None:
            return None
        value = given.strip()
        if value != given:
            # Libraries that read the variable themselves get the same value.
            os.environ[name] = value
        if not value:
            if default:
                raise refusal(name, "is empty", f"Give a value, or remove it for {default}")
            return None
        if value[0] == value[-1] and value[0] in "\"'" and len(value) > 1:
            raise refusal(name, "is in quotation marks", "Remove them")
        if _UNPRINTABLE.search(value):
            raise refusal(name, "has control characters or is not UTF-8", "Write it on one line")
        return value


def refusal(name: str, reason: str, remedy: str) -> ImproperlyConfigured:
    """Return the error that refuses the start because of the variable `name`."""
    return ImproperlyConfigured(f"{name}: {reason}. {remedy}.")


def check_address(name: str, url: str) -> None:
    """Refuse the `url` of the variable `name` without a usable host and port."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise refusal(
            name, "has no valid host and port", "Encode special characters of a password as %XX"
        ) from None
    if not host or not _HOST.fullmatch(host) or port == 0:
        raise refusal(
            name,
            "names no valid host",
            "Give scheme://user:password@host:port/…, with %XX for "
            "special characters of a password",
        )


env = Environment()
