"""Proposals of distributions that are refused."""

import pytest

from credit.distributions.services.terms import DistributionTerms
from exchange.core.actors import Actor
from exchange.core.errors import DomainError
from exchange.tokens.models import Token
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.distributions import propose


def refused(token: Token, terms: DistributionTerms, actor: Actor | None = None) -> DomainError:
    """Return the error of a proposal that changes nothing."""
    with assert_nothing_changes(), pytest.raises(DomainError) as found:
        propose(token, terms, actor=actor)
    return found.value


def refused_code(token: Token, terms: DistributionTerms) -> str:
    """Return the code of the error of a proposal that changes nothing."""
    return refused(token, terms).code
