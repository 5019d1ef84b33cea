"""Help in the back office: the pages of the documentation that staff read, from the files of
`docs/` themselves, so that there is no second text to keep up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

START = "back-office"
# What staff may read here; a link to any other page of the documentation stays its words only.
PAGES = (START, "withdrawal-review", "glossary")
_READER = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True, slots=True)
class Help:
    """A page: its title, its sections (anchor and title), and the rest as HTML."""

    title: str
    sections: list[tuple[str, str]]
    body: SafeString


@cache
def page(name: str) -> Help:
    """The page of that name, one of `PAGES`; read and made once."""
    tokens = _READER.parse((settings.BASE_DIR / "docs" / f"{name}.md").read_text("utf-8"))
    title, tokens = tokens[1].content, tokens[3:]  # a page begins with its title
    sections = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            words = tokens[at + 1].content
            token.attrs["id"] = slugify(words)
            sections.append((slugify(words), words))
        _rewrite_links(token.children or [])
    html = _READER.renderer.render(tokens, _READER.options, {})
    # The file is ours, and HTML in it is shown as text.
    return Help(title, sections, mark_safe(html))  # noqa: S308


def _rewrite_links(words: list[Token]) -> None:
    """Makes links to other pages of the documentation lead to their place here; those that are not
    here become words.
    """
    elsewhere = False
    for token in words:
        if token.type == "link_open":
            target = PurePosixPath(str(token.attrs["href"]))
            elsewhere = target.suffix == ".md" and target.stem not in PAGES
            if target.suffix == ".md" and not elsewhere:
                token.attrs["href"] = reverse("admin:help", args=[target.stem])
        if token.type in {"link_open", "link_close"}:
            token.hidden = elsewhere
