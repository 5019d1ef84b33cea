"""Definitions of the settings: names in words, units, limits, and what a change applies to.

Keys are what the database knows; people read names.
"""

from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from exchange.core.currencies import currencies, payout_currencies
from exchange.core.numbers import MAX_NUMBER, format_grouped

# While its value is 1, no payout is sent.
PAYOUTS_ON_HOLD = "PAYOUTS_ON_HOLD"
DEPOSIT_FEE_BORNE_BY_OWNER = "DEPOSIT_FEE_BORNE_BY_OWNER"
DEPOSIT_CLEARING_DAYS = "DEPOSIT_CLEARING_DAYS"

_RATE_DECIMALS = 8
_SPREAD_DECIMALS = 2
# In basis points: half of the amount.
_MAX_SPREAD = Decimal(5000)
BASIS_POINTS_PER_PERCENT = Decimal(100)

_REQUESTED = (
    "Applies to withdrawals requested from the effective time. Existing withdrawals keep theirs."
)
_APPROVED = "Used for approvals from the effective time, whenever the withdrawal was requested."
_QUOTED = "Used for conversions quoted from the effective time. Open quotes keep theirs."
_CONVERTED = "Checked at every conversion from the effective time."
_DEPOSITED = "Applies to deposits that arrive from the effective time."


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingDefinition:
    """A setting: its name, description, effect of a change, unit, decimals and limits.

    One `unit` is `per_unit` of the stored number. `words` are those of the values 0 and 1, for a
    setting that is a choice. `band` is the kind of its plausibility check, if it has one.
    """

    name: str
    description: str
    effect: str
    decimals: int = 0
    minimum: Decimal = Decimal(0)
    maximum: Decimal = MAX_NUMBER
    unit: str = ""
    per_unit: Decimal = Decimal(1)
    words: tuple[str, ...] = ()
    band: str = ""

    def describe(self, value: Decimal) -> str:
        """Return a value in words: `1.00 %`, `50.00 NGN`, `On hold`."""
        if self.words and value in {0, 1}:
            return self.words[int(value)]
        least = currencies()[self.unit].decimals if self.unit in currencies() else 0
        least = _SPREAD_DECIMALS if self.unit == "%" else least
        return f"{format_grouped(value / self.per_unit, least)} {self.unit}".rstrip()


@cache
def setting_definitions() -> dict[str, SettingDefinition]:
    """Return the definition of every setting by key, over all currencies."""
    known = {
        PAYOUTS_ON_HOLD: SettingDefinition(
            name="Payouts on hold",
            description="While payouts are on hold, none is sent to the provider",
            effect="Applies to every payout that is not sent yet. Before you end a hold after a"
            " restore, look at the reconciliations of every day since.",
            maximum=Decimal(1),
            words=("Payouts are sent", "On hold"),
        ),
        DEPOSIT_FEE_BORNE_BY_OWNER: SettingDefinition(
            name="Provider's charge of a deposit",
            description="Who bears the provider's charge of a deposit",
            effect=_DEPOSITED,
            maximum=Decimal(1),
            words=("Borne by the exchange", "Borne by the owner"),
        ),
        DEPOSIT_CLEARING_DAYS: SettingDefinition(
            name="Clearing of card and mobile-money deposits",
            description="Days until a deposit by card or mobile money is available",
            effect=_DEPOSITED,
            maximum=Decimal(90),
            unit="days",
            band="limit",
        ),
    }
    for code in payout_currencies():
        known |= _payout_settings(code)
    for code in currencies():
        known |= _conversion_settings(code)
    return known


def name_setting(key: str) -> str:
    """Return the setting's name in words."""
    facts = setting_definitions().get(key)
    return facts.name if facts else key


def describe_value(key: str, value: Decimal | None) -> str:
    """Return a value of the setting `key` in words, as its definition does; a dash for None."""
    if value is None:
        return "-"
    facts = setting_definitions().get(key)
    return facts.describe(value) if facts else str(value)


def _payout_settings(code: str) -> dict[str, SettingDefinition]:
    decimals = currencies()[code].decimals
    smallest = Decimal(1).scaleb(-decimals)

    def amount(
        name: str, description: str, minimum: Decimal, *, band: str = "limit", effect: str
    ) -> SettingDefinition:
        return SettingDefinition(
            name=f"{name}, {code}",
            description=description,
            effect=effect,
            decimals=decimals,
            minimum=minimum,
            unit=code,
            band=band,
        )

    return {
        f"MINIMUM_WITHDRAWAL_{code}": amount(
            "Minimum withdrawal", "Smallest amount of a withdrawal", Decimal(1), effect=_REQUESTED
        ),
        f"{code}_WITHDRAWAL_FEE": amount(
            "Withdrawal fee",
            "Flat fee of a withdrawal; the owner pays it",
            Decimal(0),
            band="fee",
            effect=_REQUESTED,
        ),
        f"{code}_INTERNAL_FEE": amount(
            "Internal fee",
            "Cost of a withdrawal that the organisation sees in the API as internal_fee. It is not"
            " charged, and nothing is booked",
            Decimal(0),
            band="fee",
            effect=_REQUESTED,
        ),
        f"{code}_USD_RATE": SettingDefinition(
            name=f"Rate to USD, {code}",
            description=f"{code} per USD, for conversions and the USD value shown on withdrawals",
            effect="Used for conversions from the effective time; open quotes end. Withdrawals keep"
            " the USD value of their request.",
            decimals=_RATE_DECIMALS,
            minimum=Decimal(1).scaleb(-_RATE_DECIMALS),
            unit=f"{code} per USD",
            band="rate",
        ),
        f"SECOND_APPROVAL_ABOVE_{code}": amount(
            "Second approval from",
            "Withdrawals from this amount require two approvers",
            smallest,
            effect=_REQUESTED,
        ),
        f"SECOND_APPROVAL_DAILY_ABOVE_{code}": amount(
            "Second approval from, 24 hours",
            "Withdrawals of an organisation and its members within 24 hours that reach this total"
            " require two approvers",
            smallest,
            effect=_REQUESTED,
        ),
        f"SOLE_APPROVALS_DAILY_{code}": amount(
            "Approvals by one person, 24 hours",
            "Maximum that one person may approve alone within 24 hours",
            Decimal(0),
            effect=_APPROVED,
        ),
    }


def _conversion_settings(code: str) -> dict[str, SettingDefinition]:
    return {
        f"CONVERSION_SPREAD_{code}": SettingDefinition(
            name=f"Conversion spread, {code}",
            description=f"Part of a conversion from or into {code} that the exchange keeps",
            effect=_QUOTED,
            decimals=_SPREAD_DECIMALS,
            maximum=_MAX_SPREAD,
            unit="%",
            per_unit=BASIS_POINTS_PER_PERCENT,
            band="spread",
        ),
        f"CONVERSION_POSITION_LIMIT_{code}": SettingDefinition(
            name=f"Position limit, {code}",
            description="Maximum that conversions may leave the exchange long or short of",
            effect=_CONVERTED,
            decimals=currencies()[code].decimals,
            unit=code,
            band="limit",
        ),
    }
