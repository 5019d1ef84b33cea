"""The settings of a sandbox installation, and its identities."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from config.books import CHECKS
from config.local.outcomes.people import create_identities
from config.local.outcomes.settings import sandbox_settings
from config.settings import base
from tests.environment.owner import as_owner, owner_alias
from tests.environment.services import Sandbox
from wallets.ledger.proof import prove


@pytest.fixture
def sandbox_urls(settings: Settings) -> None:
    """The settings of a sandbox installation."""
    added = sandbox_settings(base.SCOPES, base.OAUTH2_PROVIDER, base.SPECTACULAR_SETTINGS)
    for name, value in added.items():
        setattr(settings, name, value)


@pytest.fixture
def sandbox(sandbox_urls: None, provider_sandbox: Sandbox, settings: Settings) -> Iterator[Sandbox]:
    """The same, with its identities; the books hold at the end."""
    settings.DISTRIBUTION_NOTICE_DAYS = 0
    with as_owner():
        create_identities(owner_alias())
    yield provider_sandbox
    assert prove(CHECKS).findings == ()
