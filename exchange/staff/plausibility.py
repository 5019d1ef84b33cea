"""Plausibility: what is beyond its band is shown in red to both people, and each gives a reason.

A subject compares the number that is proposed with the current one (`ProposedNumber`) or says
itself what is unusual. The sentences are notices: the pages of both people show them, and `explain`
requires a reason of the first, `explain_approval` one of the second.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings

from exchange.admin.display import difference
from exchange.core.errors import InvalidRequest, Rejected
from exchange.core.numbers import format_grouped
from exchange.core.text import clean_reason, clean_text, is_reason

REASON_REQUIRED = "reason_required"
MAX_REASON_LENGTH = 300
_REQUIRED = "This is beyond what is usual: enter a reason"


@dataclass(frozen=True, slots=True)
class ProposedNumber:
    """A number proposed in place of the current one, and its band: a kind of `PLAUSIBILITY_BANDS`.

    `describe` formats it with its unit.
    """

    name: str
    current: Decimal
    proposed: Decimal
    kind: str
    describe: Callable[[Decimal], str] = format_grouped

    @property
    def band(self) -> int:
        """The largest usual change, in percent of the current number."""
        return band_of(self.kind)

    @property
    def exceeds_band(self) -> bool:
        """Whether the change is larger. Nothing is usual in place of zero."""
        return abs(self.proposed - self.current) * 100 > self.current * self.band

    @property
    def change(self) -> str:
        """The change in percent; two decimals, so that 20.01 % is visibly beyond 20 %."""
        return difference(self.current, self.proposed, places=2)

    @property
    def notice(self) -> str:
        """The sentence about a change beyond the band."""
        change = f" ({self.change})" if self.current else ""
        return (
            f"{self.name}: {self.describe(self.current)} → {self.describe(self.proposed)}{change}."
            f" Usual is a change of at most {self.band} %. Check for a misplaced decimal point"
        )


def band_of(kind: str) -> int:
    """Return the band of a kind, in percent."""
    bands: dict[str, int] = settings.PLAUSIBILITY_BANDS
    return bands[kind]


def find_notices(comparisons: Iterable[ProposedNumber]) -> list[str]:
    """Return the notices of the changes beyond their bands."""
    return [each.notice for each in comparisons if each.exceeds_band]


def explain(notices: Sequence[str], reason: str, *, field: str = "reason") -> str:
    """Return the first person's reason; where there are `notices`, it is required.

    Raises `InvalidRequest` at `field` (`reason_required` without one).
    """
    if not notices:
        return clean_text(reason, max_length=MAX_REASON_LENGTH)
    if not reason.strip():
        raise InvalidRequest(_REQUIRED, code=REASON_REQUIRED, fields={field: _REQUIRED})
    try:
        return clean_reason(reason, missing=_REQUIRED, max_length=MAX_REASON_LENGTH)
    except InvalidRequest as error:
        raise InvalidRequest.for_field(field, error.message) from error


def explain_approval(notices: Sequence[str], reason: str, *, first: str | None) -> str:
    """Return the second person's reason, as `explain`; `first` is that of the first person.

    None of it for a proposal that needs none. Raises `Rejected` (`reason_required`) where the first
    person gave no reason because there was nothing unusual then.
    """
    if notices and first is not None and not is_reason(first):
        raise Rejected(
            "This is now beyond what is usual, and was proposed without a reason. Reject it, and"
            " let it be proposed again with one",
            code=REASON_REQUIRED,
        )
    return explain(notices, reason)
