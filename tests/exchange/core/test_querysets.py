"""The error of a missing record is made for each raise."""

import sys
import traceback
from typing import Any

import pytest
from django.urls import get_resolver

from exchange.core.querysets import get_or_raise
from exchange.participants.errors import UserNotFound
from exchange.participants.models import Member

PACKAGES = {"config", "exchange", "wallets", "credit", "orders"}


def refused() -> UserNotFound:
    """Return the error of a call that finds nothing."""
    with pytest.raises(UserNotFound) as found:
        get_or_raise(Member.objects.none(), UserNotFound)
    return found.value


def test_a_repeated_refusal_has_a_traceback_of_its_own():
    frames = [len(list(traceback.walk_tb(refused().__traceback__))) for _ in range(3)]
    assert frames == [2, 2, 2]


def test_a_kept_exception_is_not_accepted():
    kept: Any = UserNotFound()
    with pytest.raises(TypeError, match="'UserNotFound' object is not callable"):
        get_or_raise(Member.objects.none(), kept)


def test_no_module_keeps_an_exception():
    assert get_resolver().url_patterns
    modules = [m for name, m in sys.modules.items() if name.partition(".")[0] in PACKAGES]
    assert len(modules) > 400
    kept = [
        f"{module.__name__}.{name}"
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, BaseException)
    ]
    assert kept == []
