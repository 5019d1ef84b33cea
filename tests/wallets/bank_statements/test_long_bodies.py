"""Bodies of uploads: read up to their limit by the web process, and never beyond it."""

import io
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse

from config.wsgi import _read_body
from wallets.bank_statements.entries import MAX_BYTES

FORM = 1024 * 1024


class Wire(io.BytesIO):
    """A body of any stated length that counts what is read of it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert size >= 0
        self.taken += size
        return b"x" * size


def read(path: str, length: int) -> tuple[Wire, dict[str, Any], str]:
    wire = Wire()
    environ = {"PATH_INFO": path, "CONTENT_LENGTH": str(length), "wsgi.input": wire}
    refusal = _read_body(environ)
    return wire, environ, refusal


def test_the_upload_of_a_statement_has_room_for_a_file_and_its_form():
    address = reverse("admin:wallets_statementfile_add")
    assert settings.UPLOAD_LIMITS[address] >= MAX_BYTES + 1024


@pytest.mark.parametrize(
    ("page", "longest"),
    [("admin:wallets_statementfile_add", (10 * 1024 + 64) * 1024),
     ("admin:wallets_statementfile_changelist", FORM), ("admin:wallets_deposit_add", FORM)],
)  # fmt: skip
def test_a_body_is_read_up_to_the_limit_of_its_address(page, longest):
    address = reverse(page)
    for length in (longest, longest + 1):
        wire, environ, refusal = read(address, length)
        assert (wire.taken, refusal) == (length, "")
        assert len(environ["wsgi.input"].read()) == length
    for length in (longest + 2, 100 * 1024 * 1024):
        wire, environ, refusal = read(address, length)
        assert (wire.taken, refusal) == (0, "")
        assert environ["wsgi.input"].read() == b""
