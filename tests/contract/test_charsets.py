"""A charset of the Content-Type never decides how text is read, and never ends in a fault."""

import io
import json
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import RequestFactory

from config.wsgi import application
from exchange.participants.models import Member
from tests.factories.api_clients import make_caller

pytestmark = pytest.mark.django_db

# Codecs that decode no text, codecs of other text, and a name that is none.
CHARSETS = (
    "hex",
    "zlib",
    "base64",
    "rot13",
    "undefined",
    "punycode",
    "utf-16",
    "latin-1",
    "nosuch",
)
# RFC 2231 gives a parameter a charset of its own.
CONTENT_TYPES = [
    *(f"text/plain; charset={charset}" for charset in CHARSETS),
    *("text/plain; x*=hex''%41", "text/plain; x*=undefined''%41", "text/plain; x*=nosuch''%41"),
]
GETS = ["/health/live?x=1", "/?x=1", "/admin/login/?next=/admin/", "/v1/docs?x=1", "/v1/nope?x=1"]
FORM = "multipart/form-data; boundary=x"
PART = (
    b'--x\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\n'
    b"client_credentials\r\n--x--\r\n"
)


def call(
    method: str, path: str, content_type: str, body: bytes = b"", bearer: str = ""
) -> tuple[int, dict[str, str], bytes]:
    """Send a request to the application as the server does."""
    environ = RequestFactory(HTTP_AUTHORIZATION=bearer).generic(method, path).environ
    answer: list[Any] = []

    def start(line: str, headers: Any, _error: Any = None, /) -> Any:
        answer.extend([int(line[:3]), dict(headers)])

    environ |= {
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }
    # As Django's test client does: the test's connection stays open.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    content = b"".join(application(environ, start))
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
    return answer[0], answer[1], content


@pytest.mark.parametrize("content_type", CONTENT_TYPES)
def test_a_get_ignores_the_charset_of_the_body_that_it_has_not(content_type):
    caller = make_caller()
    for path in GETS:
        expected = call("GET", path, "")
        assert expected[0] in {200, 404}, path
        status, headers, _ = call("GET", path, content_type)
        assert (status, headers["X-Request-ID"] != "") == (expected[0], True), path
    status, _, content = call(
        "GET", "/v1/api/tokens?limit=1", content_type, bearer=caller.headers["Authorization"]
    )
    assert (status, json.loads(content)["message"]) == (200, "Tokens retrieved")


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize(
    "media_type", ["application/json", "application/x-www-form-urlencoded", FORM, "text/plain"]
)
def test_a_body_in_another_charset_than_utf_8_is_a_415(charset, media_type):
    caller = make_caller()
    body = b'{"name": "Ada", "email": "ada@example.com"}'
    content_type = f'{media_type}; charset="{charset}"'
    for path in ("/v1/api/members?x=1", "/v1/nope?x=1", "/hooks/flutterwave?x=1"):
        status, headers, content = call(
            "POST", path, content_type, body, bearer=caller.headers["Authorization"]
        )
        assert (status, headers["X-Error-Code"]) == (415, "unsupported_media_type"), path
        assert headers["Cache-Control"] == "no-store"
        assert json.loads(content) == {"status": "failed", "message": "The body must be in UTF-8"}
    for path in ("/v1/oauth/token", "/v1/oauth/revoke"):
        status, _, content = call("POST", path, content_type, PART)
        assert status == 415
        assert json.loads(content) == {
            "error": "invalid_request",
            "error_description": "The body must be in UTF-8",
        }
    assert call("POST", "/admin/login/", content_type, PART)[0] == 415
    assert Member.objects.count() == 0


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf8"', "us-ascii"])
def test_utf_8_under_any_of_its_names_is_read(charset):
    caller = make_caller()
    body = json.dumps({"name": "Ngũgĩ", "email": "ngugi@example.com"}, ensure_ascii=False).encode()
    content_type = f"application/json; charset={charset}"
    assert (
        call("POST", "/v1/api/members", content_type, body, bearer=caller.headers["Authorization"])[
            0
        ]
        == 201
    )
    assert Member.objects.get().name == "Ngũgĩ"


@pytest.mark.parametrize("content_type", CONTENT_TYPES)
def test_the_head_of_a_part_decides_nothing(content_type):
    part = PART.replace(b"\r\n\r\n", b"\r\nContent-Type: " + content_type.encode() + b"\r\n\r\n", 1)
    part = part.replace(b'name="grant_type"', b"name=\"grant_type\"; x*=undefined''%41")
    status, _, content = call("POST", "/v1/oauth/token", FORM, part)
    assert (status, json.loads(content)["error"]) == (401, "invalid_client")
    assert call("POST", "/admin/login/", FORM, part)[0] == 403  # without a CSRF token


@pytest.mark.parametrize("content_type", CONTENT_TYPES)
def test_a_post_without_a_body_has_nothing_to_decode(content_type):
    expected = call("POST", "/v1/nope?x=1", "")
    assert expected[0] == 404
    assert call("POST", "/v1/nope?x=1", content_type)[0] == 404
