"""Mutants of SQL and PL/pgSQL functions.

They are made from what the database says of the function (`pg_get_functiondef`), in its body only:
neither comments, nor texts, nor statements that are put together at run time are changed. What the
server does not accept as a function is no mutant.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg

from tests.mutants.faults import Mutant, numbered
from tests.mutants.sql_tokens import Token, find, tokens

# A change: its operator, start and end in the body, and the new text.
Change = tuple[str, int, int, str]

# The server prints some functions in one line; longer lines are shortened.
_LONG_LINE = 160
# A quoted body, or a parsed one: `RETURN …` or `BEGIN ATOMIC …`.
_BODY = re.compile(
    r"^AS (?P<quote>\$function\$|\$procedure\$)(?P<quoted>.*)(?P=quote)\s*\Z"
    r"|^ ?(?P<read>(?:RETURN|BEGIN ATOMIC)\b.*)\Z",
    re.DOTALL | re.MULTILINE,
)
_TURNED = {
    "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="),
    "=": ("<>",), "<>": ("=",), "!=": ("=",), "@>": ("<@",), "<@": ("@>",),
}  # fmt: skip
_SIGNS = {"+": "-", "-": "+", "*": "/", "/": "*"}
_ROUNDED = {
    "ROUND": "trunc", "TRUNC": "round", "CEIL": "floor", "CEILING": "floor", "FLOOR": "ceil",
    "GREATEST": "least", "LEAST": "greatest", "ROUND_UP": "round_down", "ROUND_DOWN": "round_up",
    "ROUND_HALF_EVEN": "round",
}  # fmt: skip
_OWNER = re.compile("currency|organisation|organization|owner|wallet", re.IGNORECASE)
# Words before a condition, and words after it.
_OPENS = frozenset({"WHERE", "ON", "IF", "ELSIF", "WHEN", "HAVING", "AND", "OR", "NOT", "RETURN",
                    "SELECT", "WHILE", "BY", "THEN", "ELSE", "CHECK"})  # fmt: skip
_CLOSES = frozenset({"AND", "OR", "THEN", "LOOP", "GROUP", "ORDER", "LIMIT", "FOR", "RETURNING",
                     "UNION", "EXCEPT", "INTERSECT", "HAVING", "WINDOW", "WHERE", "JOIN", "LEFT",
                     "RIGHT", "INNER", "FULL", "CROSS", "ELSE", "END", "AS", "DO", "OFFSET",
                     "INTO", "WHEN", "ON", "FROM"})  # fmt: skip
_LOCKS = (("FOR", "NO", "KEY", "UPDATE"), ("FOR", "KEY", "SHARE"), ("FOR", "UPDATE"),
          ("FOR", "SHARE"))  # fmt: skip
# Our own functions, without those of extensions.
_DEFINITIONS = """
SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid) FROM pg_proc p
  JOIN pg_language l ON l.oid = p.prolang
 WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p')
   AND l.lanname IN ('sql', 'plpgsql')
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
 ORDER BY 1
"""


def read_definitions(connection: psycopg.Connection[Any]) -> dict[str, str]:
    """Return the definitions of the database's own functions by signature."""
    return dict(connection.execute(_DEFINITIONS).fetchall())


def mutants_of(name: str, definition: str) -> list[Mutant]:
    """Return every mutant of a function; `name` is its signature."""
    match = _BODY.search(definition)
    if match is None:
        return []
    part = "quoted" if match["quoted"] is not None else "read"
    body, offset = match[part], match.start(part)
    found, seen = [], {body}
    for operator, start, end, text in changes(body):
        changed = body[:start] + text + body[end:]
        if changed in seen:
            continue
        seen.add(changed)
        # Counted like the server does, from the line with the opening quote.
        line = body.count("\n", 0, start) + 1
        before, after = _shown(body, start, end, text)
        found.append(
            Mutant(
                module=name, line=line, operator=operator, before=before, after=after,
                first=line, last=line,
                text=definition[:offset] + changed + definition[offset + len(body) :],
            )
        )  # fmt: skip
    return numbered(found)


def changes(body: str) -> list[Change]:
    """Return every change of a body, in order."""
    found = tokens(body)
    made = [change for kind in _KINDS for change in kind(found, body)]
    return sorted(made, key=lambda change: (change[1], change[2], change[0]))


def _comparisons(found: Sequence[Token], body: str) -> Iterator[Change]:
    for index, token in enumerate(found):
        if token.kind == "sign":
            for turned in _TURNED.get(token.text, ()):
                yield "comparison turned", token.start, token.end, turned
        elif token.word == "IS":
            following = found[index + 1]
            if following.word == "NOT":
                yield "comparison turned", following.start, following.end, ""
            else:
                yield "comparison turned", token.end, token.end, " NOT"
        elif token.word == "EXISTS" and found[index - 1].word == "NOT":
            yield "comparison turned", found[index - 1].start, found[index - 1].end, ""
        elif token.word in ("EXISTS", "IN", "BETWEEN") and _is_condition(found, index):
            yield "comparison turned", token.start, token.start, "NOT "


def _is_condition(found: Sequence[Token], index: int) -> bool:
    """Return whether IN or EXISTS is a condition, unlike in `FOR … IN` or `DROP … IF EXISTS`."""
    if found[index].word == "EXISTS":
        return found[index + 1].is_sign("(")
    if found[index].word == "IN" and not found[index + 1].is_sign("("):
        return False
    return found[index - 1].word != "NOT"


def _terms(found: Sequence[Token], body: str) -> Iterator[Change]:
    for index, token in enumerate(found):
        if token.word in ("AND", "OR") and not _is_of_between(found, index):
            after = _close(found, index + 1)
            term = body[token.end : _end_before(found, after)]
            yield _term(token.word, term), token.start, token.end + len(term), ""
            before = find(found, index - 1, _OPENS, (";", ",", "=>"), step=-1)
            if found[before].word not in ("AND", "OR") or found[before].depth != token.depth:
                start = found[before + 1].start
                yield _term(token.word, body[start : token.start]), start, token.end, ""
        elif token.word in ("WHERE", "ON") and found[index - 1].word != "TIES":
            after = _close(found, index + 1)
            if found[min(after, len(found) - 1)].word not in ("AND", "OR"):
                term = body[token.end : _end_before(found, after)]
                yield _term("only", term), token.end, token.end + len(term), " true"
        elif token.word == "USING" and found[index + 1].is_sign("("):
            end = find(found, index + 2, frozenset())
            names = [each for each in found[index + 2 : end] if each.kind == "word"]
            for name in names if len(names) > 1 else ():
                last = name is names[-1]
                start = names[-2].end if last else name.start
                stop = name.end if last else names[names.index(name) + 1].start
                yield _term("join", name.text), start, stop, ""


def _term(connective: str, term: str) -> str:
    owner = _OWNER.search(term)
    if owner is not None and "=" in term:
        word = owner[0].lower()
        return f"{'organisation' if word in ('owner', 'wallet') else word} term dropped"
    return f"{connective} term dropped"


def _close(found: Sequence[Token], start: int) -> int:
    """Return the index after the condition that begins at `start`."""
    while True:
        end = find(found, start, _CLOSES, ";,")
        if end >= len(found) or found[end].word != "FROM" or found[end - 1].word != "DISTINCT":
            return end
        start = end + 1


def _is_of_between(found: Sequence[Token], index: int) -> bool:
    depth = found[index].depth
    for token in reversed(found[:index]):
        if token.depth < depth or (token.depth == depth and token.word in ("AND", "OR", "WHERE")):
            return False
        if token.depth == depth and token.word == "BETWEEN":
            return True
    return False


def _locks(found: Sequence[Token], body: str) -> Iterator[Change]:
    for index, token in enumerate(found):
        for words in _LOCKS:
            if tuple(each.word for each in found[index : index + len(words)]) == words:
                end = index + len(words)
                while end < len(found) and (
                    found[end].word in ("OF", "NOWAIT", "SKIP", "LOCKED")
                    or found[end - 1].word == "OF"
                ):
                    end += 1
                yield "lock dropped", token.start, found[end - 1].end, ""
                break
        if token.word == "LOCK" and found[index + 1].word == "TABLE":
            end = find(found, index, frozenset(), ";")
            yield "lock dropped", token.start, found[end].start, "NULL"


def _numbers(found: Sequence[Token], body: str) -> Iterator[Change]:
    for index, token in enumerate(found):
        if token.kind == "number" and "." not in token.text:
            yield "constant moved", token.start, token.end, str(int(token.text) + 1)
        elif token.kind == "number":
            yield "constant moved", token.start, token.end, f"({token.text} * 2)"
        elif token.word in ("TRUE", "FALSE"):
            turned = "false" if token.word == "TRUE" else "true"
            yield "constant moved", token.start, token.end, turned
        elif token.word in _ROUNDED and found[index + 1].is_sign("("):
            yield "rounding changed", token.start, token.end, _ROUNDED[token.word]


def _signs(found: Sequence[Token], body: str) -> Iterator[Change]:
    for index, token in enumerate(found):
        if not token.is_sign(*_SIGNS) or index == 0:
            continue
        before, after = found[index - 1], found[min(index + 1, len(found) - 1)]
        stands_alone = before.kind == "sign" and before.text not in ")]"
        if token.text == "*" and (
            stands_alone or before.word in ("SELECT", "RETURNING", "DISTINCT") or after.is_sign(")")
        ):
            continue
        if token.text == "-" and (stands_alone or before.word in _OPENS):
            yield "sign turned", token.start, token.end, ""
        elif not stands_alone:
            yield "sign turned", token.start, token.end, _SIGNS[token.text]


def _statements(found: Sequence[Token], body: str) -> Iterator[Change]:
    for index, token in enumerate(found):
        opens = index == 0 or found[index - 1].is_sign(";") or found[index - 1].word in (
            "BEGIN", "THEN", "ELSE", "LOOP")  # fmt: skip
        if not opens or token.word not in ("RAISE", "PERFORM"):
            continue
        level = found[index + 1].word
        if token.word == "RAISE" and level in ("NOTICE", "LOG", "DEBUG", "INFO", "WARNING"):
            continue
        end = find(found, index, frozenset(), ";")
        kind = "RAISE left out" if token.word == "RAISE" else "call left out"
        if token.word == "PERFORM" and "advisory" in body[token.start : found[end].start]:
            kind = "lock dropped"
        yield kind, token.start, found[end].start, "NULL"


def _conditions(found: Sequence[Token], body: str) -> Iterator[Change]:
    for index, token in enumerate(found):
        if token.word in ("IF", "ELSIF") and found[index - 1].word != "END":
            end = find(found, index + 1, frozenset({"THEN"}), ";")
        elif token.word == "WHEN" and found[index - 1].word in ("EXIT", "CONTINUE"):
            end = find(found, index + 1, frozenset(), ";")
        else:
            continue
        if end < len(found) and (found[end].word == "THEN" or found[end].is_sign(";")):
            condition = body[token.end : found[end].start].strip()
            start = found[index + 1].start
            # A single comparison is negated by another operator.
            if sum(each.text in _TURNED or each.word == "IS" for each in found[index:end]) != 1:
                yield "IF negated", start, start + len(condition), f"NOT ({condition})"


_KINDS: tuple[Callable[[Sequence[Token], str], Iterator[Change]], ...] = (
    _comparisons,
    _terms,
    _locks,
    _numbers,
    _signs,
    _statements,
    _conditions,
)


def _end_before(found: Sequence[Token], index: int) -> int:
    return found[index - 1].end


def _shown(body: str, start: int, end: int, text: str) -> tuple[str, str]:
    """Return the changed lines before and after; a long line is cut around the change."""
    first = body.rfind("\n", 0, start) + 1
    last = body.find("\n", end)
    last = len(body) if last < 0 else last
    if last - first > _LONG_LINE:
        first, last = max(first, start - _LONG_LINE // 2), min(last, end + _LONG_LINE // 2)
    before, after = body[first:last], body[first:start] + text + body[end:last]
    return before.strip(), "\n".join(line for line in after.splitlines() if line.strip()).strip()
