"""Text of one visible line: what is refused in names and references, and what honest names keep."""

# ruff: noqa: RUF001 - letters that look like others are what is tested
import pytest

from exchange.core.text import find_lookalikes, has_visible_characters, line_problem

INVISIBLE = "must not contain invisible or direction-changing characters"


@pytest.mark.parametrize(
    "name",
    [
        "Ada Obi",
        "José Ng’ang’a",
        "Jose\u0301",  # decomposed
        "Adébáyọ̀ Ọláníyì",
        "Ngũgĩ wa Thiong'o",
        "محمد عبد الرحمن",
        "می\u200cخواهم",  # a non-joiner inside of a Persian word
        "ශ්\u200dරී ලංකා",  # a joiner of Sinhala
        "क्\u200dष",
        "ߒߞߏ ߞߊ߲",
        "አበበ ቢቂላ",
        "李小龍",
        "👍 paid",
    ],
)
def test_honest_names_are_accepted_in_any_script(name):
    assert line_problem(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        *(f"Adaora {mark}000,09" for mark in "\u202e\u202d\u2066\u2067\u2068\u200e\u200f\u061c"),
        *(f"a{mark}b" for mark in "\u200b\u200c\u200d\u2060\ufeff\u00ad\u2028\u2029\u034f\u2800"),
        "\u3164",
        "\u115f\u1160",
        "\uffa0",
        "م\u200c",  # a joiner at the end of a word
        "\u200dم",
        "م\u200c م",
        "م\u202eم",
    ],
)
def test_invisible_and_direction_changing_characters_are_refused(name):
    assert line_problem(name) == INVISIBLE


@pytest.mark.parametrize("name", ["a\nb", "\t", "a\x00", "\x85"])
def test_control_characters_are_refused(name):
    assert line_problem(name) == "must not contain control characters"


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Аda Obi", "А"),  # the Cyrillic letter
        ("Ada Οbi", "Ο"),  # the Greek letter
        ("Ａda Obi", "Ａ"),  # the full-width letter
        ("Ada Obi", ""),
        ("Adébáyọ̀ Ɔfɔri ŋ", ""),
        ("Ада Оби", ""),
        ("محمد Ada", ""),
    ],
)
def test_letters_of_another_script_that_pass_for_latin_are_found(name, letters):
    assert find_lookalikes(name) == letters


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("GTB/1", True),
        ("\u200b7", True),
        ("", False),
        (" \u00a0\n", False),
        ("\u200b\u2060", False),
        ("\u3164\u2800", False),
        ("\ufe0f", False),
    ],
)
def test_a_reference_has_a_visible_character(text, visible):
    assert has_visible_characters(text) is visible
