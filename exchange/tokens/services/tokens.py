"""Terms of listed tokens that staff set: description, limits, fees, and access.

Prices change by quotes, `orders` closes trading, and the ledger moves units. Every change is in the
audit log; the id of the last one is the version that the next change must name.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction

from exchange.audit.selectors import column_changes, last_change_id
from exchange.core import replica
from exchange.core.errors import Conflict, InvalidRequest, Rejected
from exchange.core.querysets import get_or_raise
from exchange.participants.selectors import get_organisation
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import StaffUser
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import FIXED_FIELDS, STATE_FIELDS, TERM_FIELDS, Token, TokenAccess
from exchange.tokens.services.terms import find_term_errors

logger = structlog.get_logger(__name__)

CHANGE_PERMISSION = "exchange.change_token"
_VERSIONED_FIELDS = (*TERM_FIELDS, *STATE_FIELDS)


def get_version(token: Token) -> UUID | None:
    """Return the id of the last audited change of the terms; None without a change."""
    return last_change_id(Token._meta.db_table, token.pk, _VERSIONED_FIELDS)


def change_terms(
    *, token_id: UUID, terms: Mapping[str, Any], expected_version: UUID | None, user: StaffUser
) -> Token:
    """Change `terms`: fields of `exchange.tokens.models.TERM_FIELDS` with their new values.

    Amounts are Decimals of the token's currency, percentages Decimals with up to 4 decimals,
    `tenor` whole days. `expected_version` is the version the form was filled from. Existing orders
    keep their fees; limits apply to new orders.

    Raises `Forbidden`, `TokenNotFound`, `InvalidRequest`, which names every invalid field, or
    `Conflict` for a cancelled token, for one that changed meanwhile, and for `FIXED_FIELDS` of a
    token that investors have bought (`terms_fixed`).
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
        _require_changeable(token, changed)
        for name in changed:
            setattr(token, name, terms[name])
        _validate(token)
        if changed:
            token.save(update_fields=changed)
            if "deal_access" in changed:
                replica.show_to_everyone()
            token.refresh_from_db()
    logger.info("token.changed", token=str(token.id), fields=changed, actor=f"staff:{user.pk}")
    return token


def grant_access(
    *, token_id: UUID, organisation_id: UUID, user: StaffUser | None = None
) -> TokenAccess:
    """Let an organisation see the token while deal access is private.

    Commands and demo data pass no `user` and need no permission. Raises `Forbidden`,
    `TokenNotFound`, `NotFound`, `Rejected` for the issuer, which always has access, or `Conflict`
    when the organisation already has access.
    """
    if user is not None:
        authorize_staff(user, CHANGE_PERMISSION, "You may not change tokens")
    with transaction.atomic():
        token = _lock_token(token_id)
        organisation = get_organisation(organisation_id)
        if organisation.pk == token.issuer_id:
            raise Rejected("The issuer sees its own token", code="issuer_sees_token")
        access, created = TokenAccess.objects.get_or_create(
            token=token, organisation=organisation, defaults={"granted_by": user}
        )
    if not created:
        raise Conflict(f"{organisation} already has access", code="state_conflict")
    _log_access_change("token.access_granted", access, user)
    return access


def withdraw_access(*, token_id: UUID, organisation_id: UUID, user: StaffUser) -> None:
    """Withdraw access: while deal access is private the organisation no longer sees the token.

    Its holdings and open orders are unaffected. Raises `Forbidden`, `TokenNotFound`, `NotFound`,
    or `Conflict` when the organisation has no access.
    """
    authorize_staff(user, CHANGE_PERMISSION, "You may not change tokens")
    with transaction.atomic():
        token = _lock_token(token_id)
        organisation = get_organisation(organisation_id)
        access = get_or_raise(
            TokenAccess.objects.filter(token=token, organisation=organisation),
            lambda: Conflict(f"{organisation} has no access", code="state_conflict"),
        )
        access.delete()
        replica.show_to_everyone()
    _log_access_change("token.access_withdrawn", access, user)


def _log_access_change(event: str, access: TokenAccess, user: StaffUser | None) -> None:
    logger.info(
        event,
        token=str(access.token_id),
        organisation=str(access.organisation_id),
        actor=f"staff:{user.pk}" if user else "system",
    )


def _lock_token(token_id: UUID) -> Token:
    rows = Token.objects.select_for_update(of=("self",), no_key=True).select_related("currency")
    return get_or_raise(rows.filter(id=token_id), TokenNotFound)


def _require_version(token: Token, expected_version: UUID | None) -> None:
    """Raise `Conflict`, naming the changed fields, unless `expected_version` is current."""
    if get_version(token) == expected_version:
        return
    since = column_changes(Token._meta.db_table, token.pk, _VERSIONED_FIELDS)
    if expected_version is not None:
        since = since.filter(id__gt=expected_version)
    changed = {name for change in since for name in change.after or {}}
    fields = [name for name in _VERSIONED_FIELDS if name in changed]
    detail = f" ({', '.join(fields)})" if fields else ""

    raise Conflict(
        f"The token has changed{detail}. Reload the page and try again",
        code="state_conflict",
    )


def _require_changeable(token: Token, changed: Sequence[str]) -> None:
    fixed = [name for name in FIXED_FIELDS if name in changed]
    if fixed and token.has_fixed_terms:
        raise Conflict(
            f"Investors have bought this token: {', '.join(fixed)} can only be changed by proposing"
            " new terms, which a second person approves",
            code="terms_fixed",
        )


def _validate(token: Token) -> None:
    errors = find_term_errors(token, token.currency.decimals)
    if not errors:
        try:
            token.clean_fields(exclude={"currency", "issuer", "creator", "document"})
        except ValidationError as error:
            errors = {name: f"{name}: {' '.join(t)}" for name, t in error.message_dict.items()}
    if errors:
        raise InvalidRequest("; ".join(errors.values()), fields=errors)
