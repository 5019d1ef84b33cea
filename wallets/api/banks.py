"""The payment provider's banks, and who holds an account."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from exchange.api.answers import Answer
from exchange.api.schema import Operation
from exchange.api.views import ApiView
from wallets.api import shapes
from wallets.api.serializers import ResolveInput
from wallets.api.withdrawals import payout_currency
from wallets.services.banks import bank_directory, resolve_account_name

_UNAVAILABLE = {"502": shapes.WITHDRAWAL_FAILURES["502"]}


class BanksView(ApiView):
    """Banks that can be paid."""

    operations: ClassVar = {"GET": Operation("banks", "list", "Banks retrieved")}
    required_scopes: ClassVar = {"GET": "wallets:read"}
    failures: ClassVar[dict[str, dict[str, str]]] = {
        "400": shapes.CURRENCY_FAILURES,
        **_UNAVAILABLE,
    }
    query_parameters: ClassVar = ("currency",)
    answers: ClassVar = {"GET": shapes.BANKS}

    @extend_schema(parameters=[shapes.CURRENCY_PARAMETER])
    def get(self, request: Request) -> Answer:
        """List the banks of a currency. Withdrawals take these names."""
        directory = bank_directory(payout_currency(request))
        data = [{"name": bank.name, "code": bank.code} for bank in directory.banks]
        return Answer(data, "Banks retrieved")


class ResolveView(ApiView):
    """Who holds an account."""

    operations: ClassVar = {"POST": Operation("bank_accounts", "resolve", "Account resolved")}
    required_scopes: ClassVar = {"POST": "wallets:read"}
    serializer_class = ResolveInput
    failures: ClassVar[dict[str, dict[str, str]]] = {
        **_UNAVAILABLE,
        "400": {
            **shapes.CURRENCY_FAILURES,
            "resolution_not_supported": "Account names cannot be resolved for KES. Supported "
            "currencies: NGN",
        },
        "404": {
            **shapes.WITHDRAWAL_FAILURES["404"],
            "account_not_found": "Could not resolve an account with this number at this bank",
        },
    }
    answers: ClassVar = {"POST": shapes.ACCOUNT}

    @extend_schema(examples=[shapes.RESOLVE_EXAMPLE])
    def post(self, _request: Request) -> Answer:
        """Resolve the name of an account's holder. The payment provider knows NGN accounts only;
        the other currencies are refused.
        """
        values = self.body()
        payee = resolve_account_name(**values)
        data = {
            "account_number": values["account_number"],
            "account_name": payee.account_name,
            "bank_name": payee.bank.name,
            "bank_code": payee.bank.code,
        }
        return Answer(data, "Account resolved")
