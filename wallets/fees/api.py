"""`/v1/api/organisation`: the caller's own organisation, and what applies to it."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.conf import settings
from rest_framework.request import Request

from exchange.api.operations import operation
from exchange.api.responses import SuccessResponse
from exchange.api.viewsets import ApiViewSet
from exchange.core.currencies import WALLET_CURRENCIES
from exchange.participants.selectors import get_organisation
from wallets.fees.definitions import (
    BASIS_POINTS_PER_PERCENT,
    DEPOSIT_CLEARING_DAYS,
    DEPOSIT_FEE_BORNE_BY_OWNER,
    PAYOUTS_ON_HOLD,
)
from wallets.fees.selectors import effective_settings
from wallets.fees.shapes import ORGANISATION


class OrganisationViewSet(ApiViewSet):
    """The caller's organisation."""

    tag = "Members"
    singleton = True

    @operation("Organisation retrieved", scope="wallets:read", response=ORGANISATION)
    def retrieve(self, _request: Request) -> SuccessResponse:
        """Fetch your organisation. With the scopes of the access token, and the effective
        limits, fees and rates.
        """
        caller = self.caller
        organisation = get_organisation(caller.organisation_id)
        values = effective_settings()
        limits = settings.RATE_LIMITS if settings.RATE_LIMITS_ENABLED else {}
        return self.respond(
            {
                "_id": organisation.pk,
                "name": organisation.name,
                "redirect_origins": organisation.redirect_origins,
                "verification_required_for_deposits": (
                    organisation.verification_required_for_deposits
                ),
                "verification_required_for_withdrawals": (
                    organisation.verification_required_for_withdrawals
                ),
                "key": {
                    "_id": caller.key_id,
                    "name": caller.label,
                    "scopes": sorted(caller.scopes),
                },
                "limits": {kind: limits.get(kind) for kind in ("requests", "money")},
                "payouts_paused": values[PAYOUTS_ON_HOLD] > 0,
                "deposit_fee_borne_by_owner": values[DEPOSIT_FEE_BORNE_BY_OWNER] > 0,
                "deposit_clearing_days": int(values[DEPOSIT_CLEARING_DAYS]),
                "currencies": [_describe(code, values) for code in WALLET_CURRENCIES],
            }
        )


def _describe(code: str, values: Mapping[str, Decimal]) -> dict[str, Any]:
    # Only currencies that are paid out have a minimum and fees.
    minimum = values.get(f"MINIMUM_WITHDRAWAL_{code}")
    return {
        "currency": code,
        "minimum_withdrawal": None if minimum is None else max(minimum, Decimal(1)),
        "withdrawal_fee": values.get(f"{code}_WITHDRAWAL_FEE"),
        "internal_fee": values.get(f"{code}_INTERNAL_FEE"),
        "usd_rate": values.get(f"{code}_USD_RATE") or None,
        "conversion_spread": values[f"CONVERSION_SPREAD_{code}"] / BASIS_POINTS_PER_PERCENT,
    }
