"""Display of name matches on pages."""

from django.utils.text import capfirst

from wallets.banks.name_matching import MatchDegree, NameMatch


def match_tone(match: NameMatch | None) -> str:
    """Return the CSS class of a match; its text is always shown too."""
    if match is None:
        return "waiting"
    if match.degree is MatchDegree.DIFFERENT:
        return "bad"
    return "good" if match.agrees else "waiting"


def describe_match(match: NameMatch | None) -> str:
    """Return the differences of a match as text; empty when there are none."""
    if match is None:
        return "Bank returned no account name"
    rest = [
        f'{where} "{" ".join(map(str.capitalize, words))}"'
        for where, words in (("provided", match.only_first), ("bank", match.only_second))
        if words
    ]
    if match.degree is MatchDegree.DIFFERENT and not match.similar:
        return capfirst(f"{'; '.join(rest)}: no word in common")
    parts = [f"only {each}" for each in rest]
    parts += [f"{ours} and {theirs} are similar" for ours, theirs in match.similar]
    return "; ".join(parts)
