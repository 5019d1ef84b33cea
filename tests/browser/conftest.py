"""Browser fixtures; see tests/environment/browser.py."""

from tests.environment.browser import page, profile

__all__ = ["page", "profile"]
