"""Refusals about banks and accounts. Messages are the interface's, to the letter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exchange.core.errors import NotFound, ProviderFailed, Rejected


class NoBankList(Rejected):
    """The currency has wallets, but the provider pays no banks in it."""

    code = "currency_not_supported"

    # The interface's order of this message differs from its other list of currencies.
    _SUPPORTED = ("NGN", "GHS", "KES", "ZAR", "UGX", "TZS")

    def __init__(self, currency: str) -> None:
        super().__init__(
            f"Withdrawals with automatic bank resolution are not supported for {currency}. "
            f"Supported currencies: {', '.join(self._SUPPORTED)}"
        )


class BankNotFound(NotFound):
    """No bank of the currency's list has this name."""

    code = "bank_not_found"

    def __init__(self, *, bank_name: str, currency: str, suggestions: Sequence[str]) -> None:
        suggestion = f" (did you mean {' or '.join(suggestions)}?)" if suggestions else ""
        super().__init__(
            f'Could not find a bank matching "{bank_name}" for {currency}. '
            f"Please check the bank name{suggestion}"
        )


class BankListUnavailable(ProviderFailed):
    """The provider did not give its bank list, and we have no fresh one."""

    message = "Could not fetch the bank list from the payment provider. Please try again later"


class AccountLookupUnavailable(ProviderFailed):
    """The provider did not answer who holds an account."""

    message = "Could not resolve the account with the payment provider. Please try again later"


class AccountNotFound(NotFound):
    """The provider knows no such account at that bank."""

    code = "account_not_found"
    message = "Could not resolve an account with this number at this bank"


class ResolutionNotSupported(Rejected):
    """The provider tells nobody's name in this currency."""

    code = "resolution_not_supported"

    def __init__(self, *, currency: str, supported: Iterable[str]) -> None:
        super().__init__(
            f"Account names cannot be resolved for {currency}. "
            f"Supported currencies: {', '.join(supported)}"
        )
