"""Schedules of tokens, as organisations see them."""

import datetime as dt
from dataclasses import dataclass
from uuid import UUID

from credit.distributions.schedule import Period, Terms, list_periods
from exchange.core.database import fetch_one
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.payloads import TERMS
from exchange.tokens.selectors.tokens import IS_VISIBLE

_SELECT = f"""
    SELECT {TERMS.expression("exchange_token")}, issue_price, interest, tenor, payout_frequency,
           (completed_at AT TIME ZONE 'UTC')::date, cancelled OR exited
    FROM exchange_token WHERE id = %s AND {IS_VISIBLE}
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True)
class Schedule:
    """The terms of a token as JSON text, and its interest periods."""

    terms: str
    periods: list[Period]


def read_schedule(organisation_id: UUID, token_id: UUID, today: dt.date) -> Schedule:
    """Return the schedule of a token that the organisation sees. Raises `TokenNotFound`.

    Without periods while the terms are not known or the raise is open, and once the token has
    ended; without a maturity those until `today` and the next 12.
    """
    row = fetch_one(_SELECT, [token_id, organisation_id, organisation_id], retryable=True)
    if row is None:
        raise TokenNotFound
    document, issue_price, interest, tenor, frequency, completed, has_ended = row
    if has_ended or completed is None or issue_price is None:
        return Schedule(document, [])
    terms = Terms(issue_price, interest, tenor, frequency, completed)
    return Schedule(document, list_periods(terms, today))
