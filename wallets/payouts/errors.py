"""Errors of payouts."""

from exchange.core.errors import ProviderFailed


class StatusCheckUnavailable(ProviderFailed):
    """The provider did not respond to a status check."""

    message = (
        "The payment provider did not respond to the status check, so nothing was changed."
        " Try again later"
    )
