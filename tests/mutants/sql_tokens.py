"""A minimal tokenizer of SQL and PL/pgSQL, enough to change single tokens."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|--[^\n]*|/\*.*?\*/)
  | (?P<text>[eE]?'(?:[^']|'')*'|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
  | (?P<number>\d+\.(?!\.)\d*|\d+)
  | (?P<word>[A-Za-z_][\w$]*|"[^"]+")
  | (?P<parameter>\$\d+)
  | (?P<sign>::|:=|=>|<=|>=|<>|!=|\|\||->>|->|\#>>|\#>|@>|<@|<<|>>|&&|\.\.
      |[-+*/%<>=().,;:\[\]?|&^~@!\#{}])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """A word, number, text or sign, with its position in the body."""

    kind: str
    text: str
    start: int
    depth: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def word(self) -> str:
        """The keyword or name in capitals; '' for other tokens."""
        return self.text.upper() if self.kind == "word" else ""

    def is_sign(self, *signs: str) -> bool:
        """Return whether it is one of these signs."""
        return self.kind == "sign" and self.text in signs


def tokens(body: str) -> list[Token]:
    """Return the tokens of a body without comments; brackets have the depth around them."""
    found = []
    place = depth = 0
    while place < len(body):
        match = _TOKEN.match(body, place)
        if match is None:
            raise ValueError(f"No SQL is known that goes on with {body[place : place + 20]!r}")
        kind = match.lastgroup if match.lastgroup != "tag" else "text"
        assert kind is not None
        text = match.group()
        if kind != "space":
            if kind == "sign" and text in ")]":
                depth -= 1
            found.append(Token(kind, text, place, depth))
            if kind == "sign" and text in "([":
                depth += 1
        place = match.end()
    return found


def find(
    found: Sequence[Token],
    start: int,
    words: frozenset[str],
    signs: Sequence[str] = "",
    step: int = 1,
) -> int:
    """Return the index of the end of the part that begins at `start`, in the direction of `step`.

    The end is one of the words or signs at the same depth, or the enclosing bracket.
    """
    depth = found[start].depth
    index = start
    while 0 <= index < len(found):
        token = found[index]
        if token.depth < depth or (
            token.depth == depth and (token.word in words or (signs and token.is_sign(*signs)))
        ):
            return index
        index += step
    return index
