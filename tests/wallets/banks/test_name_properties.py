"""What is so of any two names, whatever they are made of."""

from hypothesis import given
from hypothesis import strategies as st

from wallets.banks.name_matching import MatchDegree, compare_names

_words = st.sampled_from(
    ["Ada", "Obi", "Adébáyọ̀", "Ng'ang'a", "Ɗanjuma", "Kɔfi", "wa", "Abdul", "Rahman", "Abdulrahman",
     "O", "J", "Chief", "Mrs", "and", "&", "Limited", "Ltd", "አበበ", "-", "."]
)  # fmt: skip
names = st.lists(_words, max_size=5).map(" ".join) | st.text(max_size=30)
# Words of which none is another's initial, a form of address, or two of others in one.
plain_names = st.lists(
    st.sampled_from(["Ada", "Obi", "Bello", "Kamau", "Otieno", "Sani"]),
    unique=True,
    min_size=2,
    max_size=5,
)


@given(names, names)
def test_any_two_names_are_compared_and_the_counts_add_up(first, second):
    match = compare_names(first, second)
    assert 0 <= match.shared <= match.words
    assert match.label
    assert (match.degree is MatchDegree.DIFFERENT) == (match.shared == 0)
    for mine, theirs in match.similar:
        assert mine in match.only_first
        assert theirs in match.only_second
    if match.degree in {MatchDegree.SAME, MatchDegree.REORDERED, MatchDegree.INITIALS}:
        assert (match.only_first, match.only_second) == ((), ())
        assert match.agrees


@given(names, names)
def test_which_name_stands_first_does_not_matter(first, second):
    there, back = compare_names(first, second), compare_names(second, first)
    assert (there.degree, there.shared, there.words) == (back.degree, back.shared, back.words)
    assert sorted(there.only_first) == sorted(back.only_second)
    assert sorted(there.only_second) == sorted(back.only_first)


@given(plain_names, st.randoms(use_true_random=False))
def test_the_same_words_are_the_same_and_in_another_order_reordered(words, random):
    name, other = " ".join(words), list(words)
    random.shuffle(other)
    again = "  ".join(other).upper()
    degree = MatchDegree.SAME if other == words else MatchDegree.REORDERED
    assert compare_names(name, again).degree is degree
    fewer = compare_names(name, " ".join(words[1:]))
    assert (fewer.degree, fewer.shared) == (MatchDegree.PARTLY, len(words) - 1)
    assert fewer.only_first == (words[0].casefold(),)
