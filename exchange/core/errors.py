"""What can go wrong, one type per failure. `exchange.api.exceptions` maps the kinds to HTTP.

A service raises one of these with the message the client reads; `code` is the stable name for
programs (header `X-Error-Code`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.core.exceptions import ValidationError


class DomainError(Exception):
    """Base of all refusals. `message` is written for the client, and stands with the type where
    it is always the same; `code` never changes. `fields` says what of the message speaks of which
    field, so that a form can mark it.
    """

    code = "refused"
    message = ""

    def __init__(
        self, message: str = "", *, code: str | None = None, fields: Mapping[str, str] | None = None
    ) -> None:
        self.message = message or self.message
        super().__init__(self.message)
        self.fields = fields or {}
        if code is not None:
            self.code = code


class Rejected(DomainError):
    """A rule says no (400)."""


class InvalidRequest(Rejected):
    """The request is not well formed (400)."""

    code = "invalid_request"

    @classmethod
    def for_field(cls, field: str, message: str) -> InvalidRequest:
        """A refusal that speaks of one field."""
        return cls(message, fields={field: message})

    @classmethod
    def from_validation_error(cls, error: ValidationError) -> InvalidRequest:
        """What a model's own validation found."""
        found = error.message_dict if hasattr(error, "error_dict") else {}
        return cls(
            " ".join(error.messages),
            fields={name: " ".join(texts) for name, texts in found.items()},
        )


class NotFound(DomainError):
    """No such record, or not the caller's (404)."""

    code = "not_found"


class Forbidden(DomainError):
    """The caller may not do this (403)."""

    code = "forbidden"


class Conflict(DomainError):
    """The record is not, or no longer, in a state that allows this (409)."""

    code = "conflict"


class StateConflict(Conflict):
    """The record moved on in the meantime."""

    code = "state_conflict"


class ProviderFailed(DomainError):
    """Somebody we depend on did not answer (502)."""

    code = "provider_unavailable"


class NotReady(DomainError):
    """We cannot serve this right now (503)."""

    code = "not_ready"
    message = "The service is not ready. Please try again shortly"


class IdempotencyKeyReused(DomainError):
    """The same idempotency key came with another body (422)."""

    code = "idempotency_key_reused"
    message = "This Idempotency-Key was already used with another request body"


class RequestInProgress(Conflict):
    """The first request with this idempotency key has not finished (409)."""

    code = "request_in_progress"
    message = "The first request with this Idempotency-Key is still running"


class InvalidCurrency(InvalidRequest):
    """Not one of the currencies that are taken here."""

    code = "invalid_currency"

    def __init__(self, allowed: Iterable[str]) -> None:
        super().__init__(f"Currency must be one of [{', '.join(allowed)}]")
