"""Token forms: terms, shared with new listings, and access."""

from decimal import Decimal
from typing import Any

from django import forms

from exchange.admin.fields import VISIBLE, AmountInput, audience_help
from exchange.participants.admin.participants import OrganisationChoiceField
from exchange.participants.models import Organisation
from exchange.tokens.admin.token_page import field_label
from exchange.tokens.models import (
    FIXED_FIELDS,
    DealAccess,
    InvestmentCategory,
    InvestmentType,
    PayoutFrequency,
    Token,
    TokenType,
)


class QuantityInput(AmountInput):
    """An amount, a number of units or a percentage; empty is 0. The service checks limits."""

    def __init__(self, *, required: bool = False, **kwargs: Any) -> None:
        super().__init__(required=required, empty=Decimal(0), **kwargs)


class TokenTermsForm(forms.Form):
    """Terms of a new or an existing token, labelled as on its page."""

    name = forms.CharField(max_length=200)
    image = forms.CharField(
        max_length=500, required=False, help_text="URL, or a path on this service"
    )
    listing_reference = forms.CharField(
        max_length=60, required=False, help_text=audience_help(VISIBLE, "Called request in the API")
    )
    type = forms.ChoiceField(choices=TokenType.choices, initial=TokenType.PUBLIC)
    deal_access = forms.ChoiceField(
        choices=DealAccess.choices,
        initial=DealAccess.PUBLIC,
        help_text="Private: visible to the issuer and organisations with access only",
    )
    investment_type = forms.ChoiceField(choices=InvestmentType.choices)
    investment_category = forms.ChoiceField(choices=InvestmentCategory.choices)
    payout_frequency = forms.ChoiceField(choices=PayoutFrequency.choices, required=False)
    esop_token = forms.BooleanField(required=False)
    min_buy = QuantityInput(help_text="0: no limit")
    max_buy = QuantityInput(help_text="0: no limit")
    min_sell = QuantityInput(help_text="0: no limit")
    max_sell = QuantityInput(help_text="0: no limit")
    min_trade_buy = QuantityInput(help_text="0: no limit")
    max_trade_buy = QuantityInput(help_text="0: no limit")
    min_trade_sell = QuantityInput(help_text="0: no limit")
    max_trade_sell = QuantityInput(help_text="0: no limit")
    buy_fee = QuantityInput(unit="%", help_text="Percent of the value")
    sell_fee = QuantityInput(unit="%", help_text="Percent of the value")
    carry = QuantityInput(unit="%", help_text="Percent")
    management_fee = QuantityInput(unit="%", help_text="Percent")
    discount = QuantityInput(unit="%", help_text="Percent")
    interest = QuantityInput(unit="%", help_text="Percent")
    dividend = QuantityInput(unit="%", help_text="Percent")
    issue_price = QuantityInput(help_text="Per unit; 0 or empty: the buy price")
    tenor = forms.IntegerField(min_value=0, max_value=36_500, required=False, help_text="Days")
    valuation = QuantityInput()
    post_raise_valuation = QuantityInput()

    groups: list[tuple[str | None, list[Any]]] = [
        (
            "Details",
            [
                *("name", "investment_type", "investment_category", "type", "deal_access"),
                *("image", "listing_reference", "esop_token"),
            ],
        ),
        (
            "Order limits",
            [
                ("min_buy", "max_buy"),
                ("min_sell", "max_sell"),
                ("min_trade_buy", "max_trade_buy"),
                ("min_trade_sell", "max_trade_sell"),
            ],
        ),
        (
            "Fees and terms",
            [
                ("buy_fee", "sell_fee"),
                ("carry", "management_fee"),
                ("discount", "dividend"),
                ("valuation", "post_raise_valuation"),
            ],
        ),
        ("Payments", [("issue_price", "interest"), ("payout_frequency", "tenor")]),
    ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            if field.label is None:
                field.label = field_label(name)

    def clean_tenor(self) -> int:
        """Return the days; empty is 0."""
        return self.cleaned_data["tenor"] or 0


class TokenEditForm(TokenTermsForm):
    """New terms, and the version they are based on; without the terms that are `fixed`."""

    expected_version = forms.UUIDField(required=False, widget=forms.HiddenInput)
    issue_price = QuantityInput(required=True, help_text="Per unit")

    def __init__(self, *args: Any, fixed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if fixed:
            for name in FIXED_FIELDS:
                del self.fields[name]
            self.groups = self.groups[:-1]


class GrantAccessForm(forms.Form):
    """The organisation to grant access to a token."""

    organisation = OrganisationChoiceField()


class WithdrawAccessForm(forms.Form):
    """The organisation to withdraw access from."""

    organisation = forms.ModelChoiceField(queryset=Organisation.objects.none())

    def __init__(self, token: Token, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["organisation"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = Organisation.objects.filter(token_grants__token=token).order_by("name")
