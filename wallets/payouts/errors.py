"""Refusals of payouts."""

from __future__ import annotations

from exchange.core.errors import ProviderFailed


class StatusCheckUnavailable(ProviderFailed):
    """The provider did not answer whether it knows a transfer."""

    message = (
        "Could not ask the payment provider about this transfer, so nothing was done."
        " Please try again later"
    )
