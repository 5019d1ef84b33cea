"""Ids sort in order of creation, contain their time, and have one form."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace
from uuid import RFC_4122, UUID

import pytest

from exchange.core import ids
from exchange.core.ids import ALPHABET, first_id_at, new_reference, parse_id, uuid7

MOMENT = datetime(2026, 11, 23, 6, 0, 0, 123_999, tzinfo=UTC)
MILLISECONDS = 1_795_413_600_123
TEXT = "0199d4e0-0000-7000-8000-00000000abcd"


@pytest.fixture
def clock(monkeypatch):
    """The clock of ids, at `MOMENT`, before the first id."""
    reading = SimpleNamespace(nanoseconds=MILLISECONDS * 1_000_000 + 999_999)
    monkeypatch.setattr(ids, "time", SimpleNamespace(time_ns=lambda: reading.nanoseconds))
    monkeypatch.setattr(ids, "_last", (0, 0))
    return reading


def parts(made: UUID) -> tuple[int, int]:
    """Return the milliseconds of an id and its count."""
    assert (made.version, made.variant) == (7, RFC_4122)
    return made.int >> 80, made.int >> 64 & 0xFFF


def test_ids_of_one_millisecond_count_up_and_then_advance_the_clock(clock):
    made = [uuid7() for _ in range(10_000)]
    # The last count leaves room for one more.
    while parts(made[-1])[1] == 0xFFF:
        made.append(uuid7())
    assert made == sorted(set(made))
    found = [parts(each) for each in made]
    assert found[0][0] == MILLISECONDS
    for (then, count), (moment, following) in pairwise(found):
        if count < 0xFFF:
            assert (moment, following) == (then, count + 1)
        else:
            assert moment == then + 1
            assert following <= 0x7FF
    assert 2 <= found[-1][0] - MILLISECONDS <= 4
    # A clock that goes back has no effect; one that advances is followed.
    clock.nanoseconds -= 5_000_000
    assert parts(uuid7()) == (found[-1][0], found[-1][1] + 1)
    clock.nanoseconds = (MILLISECONDS + 1_000) * 1_000_000
    assert parts(uuid7())[0] == MILLISECONDS + 1_000


@pytest.mark.parametrize("way", ["the clock goes on", "the count is used up"])
def test_the_count_of_a_millisecond_starts_randomly_in_the_lower_half(clock, monkeypatch, way):
    starts = []
    for number in range(2_000):
        if way == "the clock goes on":
            clock.nanoseconds = (MILLISECONDS + 10 * number + 10) * 1_000_000
        else:
            monkeypatch.setattr(ids, "_last", (MILLISECONDS, 0xFFF))
        starts.append(parts(uuid7())[1])
    assert max(starts) <= 0x7FF
    # 2,000 random counts cover each eighth of the half, odd and even.
    assert {start >> 8 for start in starts} == set(range(8))
    assert {start & 1 for start in starts} == {0, 1}


def test_the_rest_of_an_id_is_random(clock):
    bits = Counter(
        bit for _ in range(400) for made in [uuid7().int] for bit in range(62) if made >> bit & 1
    )
    assert set(bits) == set(range(62))
    assert max(bits.values()) < 400


def test_the_first_id_of_a_moment_is_the_smallest_of_its_millisecond(clock):
    first = first_id_at(MOMENT)
    assert (first.version, first.variant) == (7, RFC_4122)
    assert first.hex == f"{MILLISECONDS:012x}" + "70008000000000000000"
    assert first_id_at(MOMENT - timedelta(milliseconds=1)) < first < uuid7()
    assert first < first_id_at(MOMENT + timedelta(milliseconds=1))


def test_a_reference_is_a_prefix_and_unambiguous_characters():
    reference = new_reference("export_")
    assert reference.startswith("export_")
    assert len(reference) == len("export_") + 26
    assert len(new_reference("x", 8)) == 9
    letters = set("".join(new_reference("", 100) for _ in range(50)))
    assert letters == set(ALPHABET.decode())
    assert len(letters) == 32
    assert not letters & set("ilou")


@pytest.mark.parametrize("text", [TEXT, TEXT.upper()])
def test_an_id_is_parsed_in_its_canonical_form(text):
    assert parse_id(text) == UUID(TEXT)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 36,
        TEXT[:-1],
        f"{TEXT}0",
        TEXT.replace("-", ""),
        f"{{{TEXT.replace('-', '')}}}  ",
        f"urn:{TEXT.replace('-', '')}",
        TEXT.replace("-", "").ljust(36, "-"),
    ],
)
def test_other_spellings_are_rejected(text):
    assert parse_id(text) is None
