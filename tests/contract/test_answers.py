"""Long answers are compressed for clients that accept it; a known one is not sent again."""

import gzip
import json

import pytest

from exchange.api.answers import accepts_gzip, names_tag
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db

TOKENS = "/v1/api/tokens?limit=200"


@pytest.mark.parametrize(
    ("header", "accepts"),
    [
        ("gzip", True),
        ("deflate, GZip;q=0.5, br", True),
        ("x-gzip", True),
        ("gzip; q=0.001", True),
        ("gzip;q=0", False),
        ("gzip ; q=0.0", False),
        ("br, deflate", False),
        ("identity", False),
        ("*", False),
        ("", False),
        (",;,", False),
        ("notgzip", False),
    ],
)
def test_an_accept_encoding_names_gzip_or_not(header, accepts):
    assert accepts_gzip(header) is accepts


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ('W/"a"', True),
        ('"a"', True),
        ('"b", W/"a"', True),
        ("*", True),
        ('W/"b"', False),
        ("a", False),
        ("", False),
        ("W/", False),
    ],
)
def test_an_if_none_match_names_the_tag_or_not(header, names):
    assert names_tag(header, 'W/"a"') is names


def test_a_long_answer_is_compressed_when_the_client_accepts_it():
    caller = make_caller()
    for _ in range(5):
        make_token()
    plain = caller.get(TOKENS)
    assert len(plain.content) > 5000
    assert plain["Vary"] == "Accept-Encoding"
    assert "Content-Encoding" not in plain.headers
    packed = caller.get(TOKENS, Accept_Encoding="gzip, deflate, br")
    assert packed["Content-Encoding"] == "gzip"
    assert packed["Vary"] == "Accept-Encoding"
    assert packed["Cache-Control"] == "no-store"
    assert packed["ETag"] == plain["ETag"]
    assert len(packed.content) < len(plain.content) / 3
    assert packed["Content-Length"] == str(len(packed.content))
    assert gzip.decompress(packed.content) == plain.content


def test_short_answers_pages_and_files_that_are_compressed_are_sent_as_they_are(client):
    caller = make_caller()
    short = caller.get("/v1/api/tokens", Accept_Encoding="gzip")
    assert short.json()["data"]["total"] == 0
    assert "Content-Encoding" not in short.headers
    page = client.get("/admin/login/", headers={"Accept-Encoding": "gzip"})
    assert len(page.content) > 1400
    assert "Content-Encoding" not in page.headers
    statement = "/v1/api/wallet/statement?currency=NGN&from=2026-01-01&to=2026-01-31&format="
    pdf = caller.get(statement + "pdf", Accept_Encoding="gzip")
    assert pdf.content.startswith(b"%PDF")
    assert {"Content-Encoding", "ETag"}.isdisjoint(pdf.headers)


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_a_client_that_has_the_document_is_told_so_and_only_a_client_that_may_read_it(encoding):
    caller = make_caller()
    member = make_member(caller.organisation)
    path = f"/v1/api/members/{member.id}"

    def get(reader: ApiCaller, tag: str):
        return reader.get(path, If_None_Match=tag, Accept_Encoding=encoding)

    tag = caller.get(path)["ETag"]
    known = get(caller, tag)
    assert (known.status_code, known.content) == (304, b"")
    assert known["ETag"] == tag
    assert known["Cache-Control"] == "no-store"
    assert {"Content-Type", "Content-Length"}.isdisjoint(known.headers)
    assert get(make_caller(), tag).status_code == 404
    stranger = make_caller()
    stranger.token = "unknown"
    assert get(stranger, tag).status_code == 401
    caller.patch(path, {"name": "Bola Ade"})
    changed = get(caller, tag)
    assert changed.status_code == 200
    assert json.loads(changed.content)["data"]["name"] == "Bola Ade"
    assert changed["ETag"] != tag


def test_only_what_is_read_has_a_tag():
    caller = make_caller()
    assert "ETag" not in caller.get("/v1/nope").headers
    made = caller.post(
        "/v1/api/members", {"name": "Ada", "email": "a@example.com"}, If_None_Match="*"
    )
    assert (made.status_code, "ETag" in made.headers) == (201, False)


def test_the_openapi_document_is_sent_once_and_compressed(client):
    document = client.get("/v1/schema", headers={"Accept-Encoding": "gzip"})
    assert document["Cache-Control"] == "no-cache"
    assert len(document.content) < 200_000
    assert json.loads(gzip.decompress(document.content))["openapi"].startswith("3.")
    again = client.get("/v1/schema", headers={"If-None-Match": document["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
