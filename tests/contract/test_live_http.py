"""What only a real server and real connections show: framing, limits, concurrent keys."""

import contextlib
import json
import re
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
import requests

from exchange.participants.models import Member, Organisation
from exchange.participants.services.api_keys import revoke_api_key
from tests.environment.memory import peak_memory, process_tree, reset_peak
from tests.factories.api_clients import TESTER, make_caller
from tests.factories.months import keys_of_month

MEMBERS = "/v1/api/members"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def caller(live_service):
    return make_caller()


@pytest.fixture
def url(live_service):
    return live_service.base_url + MEMBERS


def chunks(body: bytes, size: int = 1000) -> Iterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


def refused(response, status, code):
    assert response.status_code == status, response.text
    assert response.headers["X-Error-Code"] == code
    assert set(response.json()) == {"status", "message"}


def test_a_body_without_a_stated_length_is_read_whole(caller, url):
    body = json.dumps({"name": "Ada", "email": "ada@example.com", "x": "y" * 5000}).encode()
    response = requests.post(url, chunks(body), headers={**caller.headers, **JSON}, timeout=10)
    assert response.status_code == 201, response.text
    assert response.json()["data"]["name"] == "Ada"
    assert Member.objects.get().email == "ada@example.com"


@pytest.mark.parametrize("size", [64 * 1024 + 1, 1024 * 1024])
@pytest.mark.parametrize("chunked", [True, False])
def test_a_body_over_the_limit_is_a_413_with_and_without_a_stated_length(
    caller, url, size, chunked
):
    frame = '{"name": "Ada", "email": "ada@example.com", "x": "%s"}'
    body = (frame % ("y" * (size - len(frame) + 2))).encode()
    assert len(body) == size
    sent = chunks(body, 8192) if chunked else body
    response = requests.post(url, sent, headers={**caller.headers, **JSON}, timeout=10)
    refused(response, 413, "body_too_large")
    assert Member.objects.count() == 0


def test_a_chunked_body_of_exactly_the_limit_is_taken(caller, url):
    frame = '{"name": "Ada", "email": "ada@example.com", "x": "%s"}'
    body = (frame % ("y" * (64 * 1024 - len(frame) + 2))).encode()
    response = requests.post(url, chunks(body), headers={**caller.headers, **JSON}, timeout=10)
    assert response.status_code == 201, response.text


def exchange_bytes(url: str, *parts: bytes, half_close: bool = False) -> bytes:
    """Send `parts` and return everything until the server closes the connection."""
    where = urlsplit(url)
    with socket.create_connection((where.hostname, where.port), timeout=20) as client:
        with contextlib.suppress(ConnectionError):  # the server may close before it has read all
            for part in parts:
                client.sendall(part)
            if half_close:
                client.shutdown(socket.SHUT_WR)
        received = b""
        with contextlib.suppress(ConnectionError):
            while piece := client.recv(65536):
                received += piece
        return received


@pytest.mark.parametrize("path", ["/hooks/flutterwave", "/health/live", MEMBERS])
def test_a_large_body_behind_an_upgrade_stays_out_of_memory(live_service, path):
    processes = process_tree(live_service.pid)
    for process in processes:
        reset_peak(process)
    before = sum(map(peak_memory, processes))
    size = 300 * 1024 * 1024
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
        f"Content-Length: {size}\r\n\r\n"
    )
    answers = exchange_bytes(live_service.base_url, head.encode(), *([b"x" * 1024 * 1024] * 300))
    assert answers.count(b"HTTP/1.1 ") <= 1
    assert sum(map(peak_memory, processes)) - before < 30 * 1024 * 1024


def test_white_space_after_an_idempotency_key_makes_no_other_key(caller, live_service):
    body = json.dumps({"name": "Ada", "email": "ada@example.com"}).encode()
    for space in (b"", b" ", b"\t", b" \t "):
        head = (
            f"POST {MEMBERS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            f"Authorization: {caller.headers['Authorization']}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            "Idempotency-Key: one-key"
        )
        answer = exchange_bytes(live_service.base_url, head.encode() + space + b"\r\n\r\n" + body)
        assert answer.startswith(b"HTTP/1.1 201 "), answer
    assert keys_of_month().get().key == "one-key"
    assert Member.objects.count() == 1


def test_a_head_that_is_too_long_has_no_effect_and_one_answer(caller, live_service):
    body = json.dumps({"name": "Ada", "email": "ada@example.com"}).encode()
    head = (
        f"POST {MEMBERS} HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: {caller.headers['Authorization']}\r\nX-Long: {'x' * 200_000}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    answers = exchange_bytes(live_service.base_url, head.encode() + body)
    assert answers.startswith(b"HTTP/1.1 431 ")
    assert answers.count(b"HTTP/1.1 ") == 1
    assert Member.objects.count() == 0


def test_a_body_whose_client_went_away_is_not_processed(caller, live_service):
    body = json.dumps({"name": "Ada", "email": "ada@example.com"}).encode()
    head = (
        f"POST {MEMBERS} HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: {caller.headers['Authorization']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body) + 1}\r\n\r\n"
    )
    answer = exchange_bytes(live_service.base_url, head.encode() + body, half_close=True)
    assert not answer or answer.startswith(b"HTTP/1.1 400 ")
    assert Member.objects.count() == 0


@pytest.mark.parametrize(
    "target", ["/v1/%00", "/v1/api/members/%00", "/v1/%", "/v1/\xff", "/v1/a/../../b", "/v1?x"]
)
def test_junk_in_the_path_is_a_404_in_the_envelope(live_service, caller, target):
    where = urlsplit(live_service.base_url)
    with socket.create_connection((where.hostname, where.port), timeout=10) as connection:
        head = f"GET {target} HTTP/1.1\r\nHost: {where.netloc}\r\nConnection: close\r\n"
        auth = f"Authorization: {caller.headers['Authorization']}\r\n\r\n"
        connection.sendall((head + auth).encode("latin-1"))
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    top, _, body = answer.partition(b"\r\n\r\n")
    status = int(top.split()[1])
    assert status in {400, 404}
    if status == 404:
        assert json.loads(body)["status"] == "failed"
        assert re.search(rb"x-error-code: (user_)?not_found", top.lower())


def test_a_revoked_key_and_a_deactivated_organisation_are_out_in_every_process(caller, url):
    def answers():
        calls = (requests.get(url, headers=caller.headers, timeout=10) for _ in range(8))
        return {call.status_code for call in calls}

    assert answers() == {200}
    Organisation.objects.update(active=False)
    assert answers() == {401}
    Organisation.objects.update(active=True)
    assert answers() == {200}
    revoke_api_key(key_id=caller.key.id, actor=TESTER)
    assert answers() == {401}


def test_sixteen_requests_at_once_under_one_key_have_one_effect_and_one_answer(caller, url):
    keys = [f"key-{n}" for n in range(12)]

    def post(key):
        return key, requests.post(
            url,
            json={"name": "Ada", "email": f"{key}@example.com"},
            headers={**caller.headers, "Idempotency-Key": key},
            timeout=30,
        )

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(post, [key for key in keys for _ in range(16)]))
    for key in keys:
        mine = [response for sent, response in answers if sent == key]
        assert {response.status_code for response in mine} == {201}
        assert len({response.content for response in mine}) == 1
        replays = Counter(r.headers.get("Idempotent-Replayed") for r in mine)
        assert replays == {None: 1, "true": 15}
    assert Member.objects.count() == len(keys)
    assert keys_of_month().count() == len(keys)


def test_of_concurrent_requests_without_a_key_one_creates_and_the_others_conflict(caller, url):
    def post(_):
        body = {"name": "Ada", "email": "ada@example.com"}
        return requests.post(url, json=body, headers=caller.headers, timeout=30)

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(post, range(16)))
    assert Counter(response.status_code for response in answers) == {201: 1, 409: 15}
    assert {r.headers["X-Error-Code"] for r in answers if r.status_code == 409} == {"email_taken"}
    assert Member.objects.count() == 1


@pytest.mark.slow
def test_the_document_asked_for_in_parallel_after_a_start_is_sent_to_all(live_service):
    live_service.restart()
    url = f"{live_service.base_url}/v1/schema"
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: requests.get(url, timeout=60), range(16)))
    assert Counter(answer.status_code for answer in answers) == {200: 16}
    assert len({answer.content for answer in answers}) == 1
