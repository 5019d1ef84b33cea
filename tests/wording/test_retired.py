"""The check of retired words finds each in names and texts, and leaves other words alone."""

import pytest

from tests.wording.retired import RetiredWords, find_in_file, read_retired_words

GLOSSARY = """
| Term | Meaning |
|---|---|
| escrow | Money set aside. |

## Retired words

| Retired | Use | In |
|---|---|---|
| waker | task notifier | names |
| lost payout, in force | unresolved payout, effective | text |
| desk | dashboard | names, text |
"""
WORDS = read_retired_words(GLOSSARY)


def found(path: str, source: str) -> list[tuple[int, str]]:
    return [(finding.line, finding.word) for finding in find_in_file(path, source, WORDS)]


def test_the_table_gives_words_by_where_they_may_not_occur():
    assert (
        RetiredWords(frozenset({"waker", "desk"}), frozenset({"lost payout", "in force", "desk"}))
        == WORDS
    )


@pytest.mark.parametrize(
    "name", ["waker", "Waker", "WakerThread", "_the_waker", "MAIN_WAKER", "wakers", "open_desk"]
)
def test_a_retired_word_is_found_as_a_part_of_a_name(name):
    assert len(WORDS.in_name(name)) == 1


@pytest.mark.parametrize("name", ["awaker", "wake", "desktop", "in_force", "lost_payout"])
def test_other_names_pass(name):
    assert WORDS.in_name(name) == []


def test_phrases_are_found_across_lines_and_in_any_case():
    assert WORDS.in_text("Every Lost\n    payout is In force.") == ["lost payout", "in force"]
    assert WORDS.in_text("desktop, in forced, a waker, the user `desk`") == []


def test_python_is_searched_in_definitions_docstrings_messages_and_comments():
    source = '''"""What is in force."""
def read(waker, *, desk=None):  # one lost payout
    """Read."""
    self.waker = wake = waker
    raise Error(f"the {desk} is in force")
'''
    assert found("a/b.py", source) == [
        (1, "in force"),
        (2, "desk"),
        (2, "lost payout"),
        (2, "waker"),
        (4, "waker"),
        (5, "in force"),
    ]
    assert found("a/desk/b.py", "") == [(1, "desk")]


def test_uses_of_other_peoples_names_and_single_words_pass():
    assert found("a.py", 'library.waker("desk")\n') == []


def test_templates_are_searched_in_what_people_read():
    source = '<p class="desk">The\n{{ desk }} in force</p>{# lost payout #}\n'
    assert found("a.html", source) == [(2, "in force")]


def test_documents_are_searched_outside_code():
    source = "A `desk` and\n```\ndesk\n```\na desk\n"
    assert found("a.md", source) == [(5, "desk")]


def test_sql_is_searched_in_comments():
    assert found("a.sql", "SELECT desk;\nSELECT 1; -- the desk\n") == [(2, "desk")]


def test_phrases_are_found_that_go_on_in_the_next_literal_or_line():
    assert found("a.py", 'raise Error("a lost "\n f"payout {it}")\n') == [(1, "lost payout")]
    assert found("a.py", '"""What is in\n\n    force."""\n') == [(1, "in force")]
