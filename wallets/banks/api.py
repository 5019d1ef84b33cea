"""Banks of the payment provider, and resolution of account holders."""

from rest_framework.decorators import action
from rest_framework.request import Request

from exchange.api.operations import operation
from exchange.api.responses import SuccessResponse
from exchange.api.viewsets import ApiViewSet
from exchange.core.currencies import currencies, payout_currencies
from exchange.core.errors import InvalidCurrency
from wallets.banks import shapes
from wallets.banks.errors import NoBankList
from wallets.banks.serializers import ResolveInput
from wallets.banks.services import bank_directory, resolve_account_name


class BankViewSet(ApiViewSet):
    """Payable banks and account resolution."""

    tag = "Banks"

    @operation(
        "Banks retrieved",
        scope="wallets:read",
        query=[shapes.CURRENCY_PARAMETER],
        response=shapes.BANKS,
        failures={"400": shapes.CURRENCY_FAILURES, "502": shapes.PROVIDER_UNAVAILABLE},
    )
    def list(self, request: Request) -> SuccessResponse:
        """List the banks of a currency. Use these names in withdrawals."""
        directory = bank_directory(payout_currency(request))
        return self.respond([{"name": bank.name, "code": bank.code} for bank in directory.banks])

    @operation(
        "Account resolved",
        id="bank_accounts_resolve",
        scope="wallets:read",
        body=ResolveInput,
        response=shapes.ACCOUNT,
        failures={
            "502": shapes.PROVIDER_UNAVAILABLE,
            "400": {
                **shapes.CURRENCY_FAILURES,
                "resolution_not_supported": "Account names cannot be resolved for KES. Supported "
                "currencies: NGN",
            },
            "404": {
                **shapes.BANK_NOT_FOUND,
                "account_not_found": "Could not resolve an account with this number at this bank",
            },
        },
        examples=[shapes.RESOLVE_EXAMPLE],
    )
    @action(detail=False, methods=["post"])
    def resolve(self, _request: Request) -> SuccessResponse:
        """Resolve the name of an account's holder. The payment provider resolves NGN accounts only;
        other currencies are rejected.
        """
        values = self.body()
        payee = resolve_account_name(**values)
        return self.respond(
            {
                "account_number": values["account_number"],
                "account_name": payee.account_name,
                "bank_name": payee.bank.name,
                "bank_code": payee.bank.code,
            }
        )


def payout_currency(request: Request) -> str:
    """Return the query parameter `currency`. Raises `InvalidCurrency`, `NoBankList`."""
    code = request.query_params.get("currency", "").upper()
    if code not in currencies():
        raise InvalidCurrency(payout_currencies())
    if code not in payout_currencies():
        raise NoBankList(code)
    return code
