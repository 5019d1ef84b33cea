"""What staff set about a listed token: its description, limits and fees, and who may see it.

Prices are changed by quotes, trading is ended by `orders`, units move in the ledger; nothing here
touches those. Every change is in the audit, and the id of the last one there is the version that
the next change names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction

from exchange.audit.selectors import column_changes, last_change_id
from exchange.core.errors import Conflict, InvalidRequest, Rejected
from exchange.core.querysets import get_or_raise
from exchange.participants.selectors import get_organisation
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import StaffUser
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import STATE_FIELDS, TERM_FIELDS, Token, TokenAccess
from exchange.tokens.services.terms import find_term_errors

logger = structlog.get_logger(__name__)

CHANGE_PERMISSION = "exchange.change_token"
_VERSIONED_FIELDS = (*TERM_FIELDS, *STATE_FIELDS)


def get_version(token: Token) -> UUID | None:
    """The last change of what staff set, in the audit; None when there was none."""
    return last_change_id(Token._meta.db_table, token.pk, _VERSIONED_FIELDS)


def change_terms(
    *, token_id: UUID, terms: Mapping[str, Any], expected_version: UUID | None, user: StaffUser
) -> Token:
    """Sets `terms`: fields of `exchange.tokens.models.TERM_FIELDS` with their new values.

    Amounts are Decimals of the token's currency, percentages Decimals with up to 4 decimals,
    `tenor` whole days. `expected_version` is the version the form was filled from. Existing orders
    keep their fees; limits apply to new orders.

    Raises `Forbidden`, `TokenNotFound`, `InvalidRequest`, which names every bad field, or
    `Conflict` for a cancelled token and for one that was changed meanwhile.
    """
    authorize_staff(user, CHANGE_PERMISSION, "You may not change tokens")
    unknown = sorted(set(terms) - set(TERM_FIELDS))
    if unknown:
        raise InvalidRequest(f"{', '.join(unknown)} cannot be changed here")
    with transaction.atomic():
        token = _lock_token(token_id)
        if token.cancelled:
            raise Conflict("The token is cancelled", code="state_conflict")
        _require_version(token, expected_version)
        changed = [name for name, value in terms.items() if getattr(token, name) != value]
        for name in changed:
            setattr(token, name, terms[name])
        _validate(token)
        if changed:
            token.save(update_fields=changed)
            token.refresh_from_db()
    logger.info("token.changed", token=str(token.id), fields=changed, actor=f"staff:{user.pk}")
    return token


def grant_access(
    *, token_id: UUID, organisation_id: UUID, user: StaffUser | None = None
) -> TokenAccess:
    """Lets an organisation see the token while its deal access is Private.

    Without a `user` a command or the demo world does, which needs no permission. Raises
    `Forbidden`, `TokenNotFound`, `NotFound`, `Rejected` for the issuer, who sees it anyway, or
    `Conflict` when the organisation has access.
    """
    if user is not None:
        authorize_staff(user, CHANGE_PERMISSION, "You may not change tokens")
    with transaction.atomic():
        token = _lock_token(token_id)
        organisation = get_organisation(organisation_id)
        if organisation.pk == token.issuer_id:
            raise Rejected("The issuer sees its own token", code="issuer_sees_token")
        access, made = TokenAccess.objects.get_or_create(
            token=token, organisation=organisation, defaults={"granted_by": user}
        )
    if not made:
        raise Conflict(f"{organisation} has access already", code="state_conflict")
    _log_access_change("token.access_granted", access, user)
    return access


def withdraw_access(*, token_id: UUID, organisation_id: UUID, user: StaffUser) -> None:
    """Takes it back: while deal access is Private the token no longer exists for them.

    What they hold and what they have in the book stays. Raises `Forbidden`, `TokenNotFound`,
    `NotFound`, or `Conflict` when the organisation has no access.
    """
    authorize_staff(user, CHANGE_PERMISSION, "You may not change tokens")
    with transaction.atomic():
        token = _lock_token(token_id)
        organisation = get_organisation(organisation_id)
        access = get_or_raise(
            TokenAccess.objects.filter(token=token, organisation=organisation),
            Conflict(f"{organisation} has no access", code="state_conflict"),
        )
        access.delete()
    _log_access_change("token.access_withdrawn", access, user)


def _log_access_change(happened: str, access: TokenAccess, user: StaffUser | None) -> None:
    logger.info(
        happened,
        token=str(access.token_id),
        organisation=str(access.organisation_id),
        actor=f"staff:{user.pk}" if user else "system",
    )


def _lock_token(token_id: UUID) -> Token:
    rows = Token.objects.select_for_update(of=("self",), no_key=True).select_related("currency")
    return get_or_raise(rows.filter(id=token_id), TokenNotFound())


def _require_version(token: Token, expected_version: UUID | None) -> None:
    """Raise `Conflict`, naming the changed fields, unless `expected_version` is current."""
    if get_version(token) == expected_version:
        return
    since = column_changes(Token._meta.db_table, token.pk, _VERSIONED_FIELDS)
    if expected_version is not None:
        since = since.filter(id__gt=expected_version)
    touched = {name for change in since for name in change.after or {}}
    fields = [name for name in _VERSIONED_FIELDS if name in touched]
    what = f" ({', '.join(fields)})" if fields else ""
    raise Conflict(
        f"The token was changed meanwhile{what}. Please look at it again", code="state_conflict"
    )


def _validate(token: Token) -> None:
    wrong = find_term_errors(token, token.currency.decimals)
    if not wrong:
        try:
            token.clean_fields(exclude={"currency", "issuer", "creator", "document"})
        except ValidationError as error:
            wrong = {name: f"{name}: {' '.join(t)}" for name, t in error.message_dict.items()}
    if wrong:
        raise InvalidRequest("; ".join(wrong.values()), fields=wrong)
