"""Browser fixtures; see tests/environment/browser.py."""

from __future__ import annotations

from tests.environment.browser import chromium, page, profile

__all__ = ["chromium", "page", "profile"]
