"""Views that only tests mount, for what no single endpoint shows."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from django.db import connection
from django.urls import include, path
from rest_framework import serializers
from rest_framework.request import Request

from exchange import errors
from exchange.api.answers import Answer
from exchange.api.fields import NumberField, TextField
from exchange.api.idempotency import answer_once
from exchange.api.views import ApiView
from exchange.services.members import create_member


class NumberInput(serializers.Serializer[Any]):
    amount = NumberField(decimals=2)
    note = TextField(max_length=20, required=False)


class EchoInput(serializers.Serializer[Any]):
    number = NumberField()


class EchoView(ApiView):
    """Answers the number it was sent."""

    required_scopes: ClassVar = {"POST": "wallets:read"}
    serializer_class = EchoInput

    def post(self, _request: Request) -> Answer:
        return Answer({"number": self.body()["number"], "list": [Decimal("1E+4")]}, "Echo")


class MoneyView(ApiView):
    """Checks an amount like a money-moving POST; the effect is a member named by the note."""

    required_scopes: ClassVar = {"POST": "wallets:withdraw"}
    moves_money = True
    serializer_class = NumberInput

    def post(self, request: Request) -> Answer:
        values = self.body()
        return answer_once(request, lambda: self._move(values))

    def _move(self, values: dict[str, Any]) -> Answer:
        note = values.get("note", "none")
        create_member(
            organisation_id=self.caller.organisation_id,
            name=note,
            email=f"{note}@example.com",
            actor=self.caller.actor,
        )
        if values["amount"] > 1000:
            raise errors.Refused("Too much", code="too_much")
        return Answer({"amount": values["amount"]}, "Moved", status=201)


class UndeclaredView(ApiView):
    """Forgot to declare its scope."""

    def get(self, _request: Request) -> Answer:
        return Answer({}, "Should never be seen")


FAULTS: dict[str, Exception] = {
    "fault": ZeroDivisionError("secret detail"),
    "refused": errors.Refused("No", code="because"),
    "invalid": errors.InvalidRequest("Bad"),
    "missing": errors.NotFound("Thing not found", code="thing_not_found"),
    "forbidden": errors.Forbidden("Not yours"),
    "conflict": errors.Conflict("Too late"),
    "running": errors.StillRunning(),
    "reused": errors.IdempotencyKeyReused(),
    "provider": errors.ProviderFailed("Provider down"),
    "unready": errors.NotReady("Not yet"),
}


class FaultView(ApiView):
    """Raises what it is asked for."""

    required_scopes: ClassVar = {"GET": "wallets:read"}

    def get(self, _request: Request, kind: str) -> Answer:
        if kind == "database":
            with connection.cursor() as cursor:
                cursor.execute("SET statement_timeout = 1")
                try:
                    cursor.execute("SELECT pg_sleep(5)")
                finally:
                    connection.close()
        raise FAULTS[kind]


class FloatView(ApiView):
    """Lets a binary float into an answer, a fault of ours."""

    required_scopes: ClassVar = {"GET": "wallets:read"}

    def get(self, _request: Request) -> Answer:
        return Answer({"amount": 0.1}, "Never")


urlpatterns = [
    path("v1/", include("exchange.api.urls")),
    path("v1/test/echo", EchoView.as_view()),
    path("v1/test/money", MoneyView.as_view()),
    path("v1/test/undeclared", UndeclaredView.as_view()),
    path("v1/test/float", FloatView.as_view()),
    path("v1/test/<str:kind>", FaultView.as_view()),
]
