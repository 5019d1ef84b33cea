"""How well names match: forms that banks and people of West and East Africa write."""

import pytest

from wallets.banks.name_matching import MatchDegree, compare_names


@pytest.mark.parametrize(
    ("given", "at_bank"),
    [
        ("Ada Obi", "ADA OBI"),
        ("  Ada   Obi ", "Ada Obi"),
        ("Adébáyọ̀ Ṣọlá", "ADEBAYO SOLA"),
        ("Ngũgĩ wa Thiong'o", "NGUGI WA THIONGO"),
        ("Ng'ang'a Kamau", "Ng\u2019ang\u2019a Kamau"),
        ("Ng'ang'a Kamau", "NGANGA KAMAU"),
        ("Adéọlápọ̀ Ojó", "ADEOLAPO OJO"),
        ("N'ga'n'g'a Kamau", "NGANGA KAMAU"),
        ("Ƙasim Ɗanjuma", "Kasim Danjuma"),
        ("Ɓala Ƴar'adua", "BALA YARADUA"),
        ("Esɛnam Kɔfi Ŋdo", "Esenam Kofi Ndo"),
        ("Chief Emeka Eze", "Emeka Eze"),
        ("Emeka Eze", "CHIEF DR. EMEKA EZE"),
        ("Alhaji Musa Bello", "Mallam Musa Bello"),
        ("Hajia Zainab Sani", "ZAINAB SANI"),
        ("Abdul Rahman Musa", "ABDULRAHMAN MUSA"),
        ("Abdul-Rahman Musa", "Abdulrahman Musa"),
        ("Oluwaseun Ade", "OLUWA SEUN ADE"),
        ("Nii Ayi Kwei Armah", "NIIAYIKWEI ARMAH"),
        ("Musa Abdul Rahman", "MUSA ABDULRAHMAN"),
        ("Obi, Ada", "OBI ADA"),
        ("J.K. Otieno", "J K OTIENO"),
        ("Acme Trading Company Limited", "ACME TRADING CO. LTD"),
        ("Salt & Pepper Ltd", "SALT AND PEPPER LIMITED"),
        ("Pastor", "PASTOR"),
        ("አበበ ቢቂላ", "አበበ ቢቂላ"),
        ("ADA OBI", "\uff21\uff24\uff21 \uff2f\uff22\uff29"),
    ],
)
def test_the_same_name_is_the_same_however_it_is_written(given, at_bank):
    match = compare_names(given, at_bank)
    assert (match.degree, match.label, match.agrees) == (MatchDegree.SAME, "same", True)
    assert (match.only_first, match.only_second) == ((), ())


@pytest.mark.parametrize(
    ("given", "at_bank", "words"),
    [
        ("Ada Obi", "OBI ADA", 2),
        ("Ada Chioma Obi", "OBI, ADA CHIOMA", 3),
        ("Wanjikũ wa Kamau", "KAMAU WANJIKU WA", 3),
        ("Abdul Rahman Musa", "MUSA ABDULRAHMAN", 2),
        ("Mrs Grace Achieng Odhiambo", "ODHIAMBO GRACE ACHIENG", 3),
    ],
)
def test_another_order_of_the_same_words_is_reported(given, at_bank, words):
    match = compare_names(given, at_bank)
    assert match.degree is MatchDegree.REORDERED
    assert match.label == "same words in another order"
    assert (match.shared, match.words, match.agrees) == (words, words, True)


@pytest.mark.parametrize(
    ("given", "at_bank"),
    [
        ("A. Obi", "ADA OBI"),
        ("Ada C. Obi", "OBI ADA CHIOMA"),
        ("J.K. Otieno", "OTIENO JAMES KIPCHOGE"),
        ("Otieno James Kipchoge", "J K OTIENO"),
        ("A Kwame Mensah", "AMA K MENSAH"),
    ],
)
def test_words_given_as_initials_are_reported(given, at_bank):
    match = compare_names(given, at_bank)
    assert (match.degree, match.label) == (MatchDegree.INITIALS, "same, but for initials")
    assert match.agrees


@pytest.mark.parametrize(
    ("given", "at_bank", "label", "only_given", "only_at_bank", "agrees"),
    [
        # The bank knows a middle name that was not given.
        ("Ada Obi", "OBI ADA CHIOMA", "partly: 2 of 3 words", (), ("chioma",), True),
        # A name was given that the bank does not know.
        ("Ada Chioma Obi", "ADA OBI", "partly: 2 of 3 words", ("chioma",), (), False),
        # One word in common, a family's name perhaps.
        ("Ada Obi", "EMEKA OBI", "partly: 1 of 2 words", ("ada",), ("emeka",), False),
        ("Obi", "EMEKA OBI", "partly: 1 of 2 words", (), ("emeka",), False),
        ("Otieno O. Ouma", "OTIENO OCHIENG", "partly: 2 of 3 words", ("ouma",), (), False),
        ("Ada Ada Obi", "ADA OBI", "partly: 2 of 3 words", ("ada",), (), False),
        ("Kwame Mensah Ltd", "KWAME MENSAH", "partly: 2 of 3 words", ("ltd",), (), False),
        (
            "Wanjiku Kamau Njoroge", "KAMAU WANJIKU MWANGI",
            "partly: 2 of 3 words", ("njoroge",), ("mwangi",), False,
        ),
    ],
)  # fmt: skip
def test_shared_words_are_counted_and_the_others_named(
    given, at_bank, label, only_given, only_at_bank, agrees
):
    match = compare_names(given, at_bank)
    assert (match.degree, match.label) == (MatchDegree.PARTLY, label)
    assert (match.only_first, match.only_second) == (only_given, only_at_bank)
    assert match.agrees is agrees


@pytest.mark.parametrize(
    ("given", "at_bank", "pairs"),
    [
        ("Mohamed Ali", "MOHAMMED ALI", (("mohamed", "mohammed"),)),
        ("Wanjiku Kamau", "WANJIKO KAMAU", (("wanjiku", "wanjiko"),)),
        ("Ada Obi", "ADA OBIKA", ()),
        # The nearest only, and each word once.
        ("Ali Mohamed", "ALI MOHAMMAD MOHAMMED", (("mohamed", "mohammed"),)),
        ("Ali Mohamed Muhamed", "ALI MOHAMMED", (("mohamed", "mohammed"),)),
    ],
)
def test_a_different_letter_makes_another_word_and_is_reported(given, at_bank, pairs):
    match = compare_names(given, at_bank)
    words = max(len(given.split()), len(at_bank.split()))
    assert (match.label, match.similar) == (f"partly: 1 of {words} words", pairs)
    assert not match.agrees


@pytest.mark.parametrize(
    ("given", "at_bank"),
    [
        ("Ada Obi", "EMEKA EZE"),
        ("A O", "ADA OBI"),
        ("Ada Obi", "A. O."),
        # Four words are not joined to one.
        ("Nii Ayi Kwei Armah", "NIIAYIKWEIARMAH"),
        ("", "ADA OBI"),
        ("Ada Obi", ""),
        ("", ""),
        ("...", "ADA OBI"),
        ("Mr Obi", "MR EZE"),
        ("አበበ", "ADA"),
    ],
)
def test_names_that_share_no_whole_word_are_different(given, at_bank):
    match = compare_names(given, at_bank)
    assert (match.degree, match.label, match.shared) == (MatchDegree.DIFFERENT, "different", 0)
    assert not match.agrees


def test_the_degree_does_not_depend_on_which_name_comes_first():
    names = ["Ada Obi", "OBI ADA", "A. Obi", "Ada Chioma Obi", "Abdul Rahman Obi", "Eze", ""]
    for first in names:
        for second in names:
            one, other = compare_names(first, second), compare_names(second, first)
            assert (one.degree, one.shared, one.words) == (other.degree, other.shared, other.words)
            assert (one.only_first, one.only_second) == (other.only_second, other.only_first)
