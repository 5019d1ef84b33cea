"""Cursors: one list accepts the ones that it gave, unchanged, and nothing else."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from uuid import UUID

import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from exchange.api.cursors import CursorList, InvalidCursor

ORGANISATION = UUID("0197d000-0000-7000-8000-000000000001")
LIST = CursorList(ORGANISATION, "/v1/api/events", "seq", {"type": "order.created"})
POSITION = ["2026-11-20T19:23:59.033123Z", "0197d000-0000-7000-8000-00000000000a", "Señor 🙂"]


def rejects(cursors: CursorList, text: str) -> bool:
    """Return whether `text` is rejected as a cursor of the list."""
    try:
        cursors.decode("after", text)
    except InvalidCursor:
        return True
    return False


@pytest.mark.parametrize("position", [POSITION, ["", ""], [""]])
def test_a_cursor_returns_its_position(position: list[str]) -> None:
    text = LIST.encode(position)
    assert LIST.decode("after", text) == position
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.parametrize(
    "other",
    [
        CursorList(UUID(int=1), LIST.path, LIST.sort, LIST.filters),
        CursorList(ORGANISATION, "/v1/api/orders", LIST.sort, LIST.filters),
        CursorList(ORGANISATION, LIST.path, "-seq", LIST.filters),
        CursorList(ORGANISATION, LIST.path, LIST.sort, {}),
        CursorList(ORGANISATION, LIST.path, LIST.sort, {"type": "order.cancelled"}),
        CursorList(ORGANISATION, LIST.path, LIST.sort, {**LIST.filters, "status": "Pending"}),
    ],
)
def test_a_cursor_of_another_list_is_rejected(other: CursorList) -> None:
    assert rejects(LIST, other.encode(POSITION))
    assert rejects(other, LIST.encode(POSITION))


def test_every_change_of_one_character_is_rejected() -> None:
    text = LIST.encode(POSITION)
    for index, character in enumerate(text):
        for other in ("A", "B", "_", "=", "%", " ", "é", ""):
            if other != character:
                assert rejects(LIST, text[:index] + other + text[index + 1 :])


@pytest.mark.parametrize(
    "forged",
    [
        "0",
        "A",
        "start",
        "\x00",
        "é" * 40,
        "A" * 16,
        "-" * 10_000,
        urlsafe_b64encode(bytes(12)).decode(),
        urlsafe_b64encode("\0".join(POSITION).encode()).decode(),
        LIST.encode(POSITION) + "=",
        LIST.encode(POSITION) + "\n",
        LIST.encode(POSITION) * 2,
        LIST.encode(POSITION).lower(),
    ],
)
def test_text_that_no_list_gave_is_rejected(forged: str) -> None:
    assert rejects(LIST, forged)


@pytest.mark.parametrize("payload", [b"\xff", b"a\xc3"])
def test_content_under_the_right_digest_that_no_list_writes_is_rejected(payload: bytes) -> None:
    text = urlsafe_b64encode(LIST._digest(payload) + payload).rstrip(b"=").decode()
    assert rejects(LIST, text)


def test_the_last_bits_of_the_text_count() -> None:
    text = next(t for t in map(LIST.encode, (["a"], ["ab"], ["abc"])) if len(t) % 4)
    same_bytes = [
        text[:-1] + other
        for other in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        if other != text[-1] and decoded(text[:-1] + other) == decoded(text)
    ]
    assert same_bytes
    assert all(rejects(LIST, other) for other in same_bytes)


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_the_page_is_no_part_of_the_list_but_every_filter_is() -> None:
    def of(query: str) -> CursorList:
        request = Request(APIRequestFactory().get(f"/v1/api/events?{query}"))
        return CursorList.of(request, ORGANISATION, sort="seq")

    assert of("type=order.created&limit=5&after=x&cursor=y&page=2&use_cursor=true&sort=-a") == LIST
    assert of("b=2&a=1").encode(POSITION) == of("a=1&b=2").encode(POSITION)
    assert of("type=order.created&x=1") != LIST


def test_the_error_names_the_parameter_and_what_to_send() -> None:
    with pytest.raises(InvalidCursor) as caught:
        LIST.decode("after", "0")
    assert caught.value.code == "invalid_cursor"
    assert caught.value.message == (
        "after must be a next_cursor of this list, unchanged, with the filters and the sort that "
        "it was given for"
    )
