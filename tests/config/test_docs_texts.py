"""The documentation as text for programs, and the page of error codes."""

import re

import pytest
from django.test import Client

from config.api_docs.guide import chapters
from config.api_docs.texts import error_codes
from tests.assertions.openapi import operations, resolve_reference


def get(address: str) -> str:
    response = Client().get(address)
    assert response.status_code == 200, address
    text: str = response.content.decode()
    return text


def test_the_index_leads_to_every_chapter_and_each_link_to_a_text():
    response = Client().get("/llms.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    text = response.content.decode()
    assert text.startswith("# Tokenized Investment Exchange\n\n> ")
    links = re.findall(r"^- \[([^\]]+)\]\(http://testserver([^)]+)\)$", text, re.M)
    assert len(links) == len(chapters()) + 4
    for title, address in links:
        found = get(address)
        if address.endswith(".md") and "changelog" not in address:
            assert found.startswith(f"# {title}\n")


def test_a_chapter_is_markdown_with_its_examples_and_links_that_lead_on():
    response = Client().get("/v1/docs/06-lists.md")
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    text = response.content.decode()
    assert "```bash\ncurl" in text
    assert "](examples/" not in text
    for path in chapters():
        for link in re.findall(r"\]\((\d\d-[\w-]+\.md)[)#]", get(f"/v1/docs/{path.name}")):
            get(f"/v1/docs/{link}")


def test_the_changelog_has_a_date_for_each_release():
    text = get("/v1/docs/changelog.md")
    releases = re.findall(r"^## \[\d[^\n]*$", text, re.M)
    assert releases
    assert all(re.search(r" - \d{4}-\d\d-\d\d$", line) for line in releases)


@pytest.mark.parametrize("name", ["99-none.md", "..%2f..%2fREADME.md", "06-lists", "examples"])
def test_other_names_are_no_chapter(name):
    assert Client().get(f"/v1/docs/{name}").status_code == 404


def test_every_declared_code_has_a_place_on_the_page_with_its_operations():
    html = get("/v1/docs/errors")
    declared = set()
    for path, method, operation in operations():
        for status, found in operation["responses"].items():
            content = resolve_reference(found).get("content", {}).get("application/json", {})
            for code in content.get("examples", {}) if status >= "400" else ():
                declared.add((code, int(status), f"{method.upper()} {path}"))
    assert len(declared) > 500
    shown = error_codes()
    assert {(c.name, o) for c in shown for o in c.operations} == {(c, o) for c, _, o in declared}
    assert {(c.name, s) for c in shown for s in c.statuses} == {(c, s) for c, s, _ in declared}
    for code in shown:
        assert html.count(f'id="{code.name}"') == 1


def test_the_page_of_errors_runs_no_script_and_says_its_policy():
    page = Client().get("/v1/docs/errors")
    assert b"<script" not in page.content
    assert "script-src 'self';" in page["Content-Security-Policy"]
