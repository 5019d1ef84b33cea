"""Views for tests of behaviour that no single endpoint of the product shows."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.db import connection
from django.urls import include, path
from rest_framework import serializers
from rest_framework.request import Request

from exchange.api.fields import NumberField, TextField
from exchange.api.idempotency import respond_once
from exchange.api.operations import NamedSchema, operation
from exchange.api.responses import SuccessResponse
from exchange.api.routers import Router
from exchange.api.viewsets import ApiViewSet
from exchange.core import errors
from exchange.participants.services.members import create_member

NOTHING = NamedSchema("Nothing", {"type": "object"}, {})


class NumberInput(serializers.Serializer[Any]):
    amount = NumberField(decimals=2)
    note = TextField(max_length=20, required=False)


class EchoInput(serializers.Serializer[Any]):
    number = NumberField()


class EchoViewSet(ApiViewSet):
    """Returns the number it receives."""

    @operation("Echo", scope="wallets:read", body=EchoInput, response=NOTHING)
    def create(self, _request: Request) -> SuccessResponse:
        return self.respond({"number": self.body()["number"], "list": [Decimal("1E+4")]})


class MoneyViewSet(ApiViewSet):
    """A money-moving POST whose effect is a member named by the note."""

    @operation(
        "Moved",
        scope="wallets:withdraw",
        moves_money=True,
        body=NumberInput,
        response=NOTHING,
        status=201,
    )
    def create(self, request: Request) -> SuccessResponse:
        values = self.body()
        return respond_once(request, lambda: self._move(values))

    def _move(self, values: dict[str, Any]) -> SuccessResponse:
        note = values.get("note", "none")
        create_member(
            organisation_id=self.caller.organisation_id,
            name=note,
            email=f"{note}@example.com",
            actor=self.caller.actor,
        )
        if values["amount"] > 1000:
            raise errors.Rejected("Too much", code="too_much")
        return self.respond({"amount": values["amount"]})


class UndeclaredViewSet(ApiViewSet):
    """A view without a declared operation."""

    def list(self, _request: Request) -> SuccessResponse:
        return SuccessResponse({}, "Should never be seen")


FAULTS: dict[str, Callable[[], Exception]] = {
    "fault": lambda: ZeroDivisionError("secret detail"),
    "refused": lambda: errors.Rejected("No", code="because"),
    "invalid": lambda: errors.InvalidRequest("Bad"),
    "missing": lambda: errors.NotFound("Thing not found", code="thing_not_found"),
    "forbidden": lambda: errors.Forbidden("Not yours"),
    "conflict": lambda: errors.Conflict("Too late"),
    "running": errors.RequestInProgress,
    "reused": errors.IdempotencyKeyReused,
    "provider": lambda: errors.ProviderFailed("Provider down"),
    "unready": lambda: errors.NotReady("Not yet"),
}


class FaultViewSet(ApiViewSet):
    """Raises the requested error."""

    lookup_url_kwarg = "kind"

    @operation("Never", scope="wallets:read", response=NOTHING)
    def retrieve(self, _request: Request, kind: str) -> SuccessResponse:
        if kind == "database":
            with connection.cursor() as cursor:
                cursor.execute("SET statement_timeout = 1")
                try:
                    cursor.execute("SELECT pg_sleep(5)")
                finally:
                    connection.close()
        raise FAULTS[kind]()


class FloatViewSet(ApiViewSet):
    """Returns a binary float, which is a bug."""

    @operation("Never", scope="wallets:read", response=NOTHING)
    def list(self, _request: Request) -> SuccessResponse:
        return self.respond({"amount": 0.1})


router = Router()
router.register("v1/test/echo", EchoViewSet, "echo")
router.register("v1/test/money", MoneyViewSet, "money")
router.register("v1/test/undeclared", UndeclaredViewSet, "undeclared")
router.register("v1/test/float", FloatViewSet, "float")
router.register("v1/test", FaultViewSet, "faults")

urlpatterns = [
    path("v1/", include("wallets.urls")),
    path("v1/", include("exchange.urls")),
    *router.urls,
]
