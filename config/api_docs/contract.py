"""What the OpenAPI document promises, in forms that generators and validators share.

Enumerations of requests are closed and have names; those of responses are open, so that a client
reads a value added later. Decimals are a number of places: validators that compute in binary refuse
legal amounts under `multipleOf`. Webhooks are a document of their own, whose bodies are components
of both.
"""

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from typing import Any

from credit.configurations.models import Access
from credit.distributions.models import DistributionType, IncomeStatus
from exchange.core.countries import COUNTRIES
from exchange.core.currencies import (
    PAYOUT_CURRENCIES,
    VIRTUAL_ACCOUNT_CURRENCIES,
    WALLET_CURRENCIES,
)
from exchange.participants.models import HolderKind, Verification
from exchange.tokens.models import InvestmentCategory, InvestmentType
from orders.book.models import OrderStatus, OrderType

# Names of enumerations that several requests share; any other is named by its only place.
_SHARED: Mapping[str, Collection[str]] = {
    "Access": Access.values,
    "Country": ("", *sorted(COUNTRIES)),
    "Currency": WALLET_CURRENCIES,
    "DistributionType": DistributionType.values,
    "HolderKind": HolderKind.values,
    "IncomeStatus": IncomeStatus.values,
    "InvestmentCategory": InvestmentCategory.values,
    "InvestmentType": InvestmentType.values,
    "InvestmentTypeLowerCase": ("debt", "fixed interest", "safe"),
    "OrderStatus": OrderStatus.values,
    "OrderType": OrderType.values,
    "OrderTypeLowerCase": ("buy", "sell"),
    "PayoutCurrency": PAYOUT_CURRENCIES,
    "StatementFormat": ("json", "csv", "pdf"),
    "Verification": Verification.values,
    "VirtualAccountCurrency": VIRTUAL_ACCOUNT_CURRENCIES,
    "WalletOwner": ("organisation", "user"),
}
_NAMES = {frozenset(values): name for name, values in _SHARED.items()}
_SCHEMAS = "#/components/schemas/"


def publish(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Name the enumerations of requests, open all others, and say decimals in words."""
    schemas = result["components"]["schemas"]
    for event_type, webhook in result["webhooks"].items():
        content = webhook["post"]["requestBody"]["content"]["application/json"]
        name = f"{_camel(event_type)}Event"
        schemas[name] = content["schema"]
        content["schema"] = {"$ref": _SCHEMAS + name}
    operations = [each for path in result["paths"].values() for each in path.values()]
    sent = _reachable([each.get("requestBody") for each in operations], schemas)
    named: dict[str, Any] = {}
    for operation in operations:
        for parameter in operation.get("parameters", []):
            place = _camel(f"{operation['operationId']}_{parameter['name']}")
            parameter["schema"] = _closed(parameter["schema"], place, named)
    for name, schema in schemas.items():
        schemas[name] = _closed(schema, name, named) if name in sent else _open(schema)
    schemas.update(named)
    return result


def split_webhooks(document: dict[str, Any]) -> dict[str, Any]:
    """Take the webhooks out of `document` and return them as one of their own."""
    webhooks = document.pop("webhooks")
    schemas = document["components"]["schemas"]
    used = _reachable(webhooks, schemas)
    tags = {tag for webhook in webhooks.values() for tag in webhook["post"]["tags"]}
    return {
        "openapi": document["openapi"],
        "info": {
            **document["info"],
            "title": f"{document['info']['title']}: webhooks",
            "description": "What is posted to your webhook endpoint, by type of event.",
        },
        "servers": document["servers"],
        "tags": [tag for tag in document["tags"] if tag["name"] in tags],
        "webhooks": webhooks,
        "components": {"schemas": {name: schemas[name] for name in schemas if name in used}},
    }


def _closed(value: Any, place: str, named: dict[str, Any]) -> Any:
    """Return the schema `value` of a request with references to its enumerations."""
    if isinstance(value, list):
        return [_closed(each, place, named) for each in value]
    if not isinstance(value, dict):
        return value
    if "enum" in value:
        name = _NAMES.get(frozenset(value["enum"]), place)
        kept = {"type": value["type"], "enum": list(_SHARED.get(name, value["enum"]))}
        if named.setdefault(name, kept) != kept:
            raise ValueError(f"Two enumerations have the name {name}")
        reference = {"$ref": _SCHEMAS + name}
        return {"allOf": [reference], **more} if (more := _without(value, kept)) else reference
    schema = _with_places(value)
    properties = {
        field: _closed(each, place + _camel(field), named)
        for field, each in schema.pop("properties", {}).items()
    }
    schema = {key: _closed(each, place, named) for key, each in schema.items()}
    return {**schema, "properties": properties} if properties else schema


def _open(value: Any) -> Any:
    """Return the schema `value` of a response with enumerations that may grow."""
    if isinstance(value, list):
        return [_open(each) for each in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("enum"), list):
        values = [each for each in value["enum"] if each is not None]
        listed = ", ".join(f"`{each}`" for each in values)
        value = _reworded(value, "enum", f"Values: {listed}; others may be added")
        value["x-extensible-enum"] = values
    return {key: _open(each) for key, each in _with_places(value).items()}


def _with_places(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema` with the number of decimals in place of `multipleOf`."""
    if not isinstance(schema.get("multipleOf"), float):
        return dict(schema)
    places = -int(Decimal(str(schema["multipleOf"])).log10())
    return {**_reworded(schema, "multipleOf", f"At most {places} decimals"), "x-decimals": places}


def _reworded(schema: Mapping[str, Any], keyword: str, words: str) -> dict[str, Any]:
    """Return `schema` with `words` in its description in place of `keyword`."""
    said = [schema["description"]] if "description" in schema else []
    return {**_without(schema, {keyword}), "description": ". ".join([*said, words])}


def _reachable(value: Any, schemas: Mapping[str, Any]) -> set[str]:
    """Return the names of the components that `value` refers to, at every depth."""
    found: set[str] = set()
    waiting = set(_references(value))
    while waiting:
        found |= waiting
        waiting = {each for name in waiting for each in _references(schemas[name])} - found
    return found


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(reference := value.get("$ref"), str) and reference.startswith(_SCHEMAS):
            yield reference.removeprefix(_SCHEMAS)
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _references(each)


def _without(schema: Mapping[str, Any], keys: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in keys}


def _camel(name: str) -> str:
    return "".join(
        part[:1].upper() + part[1:] for part in name.replace(".", "_").replace("-", "_").split("_")
    )
