"""The guide for API clients: the chapters of `docs/api` with their examples.

A chapter is a Markdown file. A line of links to one example in three languages stands for the
example itself: `docs/api/examples/NAME.sh`, `.py` and `.ts`, which tests run as they are.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

CHAPTERS: Path = settings.BASE_DIR / "docs" / "api"
EXAMPLES = CHAPTERS / "examples"


@dataclass(frozen=True, slots=True)
class Language:
    """A language of examples: the suffix of its files, its label, its name in fences."""

    suffix: str
    label: str
    fence: str


LANGUAGES = (
    Language("sh", "curl", "bash"),
    Language("py", "Python", "python"),
    Language("ts", "TypeScript", "typescript"),
)
# The example that the reference shows next to an operation.
CODE_SAMPLES = {
    "access_tokens_create": "get_access_token",
    "banks_list": "list_banks",
    "conversions_create": "convert",
    "deposits_list": "list_deposits",
    "events_list": "follow_events",
    "loans_create": "create_loan",
    "loans_quote": "quote_loan",
    "member_checkouts_create": "create_checkout",
    "member_virtual_accounts_create": "open_virtual_account",
    "members_create": "create_member",
    "orders_create": "place_order",
    "statements_retrieve": "get_statement",
    "tokens_list": "list_tokens",
    "tokens_search": "search_tokens",
    "transfers_create": "transfer",
    "wallets_retrieve": "get_balances",
    "webhooks_set": "set_webhook",
    "withdrawals_create": "withdraw",
    "withdrawals_list": "list_withdrawals",
    "withdrawals_retrieve": "follow_withdrawal",
}
_EXAMPLE_LINKS = re.compile(
    " · ".join(rf"\[{each.label}\]\(examples/(\w+)\.{each.suffix}\)" for each in LANGUAGES)
)
_LINK = re.compile(r"\]\((\d\d-[\w-]+\.md)?(?:#([\w-]+))?\)")


@cache
def source(example: str, language: Language) -> str:
    """Return the text of an example in one language."""
    return (EXAMPLES / f"{example}.{language.suffix}").read_text("utf-8").strip()


@cache
def guide() -> str:
    """Return all chapters as one Markdown text with the examples in place."""
    return "\n\n".join(_chapter(path) for path in chapters())


def chapters() -> list[Path]:
    """Return the files of the chapters in their order."""
    return sorted(CHAPTERS.glob("[0-9][0-9]-*.md"))


def examples_in(chapter: Path) -> Iterator[str]:
    """Yield the names of the examples that a chapter shows."""
    for match in _EXAMPLE_LINKS.finditer(chapter.read_text("utf-8")):
        yield match[1]


def code_samples(example: str) -> list[dict[str, Any]]:
    """Return an example as the `x-codeSamples` of an operation."""
    return [
        {"lang": language.fence, "label": language.label, "source": source(example, language)}
        for language in LANGUAGES
    ]


def with_examples(chapter: Path) -> str:
    """Return the text of a chapter with its examples in place."""
    text = chapter.read_text("utf-8").strip()
    return _EXAMPLE_LINKS.sub(lambda match: _fenced(match[1]), text)


def _chapter(path: Path) -> str:
    text = with_examples(path)
    return _LINK.sub(lambda match: f"](#section/{_section(match[1] or path.name, match[2])})", text)


def _fenced(example: str) -> str:
    return "\n\n".join(
        f"```{language.fence}\n{source(example, language)}\n```" for language in LANGUAGES
    )


def _section(file_name: str, anchor: str | None) -> str:
    """Return the anchor that the reference gives to a chapter, or to a heading in it.

    `anchor` is the one that code hosts give to the heading. Raises `LookupError` where none has it.
    """
    text = (CHAPTERS / file_name).read_text("utf-8")
    title, *headings = re.findall(r"^##? (.+)$", text, re.MULTILINE)
    wanted = [title, *(each for each in headings if each.lower().replace(" ", "-") == anchor)]
    if anchor and len(wanted) == 1:
        raise LookupError(f"{file_name} has no heading {anchor}")
    return "/".join(each.replace(" ", "-") for each in wanted)
