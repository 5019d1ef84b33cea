"""No name and no text of the project uses a word that the glossary retires."""

from tests.wording.project import findings


def test_retired_words_are_not_used():
    assert [str(finding) for finding in findings()] == []
