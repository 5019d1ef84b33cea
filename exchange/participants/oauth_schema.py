"""The two OAuth endpoints in the OpenAPI document; they are not DRF views."""

from typing import Any

from exchange.api.operations import closed_object
from exchange.api.schema_parts import HEADERS, RATE_LIMIT
from exchange.core.errors import NotReady
from exchange.participants.oauth import WRONG_CREDENTIALS

_ERROR: dict[str, Any] = closed_object(
    {
        "error": {"type": "string", "description": "Stable error code, for programs"},
        "error_description": {"type": "string", "description": "Explanation, for people"},
    },
    description="RFC 6749 §5.2",
)
_TOKEN: dict[str, Any] = closed_object(
    {
        "access_token": {"type": "string", "description": "Send it as `Bearer`"},
        "token_type": {"type": "string", "const": "Bearer", "description": "Always `Bearer`"},
        "expires_in": {"type": "integer", "minimum": 1, "description": "Lifetime in seconds"},
        "scope": {"type": "string", "description": "Granted scopes, separated by spaces"},
    }
)
_CLIENT = {
    "client_id": {"type": "string", "description": "Client ID, unless sent as Basic"},
    "client_secret": {"type": "string", "description": "Client secret, unless sent as Basic"},
}
_ISSUE = {
    "grant_type": {
        "type": "string",
        "const": "client_credentials",
        "description": "The only supported grant",
    },
    "scope": {
        "type": "string",
        "description": "Some of the key's scopes, separated by spaces. Default: all",
    },
    **_CLIENT,
}
_REVOKE = {"token": {"type": "string", "description": "The access token"}, **_CLIENT}
# By status: the description, an error with its text, and further headers.
_FAILURES: dict[str, tuple[str, ...]] = {
    "400": (
        "The request is not valid (RFC 6749 §5.2).",
        *("unsupported_grant_type", "Only client_credentials is supported"),
    ),
    "401": (
        "Client ID or secret is wrong, or the key is revoked or expired.",
        *("invalid_client", WRONG_CREDENTIALS, "WWW-Authenticate"),
    ),
    "429": (
        "Too many token requests, or too many wrong secrets.",
        *("slow_down", "Try again in 17 s", "Retry-After"),
    ),
    "503": (
        "Temporarily unavailable. Try again shortly.",
        *("temporarily_unavailable", NotReady.message, "Retry-After"),
    ),
}
_SECURITY_SCHEME = {
    "type": "http",
    "scheme": "basic",
    "description": "Client ID and secret of an API key; both may be sent in the body instead",
}


def add_oauth(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the two OAuth endpoints."""
    components = result["components"]
    components["securitySchemes"]["client"] = _SECURITY_SCHEME
    components["schemas"] |= {"AccessToken": _TOKEN, "OAuthError": _ERROR}
    issued = {
        "access_token": "Zq3uX0eK7b4nT1vY9sW6rP2mL8cJ5hDg",
        "token_type": "Bearer",
        "expires_in": 3600,
        "scope": "tokens:read wallets:read",
    }
    token = {
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/AccessToken"},
                "examples": {"success": {"summary": "Success", "value": issued}},
            }
        }
    }
    paths = {
        "/v1/oauth/token": _operation(
            "create",
            "Get an access token",
            "It is valid for an hour; there are no refresh tokens. `scope` limits it to some of "
            "the key's scopes.",
            (_ISSUE, ["grant_type"], {"grant_type": "client_credentials"}),
            {"description": "The access token.", **token},
        ),
        "/v1/oauth/revoke": _operation(
            "revoke",
            "Revoke an access token",
            "It must be one of the key's own. An unknown token is a success too (RFC 7009).",
            (_REVOKE, ["token"], {"token": issued["access_token"]}),
            {"description": "The token no longer works. The response has no content."},
        ),
    }
    result["paths"] = {**paths, **result["paths"]}
    return result


def _operation(
    action: str,
    summary: str,
    description: str,
    body: tuple[dict[str, Any], list[str], dict[str, Any]],
    success: dict[str, Any],
) -> dict[str, Any]:
    fields, required, example = body
    schema = {"type": "object", "properties": fields, "required": required}
    return {
        "post": {
            "operationId": f"access_tokens_{action}",
            "summary": summary,
            "description": f"{summary}. {description}",
            "tags": ["Access"],
            "security": [{"client": []}, {}],
            "requestBody": {
                "required": True,
                "content": {
                    "application/x-www-form-urlencoded": {
                        "schema": schema,
                        "examples": {"with_basic_credentials": {"value": example}},
                    }
                },
            },
            "responses": {
                "200": {"headers": _response_headers(), **success},
                **{status: _error_response(*failure) for status, failure in _FAILURES.items()},
            },
        }
    }


def _response_headers(*more: str) -> dict[str, Any]:
    return {name: HEADERS[name] for name in ("X-Request-ID", *RATE_LIMIT, *more)}


def _error_response(description: str, error: str, text: str, *headers: str) -> dict[str, Any]:
    value = {"error": error, "error_description": text}
    return {
        "description": description,
        "headers": _response_headers(*headers),
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/OAuthError"},
                "examples": {error: {"value": value}},
            }
        },
    }
