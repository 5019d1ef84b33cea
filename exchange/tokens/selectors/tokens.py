"""Reads of one token. Private deals of others do not exist for an organisation."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from exchange.core.database import fetch_one
from exchange.tokens.errors import TokenNotFound, record_error
from exchange.tokens.models import Token
from exchange.tokens.payloads import TERMS

# IS_VISIBLE takes the organisation's id twice: public deals, its own, and those it was granted.
IS_PUBLIC = "exchange_token.deal_access = 'Public'"
IS_VISIBLE = f"""({IS_PUBLIC} OR exchange_token.issuer_id = %s OR exchange_token.id IN (
    SELECT token_id FROM exchange_tokenaccess WHERE organisation_id = %s))"""  # noqa: S608 - constants

_SELECT_DOCUMENT = f"SELECT document FROM exchange_token WHERE id = %s AND {IS_VISIBLE}"  # noqa: S608 - constants

_SELECT_TERMS = f"SELECT {TERMS.expression('t')} FROM exchange_token t WHERE id = %s"  # noqa: S608 - constants


def visible_to(tokens: QuerySet[Token], organisation_id: UUID) -> QuerySet[Token]:
    """Return those of `tokens` that the organisation sees."""
    is_visible = RawSQL(IS_VISIBLE, (organisation_id, organisation_id), BooleanField())  # noqa: S611 - constants
    return tokens.filter(is_visible)


def token_document(organisation_id: UUID, token_id: UUID) -> str:
    """Return the wire document of a token in any state, JSON text. Raises `TokenNotFound`."""
    row = fetch_one(_SELECT_DOCUMENT, [token_id, organisation_id, organisation_id], retryable=True)
    if row is None:
        raise TokenNotFound
    text: str = row[0]
    return text


def terms_document(token_id: UUID) -> str:
    """Return the terms of a token as they are now, JSON text. Raises `TokenNotFound`."""
    row = fetch_one(_SELECT_TERMS, [token_id], retryable=True)
    if row is None:
        raise TokenNotFound
    text: str = row[0]
    return text


def require_recorded(token_ids: Iterable[UUID]) -> None:
    """Raise `RecordPending` or `UnitsHeld` past the record of one of these tokens until it is made.

    Call before units change hands, with the tokens locked by an earlier statement.
    """
    row = fetch_one(
        "SELECT record_wait(next_record_at, units_held, clock_timestamp()) AS why"
        " FROM exchange_token WHERE id = ANY (%s) ORDER BY why DESC NULLS LAST LIMIT 1",
        [list(token_ids)],
    )
    if row and (error := record_error(row[0])):
        raise error


def find_ids_by_symbol(term: str) -> Iterable[object]:
    """Return the ids of the tokens with the symbol `term`, in any case. For staff only."""
    return Token.objects.filter(symbol=term.upper()).values_list("pk", flat=True)
