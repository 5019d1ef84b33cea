"""Matching of bank names, and suggestions for unknown ones."""

import pytest

from wallets.banks.bank_names import match_keys, suggest_names

BANKS = [
    "Zenith Bank", "Access Bank", "Access Bank (Diamond)", "Guaranty Trust Bank",
    "First Bank of Nigeria", "First City Monument Bank", "First Option Microfinance Bank",
    "United Bank for Africa", "First Rand Bank",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("Access Bank", {"access bank"}),
        ("  ACCESS\u00a0  Bank ", {"access bank"}),
        ("F.C.M.B.", {"fcmb", "f c m b"}),
        ("First-Bank", {"firstbank", "first bank"}),
        ("Société Générale", {"societe generale"}),
        ("Bank + Trust", {"bank trust"}),
        ("Bank_9", {"bank9", "bank 9"}),
        ("(...)", set()),
    ],
)
def test_case_accents_spaces_and_punctuation_make_no_other_name(name, keys):
    assert match_keys(name) == keys


@pytest.mark.parametrize(
    ("name", "close"),
    [
        # By its letters, the nearest first.
        ("Zenit Bank", ["Zenith Bank"]),
        ("Access Bank Diamnd", ["Access Bank (Diamond)", "Access Bank"]),
        # By a word, in the order of the list.
        ("Diamond", ["Access Bank (Diamond)"]),
        ("Nigeria", ["First Bank of Nigeria"]),
        # By its first letters.
        ("G.T.B", []),
        ("gtb", ["Guaranty Trust Bank"]),
        ("UBfA", ["United Bank for Africa"]),
        # Generic words and other initials suggest nothing.
        ("Bank", []),
        ("qqq", []),
        ("...", []),
        # Three at most, of letters and of words.
        (
            "First",
            ["First Bank of Nigeria", "First City Monument Bank", "First Option Microfinance Bank"],
        ),
    ],
)
def test_a_name_that_no_bank_has_is_near_to_three_at_most(name, close):
    assert suggest_names(name, BANKS) == close


def test_names_without_a_letter_are_near_to_none():
    assert suggest_names("...", ["---"]) == []
    assert suggest_names("Access", ["---", "Access Bank"]) == ["Access Bank"]
