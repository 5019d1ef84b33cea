"""The browser of these tests; see tests/support/browser.py."""

from __future__ import annotations

from tests.support.browser import chromium, page

__all__ = ["chromium", "page"]
