"""The guide in the OpenAPI document, and the pages that show both."""

import re

import pytest
from django.conf import settings
from django.test import Client

from config.api_docs.document import TAGS
from config.api_docs.guide import CODE_SAMPLES, LANGUAGES, chapters, code_samples, guide, source
from tests.assertions.openapi import document, operations

# Each page with the document that it shows.
DOCUMENTS = {
    "/v1/docs": "/v1/schema",
    "/v1/docs/webhooks": "/v1/schema/webhooks",
    "/v1/docs/try": "/v1/schema",
}
PAGES = tuple(DOCUMENTS)


def test_chapters_become_sections_of_the_document_with_their_examples_in_place():
    text = document()["info"]["description"]
    assert text == guide()
    headings = re.findall(r"^# (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    assert len(headings) == len(chapters()) == len(set(headings))
    assert "(examples/" not in text
    for language in LANGUAGES:
        assert f"```{language.fence}\n{source('withdraw', language)}\n```" in text


def test_links_between_chapters_lead_to_their_sections():
    sections, chapter = set(), ""
    text = re.sub(r"^```.*?^```$", "", guide(), flags=re.M | re.S)
    for level, heading in re.findall(r"^(##?) (.+)$", text, re.MULTILINE):
        name = heading.replace(" ", "-")
        chapter = name if level == "#" else chapter
        sections.add(f"#section/{chapter}" if level == "#" else f"#section/{chapter}/{name}")
    links = set(re.findall(r"\]\((#[^)]+)\)", text))
    assert links <= sections
    assert len(links) > 5
    assert "#section/Lists-and-filters/Cursors" in links
    # No link leads to a file of the repository.
    assert re.findall(r"\]\(([\w-]+\.md[^)]*)\)", text) == []


def test_main_operations_have_code_samples_and_every_tag_is_in_the_navigation():
    found = {
        operation["operationId"]: operation["x-codeSamples"]
        for _, _, operation in operations()
        if "x-codeSamples" in operation
    }
    assert found == {name: code_samples(example) for name, example in CODE_SAMPLES.items()}
    [group] = document()["x-tagGroups"]
    assert group["tags"] == list(TAGS)


@pytest.mark.parametrize("address", PAGES)
def test_pages_run_no_script_but_ours_and_link_to_each_other(address):
    page = Client().get(address)
    html = page.content.decode()
    assert page.status_code == 200
    assert "script-src 'self';" in page["Content-Security-Policy"]
    assert not re.search(r"<script(?![^>]*\bsrc=)", html)
    assert re.findall(r'(?:src|href)="(?:https?:)?//', html) == []
    assert {*PAGES, DOCUMENTS[address]} <= set(re.findall(r'href="([^"]+)"', html))
    assert '<html lang="en">' in html


def test_only_references_may_start_a_worker():
    policies = [Client().get(address)["Content-Security-Policy"] for address in PAGES]
    assert ["worker-src" in policy for policy in policies] == [True, True, False]


@pytest.mark.parametrize("address", PAGES)
def test_scripts_of_pages_load_the_document(address):
    script = Client().get(f"{address}?script=")
    assert script["Content-Type"] == "application/javascript"
    assert f'"{DOCUMENTS[address]}"' in script.content.decode()


def test_the_image_of_the_service_contains_the_guide():
    assert "\nCOPY docs/api docs/api\n" in (settings.BASE_DIR / "Dockerfile").read_text("utf-8")
    assert "!docs/api" in (settings.BASE_DIR / ".dockerignore").read_text("utf-8").splitlines()
