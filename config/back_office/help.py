"""Help pages of the back office, rendered from the files in `docs/`."""

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
# Pages available as help; links to other documentation pages become plain text.
PAGES = (START, "withdrawal-review", "glossary")
# A wide table scrolls in a region of its own, which the keyboard reaches.
_SCROLL_START = '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n'
_READER = MarkdownIt("commonmark", {"html": False}).enable("table")
_READER.add_render_rule("table_open", lambda *_: _SCROLL_START)
_READER.add_render_rule("table_close", lambda *_: "</table></div>\n")


@dataclass(frozen=True, slots=True)
class Help:
    """A help page: title, sections (anchor and title) and body as HTML."""

    title: str
    sections: list[tuple[str, str]]
    body: SafeString


@cache
def page(name: str) -> Help:
    """Return the page `name`, one of `PAGES`; cached."""
    tokens = _READER.parse((settings.BASE_DIR / "docs" / f"{name}.md").read_text("utf-8"))
    title, tokens = tokens[1].content, tokens[3:]  # a page begins with its title
    sections = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            heading = tokens[at + 1].content
            token.attrs["id"] = slugify(heading)
            sections.append((slugify(heading), heading))
        _rewrite_links(token.children or [])
    html = _READER.renderer.render(tokens, _READER.options, {})
    # The file is part of the project, and raw HTML is escaped.
    return Help(title, sections, mark_safe(html))  # noqa: S308


def _rewrite_links(tokens: list[Token]) -> None:
    """Point links to other help pages to their URLs here; unlink all other pages."""
    elsewhere = False
    for token in tokens:
        if token.type == "link_open":
            path, hash_sign, section = str(token.attrs["href"]).partition("#")
            target = PurePosixPath(path)
            elsewhere = target.suffix == ".md" and target.stem not in PAGES
            if target.suffix == ".md" and not elsewhere:
                help_page = reverse("admin:help", args=[target.stem])
                token.attrs["href"] = f"{help_page}{hash_sign}{section}"
        if token.type in {"link_open", "link_close"}:
            token.hidden = elsewhere
