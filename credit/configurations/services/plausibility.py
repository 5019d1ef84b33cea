"""What new terms change beyond their band, compared with the effective ones."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from credit.configurations.models import ConfigurationVersion, LoanConfiguration, VersionStatus
from credit.configurations.services.terms import Terms
from exchange.admin.display import percent
from exchange.core.currencies import format_money
from exchange.staff.plausibility import ProposedNumber, find_notices

_PER_LOAN, _OUTSTANDING = "Maximum per loan, ", "Maximum outstanding, "


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number of the terms, and how it is shown."""

    value: Decimal
    describe: Callable[[Decimal], str]


def find_terms_notices(configuration: LoanConfiguration, terms: Terms) -> list[str]:
    """Return what `terms` would change beyond the band, which a limit that is lifted is."""
    return _compare(configuration, dict(_figures_of_terms(terms)))


def find_version_notices(version: ConfigurationVersion) -> list[str]:
    """Return what a pending version would change beyond the band."""
    return _compare(version.configuration, dict(_figures_of_version(version)))


def _compare(configuration: LoanConfiguration, proposed: dict[str, _Figure]) -> list[str]:
    effective = configuration.versions.filter(status=VersionStatus.APPROVED).first()
    current = dict(_figures_of_version(effective)) if effective else {}
    notices = find_notices(
        ProposedNumber(name, current[name].value, figure.value, "terms", figure.describe)
        for name, figure in proposed.items()
        if name in current
    )
    lifted = (
        f"{name}: {figure.describe(figure.value)} → no limit"
        for name, figure in current.items()
        if name.startswith(_OUTSTANDING)
        and name not in proposed
        and name.replace(_OUTSTANDING, _PER_LOAN) in proposed
    )
    return [*notices, *lifted]


def _figures_of_terms(terms: Terms) -> Iterator[tuple[str, _Figure]]:
    yield from _rates(terms.collateral_ratio, terms.interest_rate, terms.duration)
    for code, amount in terms.max_amount.items():
        minimum, outstanding = terms.minimum_for(code), terms.max_outstanding.get(code)
        yield from _limits(code, minimum, amount, outstanding)


def _figures_of_version(version: ConfigurationVersion) -> Iterator[tuple[str, _Figure]]:
    yield from _rates(version.collateral_ratio, version.interest_rate, version.duration)
    for limit in version.limits.all():
        amounts = (limit.min_amount, limit.max_amount, limit.max_outstanding)
        yield from _limits(limit.currency_id, *amounts)


def _rates(ratio: Decimal, interest: Decimal, months: int) -> Iterator[tuple[str, _Figure]]:
    yield "Maximum LTV", _Figure(ratio * 100, percent)
    yield "Monthly interest rate", _Figure(interest * 100, percent)
    yield "Maximum term", _Figure(Decimal(months), "{} months".format)


def _limits(
    code: str, minimum: Decimal, maximum: Decimal, outstanding: Decimal | None
) -> Iterator[tuple[str, _Figure]]:
    show = partial(format_money, asset=code)
    yield f"Minimum per loan, {code}", _Figure(minimum, show)
    yield f"{_PER_LOAN}{code}", _Figure(maximum, show)
    if outstanding is not None:
        yield f"{_OUTSTANDING}{code}", _Figure(outstanding, show)
