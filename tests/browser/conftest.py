"""Browser fixtures; see tests/environment/browser.py."""

from __future__ import annotations

from tests.environment.browser import page, profile

__all__ = ["page", "profile"]
