"""How well two names match, as pages say it."""

from __future__ import annotations

from wallets.banks.name_matching import MatchDegree, NameMatch


def match_tone(match: NameMatch | None) -> str:
    """The class of `exchange/admin.css` for a match; its words always stand there too."""
    if match is None:
        return "waiting"
    if match.degree is MatchDegree.DIFFERENT:
        return "bad"
    return "good" if match.agrees else "waiting"


def describe_match(match: NameMatch | None) -> str:
    """What stands on one side only, and what is nearly alike; "" when nothing does."""
    if match is None:
        return "the bank told no name"
    parts = []
    if match.only_first:
        parts.append(f"only in the name given: {' '.join(match.only_first)}")
    if match.only_second:
        parts.append(f"only at the bank: {' '.join(match.only_second)}")
    parts += [f"{ours} and {theirs} are nearly alike" for ours, theirs in match.similar]
    return "; ".join(parts)
