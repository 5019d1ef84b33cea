"""Help in the back office: the documentation's own pages, for whoever is signed in."""

import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from config.back_office import help as help_pages
from config.back_office.roles import ROLES
from tests.factories.back_office import signed_in_client, text_of

pytestmark = pytest.mark.django_db


def address(name: str) -> str:
    return reverse("admin:help", args=[name])


@pytest.mark.parametrize("role", sorted(ROLES))
@pytest.mark.one_in(3)
def test_every_role_finds_help_in_its_menu_and_reads_it(role):
    client = signed_in_client(role)
    front = client.get(reverse("admin:index")).content.decode()
    assert f'<a href="{reverse("admin:help")}">Help</a>' in front
    shown = client.get(reverse("admin:help"))
    text = text_of(shown)
    assert "Working in the back office" in text
    assert "No one confirms their own" in text
    assert text_of(client.get(address(help_pages.START))) == text


def test_help_pages_show_the_documentation():
    client = signed_in_client("Auditor")
    for name in help_pages.PAGES:
        source = (settings.BASE_DIR / "docs" / f"{name}.md").read_text("utf-8")
        shown = client.get(address(name))
        text = text_of(shown)
        for heading in re.findall(r"^#+ (.+)$", source, re.M):
            assert heading in text, heading
        html = shown.content.decode()
        sections = re.findall(r'<li><a href="#([^"]+)">', html)
        assert len(sections) == len(re.findall(r"^## ", source, re.M))
        for section in sections:
            assert html.count(f'id="{section}"') == 1


def test_links_lead_to_pages_that_are_here_and_to_no_others():
    client = signed_in_client("Auditor")
    for name in help_pages.PAGES:
        html = client.get(address(name)).content.decode().split("<main")[1]
        assert not re.search(r'href="[^"]*\.md', html)
        for link in re.findall(r'href="(/admin/help/[^"]*)"', html):
            path, _, section = link.partition("#")
            response = client.get(path)
            assert response.status_code == 200
            assert not section or f'id="{section}"' in response.content.decode()
    start = client.get(reverse("admin:help")).content.decode()
    assert f'<a href="{address("withdrawal-review")}">How withdrawals are reviewed</a>' in start
    assert "for operators, operations." in text_of(client.get(reverse("admin:help")))
    assert client.get(address("operations")).status_code == 404
    assert client.get("/admin/help/../settings/").status_code == 404


def test_help_is_for_staff_and_to_read_only():
    assert Client().get(reverse("admin:help")).status_code == 302
    assert signed_in_client("Auditor").post(reverse("admin:help")).status_code == 405


def test_the_image_of_the_service_brings_its_help_along():
    copied = (settings.BASE_DIR / "Dockerfile").read_text("utf-8")
    let_in = (settings.BASE_DIR / ".dockerignore").read_text("utf-8").splitlines()
    for name in help_pages.PAGES:
        assert re.search(rf"^COPY .*docs/{name}\.md", copied, re.M)
        assert f"!docs/{name}.md" in let_in
