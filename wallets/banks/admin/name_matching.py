"""Display of name matches on pages."""

from __future__ import annotations

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
    parts = []
    if match.only_first:
        parts.append(f"only in the name provided: {' '.join(match.only_first)}")
    if match.only_second:
        parts.append(f"only at the bank: {' '.join(match.only_second)}")
    parts += [f"{ours} and {theirs} are similar" for ours, theirs in match.similar]
    return "; ".join(parts)
