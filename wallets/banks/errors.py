"""Errors about banks and accounts. Messages are those of the API contract."""

from collections.abc import Iterable, Sequence

from exchange.core.errors import NotFound, ProviderFailed, Rejected


class NoBankList(Rejected):
    """The provider has no bank payouts in this currency."""

    code = "currency_not_supported"

    # The API contract lists the currencies in this order here.
    _SUPPORTED = ("NGN", "GHS", "KES", "ZAR", "UGX", "TZS")

    def __init__(self, currency: str) -> None:
        super().__init__(
            f"Withdrawals with automatic bank resolution are not supported for {currency}. "
            f"Supported currencies: {', '.join(self._SUPPORTED)}"
        )


class BankNotFound(NotFound):
    """No bank of the currency has this name."""

    code = "bank_not_found"

    def __init__(self, *, bank_name: str, currency: str, suggestions: Sequence[str]) -> None:
        suggestion = f" (did you mean {' or '.join(suggestions)}?)" if suggestions else ""
        super().__init__(
            f'Could not find a bank matching "{bank_name}" for {currency}. '
            f"Please check the bank name{suggestion}"
        )


class BankListUnavailable(ProviderFailed):
    """The provider's bank list could not be fetched, and none is fresh."""

    message = "Could not fetch the bank list from the payment provider. Please try again later"


class AccountLookupUnavailable(ProviderFailed):
    """The provider did not respond to an account resolution."""

    message = "Could not resolve the account with the payment provider. Please try again later"


class AccountNotFound(NotFound):
    """The provider has no such account at that bank."""

    code = "account_not_found"
    message = "Could not resolve an account with this number at this bank"


class ResolutionNotSupported(Rejected):
    """The provider does not resolve account names in this currency."""

    code = "resolution_not_supported"

    def __init__(self, *, currency: str, supported: Iterable[str]) -> None:
        super().__init__(
            f"Account names cannot be resolved for {currency}. "
            f"Supported currencies: {', '.join(supported)}"
        )
