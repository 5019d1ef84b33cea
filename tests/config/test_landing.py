"""The landing page: plain HTML with links to everything else."""

import re

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def test_every_link_of_the_landing_page_works():
    page = Client().get("/")
    assert page.status_code == 200
    links = re.findall(r'href="(/[^"]*)"', page.content.decode())
    assert links == ["/v1/docs", "/v1/schema", "/admin/", "/health"]
    for link in links:
        assert Client().get(link, follow=True).status_code == 200


def test_it_needs_no_script_and_no_external_resources():
    page = Client().get("/", headers={"host": "exchange.example"}).content.decode()
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?:https?:)?//', page) == []
    assert "http://exchange.example/v1/oauth/token" in page
    assert "prefers-color-scheme: dark" in page
    assert '<html lang="en">' in page
