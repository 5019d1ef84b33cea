"""Domain errors, one type per failure; `exchange.api.exceptions` maps them to HTTP.

Services raise them with the message for the client; `code` is the stable name for programs
(header `X-Error-Code`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.core.exceptions import ValidationError


class DomainError(Exception):
    """Base of all domain errors.

    `message` is for the client; a type with a constant message declares it. `code` never changes.
    `fields` maps field names to their part of the message, for forms. `retry_after` is the seconds
    after which a client may repeat the request, if it may.
    """

    code = "refused"
    message = ""
    retry_after: int | None = None

    def __init__(
        self, message: str = "", *, code: str | None = None, fields: Mapping[str, str] | None = None
    ) -> None:
        self.message = message or self.message
        super().__init__(self.message)
        self.fields = fields or {}
        if code is not None:
            self.code = code


class Rejected(DomainError):
    """The request breaks a rule (400)."""


class InvalidRequest(Rejected):
    """The request is malformed (400)."""

    code = "invalid_request"

    @classmethod
    def for_field(cls, field: str, message: str) -> InvalidRequest:
        """Return the error of one field."""
        return cls(message, fields={field: message})

    @classmethod
    def from_validation_error(cls, error: ValidationError) -> InvalidRequest:
        """Return the error of a model's validation."""
        by_field = error.message_dict if hasattr(error, "error_dict") else {}
        return cls(
            " ".join(error.messages),
            fields={name: " ".join(texts) for name, texts in by_field.items()},
        )


class NotFound(DomainError):
    """The record does not exist, or is not the caller's (404)."""

    code = "not_found"


class Forbidden(DomainError):
    """The caller may not do this (403)."""

    code = "forbidden"


class Conflict(DomainError):
    """The state of the record does not allow this (409)."""

    code = "conflict"


class StateConflict(Conflict):
    """The record has changed in the meantime (409)."""

    code = "state_conflict"


class ProviderFailed(DomainError):
    """A provider did not respond (502)."""

    code = "provider_unavailable"


class NotReady(DomainError):
    """The service is temporarily unable to process this (503)."""

    code = "not_ready"
    message = "The service is not ready. Please try again shortly"
    # Unreadiness usually lasts less than a second.
    retry_after: int | None = 1


class IdempotencyKeyReused(DomainError):
    """The idempotency key was used with another body (422)."""

    code = "idempotency_key_reused"
    message = "This Idempotency-Key was already used with another request body"


class RequestInProgress(Conflict):
    """The first request with this idempotency key has not finished (409)."""

    code = "request_in_progress"
    message = "The first request with this Idempotency-Key is still running. Try again shortly"


class InvalidCurrency(InvalidRequest):
    """The currency is not accepted here (400)."""

    code = "invalid_currency"

    def __init__(self, allowed: Iterable[str]) -> None:
        super().__init__(f"Currency must be one of [{', '.join(allowed)}]")
