"""Request body of transfers between wallets."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.api.references import OwnReferencesSerializer
from exchange.api.viewsets import parse_path_id
from exchange.participants.errors import UserNotFound
from wallets.ledger.serializers import AmountField, WalletCurrencyField, check_decimals
from wallets.transfers.payloads import WALLET_SCHEMA

_SHAPE = 'must be {"wallet": "organisation"} or {"user_id": "…"}'


@extend_schema_field(WALLET_SCHEMA)
class WalletField(serializers.Field[Any, Any, Any, Any]):
    """A wallet of the organisation: its own (None), or a member's (the id)."""

    known_keys = ("wallet", "user_id")

    def to_internal_value(self, data: Any) -> UUID | None:
        """Return the member's id; a malformed one is of no member."""
        wallet, user_id = (
            map(data.get, self.known_keys) if isinstance(data, Mapping) else (None, None)
        )
        if (wallet is None) == (user_id is None):
            raise serializers.ValidationError(_SHAPE)
        if wallet == "organisation":
            return None
        if not isinstance(user_id, str) or not user_id.strip():
            raise serializers.ValidationError(_SHAPE)
        return parse_path_id(user_id, UserNotFound)


class TransferInput(OwnReferencesSerializer):
    """A transfer between two wallets of the organisation and its members."""

    amount = AmountField()
    currency = WalletCurrencyField(help_text="Currency of both wallets")

    def get_fields(self) -> dict[str, Any]:
        """Return the wallets, whose names are no Python names, and the other fields."""
        return {
            "from": WalletField(help_text="The wallet that pays"),
            "to": WalletField(help_text="The wallet that is paid"),
            **super().get_fields(),
        }

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check that the wallets differ, and the number of decimals against the currency."""
        if "from" in values and "to" in values and values["from"] == values["to"]:
            errors["to"] = ["must be another wallet than from"]
        check_decimals(values, errors, currency="currency")
