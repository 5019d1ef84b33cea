"""Errors of quotes and conversions."""

from exchange.core.errors import Conflict, NotFound, Rejected


class ConversionNotFound(NotFound):
    """The calling organisation has no such conversion."""

    code = "conversion_not_found"
    message = "Conversion not found"


class QuoteNotFound(NotFound):
    """The calling organisation has no such quote."""

    code = "quote_not_found"
    message = "Quote not found"


class QuoteExpired(Conflict):
    """The time of the quote is over."""

    code = "quote_expired"
    message = "The quote has expired. Request a new quote"


class QuoteUsed(Conflict):
    """A conversion used the quote."""

    code = "quote_used"
    message = "The quote was used by another conversion. Request a new quote"


class QuoteReplaced(Conflict):
    """A rate or spread of the quote was replaced."""

    code = "quote_replaced"
    message = "A rate of the quote was replaced. Request a new quote"


class RateOutdated(Conflict):
    """A currency has no rate that is recent enough."""

    code = "rate_outdated"

    def __init__(self, *, currency: str) -> None:
        super().__init__(
            f"There is no current rate of {currency}: the exchange must confirm a rate first. "
            "Ask it to, and try again then"
        )


class PositionLimitReached(Conflict):
    """The conversion would take the exchange beyond what it may be long or short of."""

    code = "position_limit_reached"

    def __init__(self, *, currency: str) -> None:
        super().__init__(
            f"The limit of conversions of {currency} is reached. "
            "Convert a smaller amount or try again later"
        )


class ResultOutOfRange(Rejected):
    """The conversion would bring nothing, or more than the largest amount."""

    code = "amount_not_convertible"

    def __init__(self, *, currency: str, too_large: bool) -> None:
        problem = "more than 1000000000000000" if too_large else "less than the smallest amount of"
        super().__init__(f"The amount converts to {problem} {currency}")
