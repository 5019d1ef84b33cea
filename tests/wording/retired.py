"""Find words that `docs/glossary.md` retires, in names and in texts of the project."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_ROW = re.compile(r"^\| (?P<words>[^|]+) \| [^|]+ \| (?P<scopes>[^|]+) \|$", re.MULTILINE)
_PART_OF_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TEMPLATE_CODE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<[^>]*>", re.DOTALL)
_CODE = re.compile(r"`[^`]*`")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# What may stand between two words of a phrase: a string goes on in the next literal, for example.
_BETWEEN = r"""\W+(?:f["'])?"""
_SQL_COMMENT = re.compile(r"--.*$", re.MULTILINE)


@dataclass(frozen=True)
class RetiredWords:
    """Retired words and phrases in lower case, by where they may not occur."""

    names: frozenset[str]
    text: frozenset[str]

    def in_name(self, name: str) -> list[str]:
        """Return the retired words that are parts of the identifier `name`."""
        parts = [part.lower() for part in _PART_OF_NAME.findall(name)]
        return [
            part for part in parts if part in self.names or part.removesuffix("s") in self.names
        ]

    def in_text(self, text: str) -> list[str]:
        """Return the retired words and phrases that occur in `text` outside code in backticks."""
        plain = " ".join(_CODE.sub(" ", text).split())
        return [match.lower() for match in self._pattern.findall(plain)]

    def may_occur(self, path: str, source: str) -> bool:
        """Return whether a file has a retired word anywhere, in its code or as part of another."""
        content = f"{path} {source}".lower()
        return any(
            parts[0] in content and re.search(_BETWEEN.join(map(re.escape, parts)), content)
            for parts in map(str.split, self.names | self.text)
        )

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        words = "|".join(map(re.escape, sorted(self.text, key=len, reverse=True)))
        return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)


@dataclass(frozen=True, order=True)
class Finding:
    """One retired word: the file, the line and the word."""

    path: str
    line: int
    word: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word}"


def read_retired_words(glossary: str) -> RetiredWords:
    """Read the table under the heading "Retired words"."""
    section = glossary.partition("## Retired words")[2]
    names: set[str] = set()
    text: set[str] = set()
    for row in _ROW.finditer(section):
        words = {word.strip().lower() for word in row["words"].split(",")}
        names |= words if "names" in row["scopes"] else set()
        text |= words if "text" in row["scopes"] else set()
    return RetiredWords(frozenset(names - {"retired"}), frozenset(text - {"retired"}))


def find_in_python(path: str, source: str, words: RetiredWords) -> Iterator[Finding]:
    """Find retired words in the names, docstrings, comments and messages of a module.

    A string counts as text when it holds a space.
    """
    for part in Path(path).with_suffix("").parts:
        yield from _at(path, 1, words.in_name(part))
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 1)
        for name in _defined_names(node):
            yield from _at(path, line, words.in_name(name))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield from _at(path, line, words.in_text(node.value))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from _at(path, token.start[0], words.in_text(token.string))


def find_in_file(path: str, source: str, words: RetiredWords) -> list[Finding]:
    """Find retired words in a Python, SQL, template or Markdown file."""
    if not words.may_occur(path, source):
        return []
    if path.endswith(".py"):
        return sorted(set(find_in_python(path, source, words)))
    if path.endswith(".html"):
        source = _TEMPLATE_CODE.sub(_blank, source)
    elif path.endswith(".md"):
        source = _FENCED.sub(_blank, source)
    elif path.endswith(".sql"):
        source = "".join(
            comment[0] if comment else "\n"
            for comment in (_SQL_COMMENT.search(line) for line in source.splitlines())
        )
    lines = source.splitlines()
    return sorted(
        Finding(path, number, word)
        for number, line in enumerate(lines, 1)
        for word in words.in_text(line)
    )


def _at(path: str, line: int, words: list[str]) -> Iterator[Finding]:
    return (Finding(path, line, word) for word in words)


def _blank(match: re.Match[str]) -> str:
    """Return as many line breaks as the match has, so that line numbers stay true."""
    return "\n" * match[0].count("\n") or " "


def _defined_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return [node.attr]
    return []
