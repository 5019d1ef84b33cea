"""The documentation as text: an index for programs that read (`/llms.txt`), chapters, changelog.

Also the page of all error codes, from what the operations declare in the OpenAPI document.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from config.api_docs.guide import chapters, with_examples
from config.api_docs.views import render_documents
from config.back_office.site import with_security_policy

_CHANGELOG = settings.BASE_DIR / "CHANGELOG.md"


@dataclass(slots=True)
class ErrorCode:
    """A code of `X-Error-Code`: statuses, an example of its message, and the operations with it."""

    name: str
    message: str
    statuses: set[int] = field(default_factory=set)
    operations: list[str] = field(default_factory=list)


@require_safe
def index_text(request: HttpRequest) -> HttpResponse:
    """Return the index: what the service is, and where each part is described."""
    chapter_lines = (
        f"- [{title_of(path.read_text('utf-8'))}]({_absolute(request, 'docs-chapter', path.name)})"
        for path in chapters()
    )
    lines = [
        "# Tokenized Investment Exchange",
        "",
        "> A REST API for tokenized investments: catalogue, orders, distributions, loans, wallets,",
        "> deposits and payouts to bank accounts. JSON over HTTPS, OAuth 2.0 client credentials;",
        "> amounts are decimal numbers, times are UTC.",
        "",
        "## Guide",
        "",
        *chapter_lines,
        "",
        "## Reference",
        "",
        f"- [OpenAPI document of the API]({_absolute(request, 'schema')})",
        f"- [OpenAPI document of webhooks]({_absolute(request, 'schema-webhooks')})",
        f"- [Error codes]({_absolute(request, 'docs-errors')})",
        f"- [Changelog]({_absolute(request, 'docs-changelog')})",
        "",
    ]
    return _text("\n".join(lines), "text/plain")


@require_safe
def chapter(_request: HttpRequest, name: str) -> HttpResponse:
    """Return a chapter of the guide as Markdown, with its examples in place."""
    for path in chapters():
        if path.name == name:
            return _text(with_examples(path))
    raise Http404


@require_safe
def changelog(_request: HttpRequest) -> HttpResponse:
    """Return the changes of each release with its date, as Markdown."""
    return _text(_CHANGELOG.read_text("utf-8"))


@require_safe
def errors_page(request: HttpRequest) -> HttpResponse:
    """Return the page of all error codes, each with an anchor of its name."""
    page = render(request, "api_docs/errors.html", {"codes": error_codes()})
    with_security_policy(page)
    return page


@cache
def error_codes() -> list[ErrorCode]:
    """Return every code that an operation declares, in the order of their names."""
    document = json.loads(render_documents()["schema"])
    found: dict[str, ErrorCode] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for status, response in operation["responses"].items():
                examples = _failures(document, response) if status >= "400" else {}
                for name, example in examples.items():
                    shown = example["value"]
                    # OAuth has its own form (RFC 6749).
                    message = shown.get("message") or shown["error_description"]
                    code = found.setdefault(name, ErrorCode(name, message))
                    code.statuses.add(int(status))
                    code.operations.append(f"{method.upper()} {path}")
    return [found[name] for name in sorted(found)]


def _failures(document: Mapping[str, Any], response: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in response:
        response = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
    content: Mapping[str, Any] = response.get("content", {}).get("application/json", {})
    examples: Mapping[str, Any] = content.get("examples", {})
    return examples


def title_of(text: str) -> str:
    """Return the heading of a Markdown text."""
    return text.partition("\n")[0].removeprefix("# ")


def _absolute(request: HttpRequest, page: str, *parts: str) -> str:
    return request.build_absolute_uri(reverse(page, args=parts))


def _text(text: str, media_type: str = "text/markdown") -> HttpResponse:
    return HttpResponse(
        text,
        content_type=f"{media_type}; charset=utf-8",
        headers={"Cache-Control": "no-cache"},  # with its ETag
    )
