"""Tokens, access to private deals, and the quotes that set prices."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper

from exchange.core.fields import AMOUNT, choice_field
from exchange.core.models import Currency, Record
from exchange.core.numbers import format_plain
from exchange.participants.models import Member, Organisation
from exchange.staff.models import ExplainedApproval, ProposalModel


class TokenType(models.TextChoices):
    """Type of the offering, private or public."""

    PRIVATE = "Private"
    PUBLIC = "Public"


class DealAccess(models.TextChoices):
    """Visibility: all organisations, or the issuer and organisations granted access."""

    PRIVATE = "Private"
    PUBLIC = "Public"


class InvestmentType(models.TextChoices):
    """Types of instrument, as the interface spells them."""

    SERVICE = "the service", "Equity"
    SAFE = "SAFE", "SAFE"
    DEBT = "Debt", "Debt"
    FIXED_INTEREST = "Fixed Interest", "Fixed Interest"


class InvestmentCategory(models.TextChoices):
    """Categories of investment, as the interface spells them."""

    ETF = "ETF", "ETF"
    BOND = "Bond", "Bond"
    COMMERCIAL_PAPER = "Commercial Paper", "Commercial Paper"
    DEBT_NOTE = "Debt Note", "Debt Note"
    REAL_ESTATE = "Real Estate", "Real Estate"
    PRIVATE_BUSINESS = "Private Business", "Private Business"
    STARTUP = "Startup", "Startup"
    COMMODITIES = "Commodities", "Commodities"
    FUND = "Fund", "Fund"
    ART = "Art", "Art"
    MUSIC = "Music", "Music"
    MOVIE = "Movie", "Movie"
    CHARITY = "Charity", "Charity"


class PayoutFrequency(models.TextChoices):
    """How often income is paid; empty: no income."""

    NONE = "", "None"
    MONTHLY = "Monthly", "Monthly"
    QUARTERLY = "Quarterly", "Quarterly"
    SEMI_ANNUALLY = "Semi-Annually", "Semi-Annually"
    ANNUALLY = "Annually", "Annually"
    AT_MATURITY = "At Maturity", "At Maturity"


def _amount(help_text: str = "") -> models.DecimalField[Any, Any]:
    """Declare an amount, a price or a number of units; 0 by default."""
    return models.DecimalField(default=0, help_text=help_text, **AMOUNT)


def _percent(help_text: str = "percent") -> models.DecimalField[Any, Any]:
    return models.DecimalField(max_digits=12, decimal_places=4, default=0, help_text=help_text)


# Fields that staff edit. Their last audited change is the version that an edit names. Prices have
# their history in `Quote`; trades change none of these.
TERM_FIELDS = (
    *("name", "image", "listing_reference", "type", "deal_access", "investment_type"),
    *("investment_category", "payout_frequency", "min_buy", "min_sell", "max_buy", "max_sell"),
    *("min_trade_buy", "min_trade_sell", "max_trade_buy", "max_trade_sell", "buy_fee", "sell_fee"),
    *("carry", "management_fee", "discount", "interest", "dividend", "tenor", "valuation"),
    *("post_raise_valuation", "esop_token", "issue_price"),
)


# What the payments of a token follow from. Once they are fixed, two people change them.
FIXED_FIELDS = ("issue_price", "interest", "tenor", "payout_frequency")


# Pairs of limits; 0 is no limit.
MIN_MAX_FIELDS = (
    ("min_buy", "max_buy"),
    ("min_sell", "max_sell"),
    ("min_trade_buy", "max_trade_buy"),
    ("min_trade_sell", "max_trade_sell"),
)


# Percent of an order's value.
MAX_FEE_PERCENT = 50


PERCENT_FIELDS = ("carry", "management_fee", "discount", "interest", "dividend")


# A URL with a host, or a path on this service, without characters that end an HTML attribute.
IMAGE_PATTERN = r"(https?://[^/\\\s<>\"'][^\\\s<>\"']*|/([^/\\\s<>\"'][^\\\s<>\"']*)?)"


STATE_FIELDS = ("completed_raise", "secondaries", "halted_at", "closed", "exited", "cancelled")


# Every column that lists of tokens filter by.
_FILTERED_FIELDS = (
    "deal_access",
    "issuer",
    "closed",
    "exited",
    "cancelled",
    "completed_raise",
    "secondaries",
    "type",
    "investment_type",
    "investment_category",
    "currency",
    "words",
)


class Token(Record):
    """One tokenized investment. Its units are the ledger asset whose id is the token's."""

    issuer = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="issued_tokens", db_index=False
    )
    creator = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    name = models.CharField(max_length=200)
    symbol = models.CharField(max_length=20, unique=True)
    reference = models.BigIntegerField(unique=True, help_text="A running number")
    image = models.CharField(max_length=500, blank=True, help_text="URL, or a path of this service")
    listing_reference = models.CharField(
        max_length=60, blank=True, help_text="The listing request it came from: `request`"
    )
    currency = models.ForeignKey(
        Currency, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    type = choice_field(TokenType, max_length=10, default=TokenType.PUBLIC)
    deal_access = choice_field(DealAccess, max_length=10, default=DealAccess.PUBLIC)
    investment_type = choice_field(InvestmentType, max_length=20)
    investment_category = choice_field(InvestmentCategory, max_length=20)
    payout_frequency = choice_field(
        PayoutFrequency, max_length=20, blank=True, default=PayoutFrequency.NONE
    )

    # Changed by an approved `Quote` only.
    price_buy = _amount("What a buyer pays for a unit; in a primary raise, the offer")
    price_sell = _amount("What a seller gets for a unit; lending values collateral by it")
    price_exchange = _amount("Units of the currency for one USD")
    prev_price_buy = _amount()
    prev_price_sell = _amount()
    prev_price_exchange = _amount()
    quoted_at = models.DateTimeField(
        null=True, blank=True, help_text="When the quotes were last approved"
    )

    # The band of order prices and of order values for a side; 0 is no bound.
    min_buy = _amount("Lowest price of a buy order; 0: none")
    min_sell = _amount("Lowest price of a sell order; 0: none")
    max_buy = _amount("Highest price of a buy order; 0: none")
    max_sell = _amount("Highest price of a sell order; 0: none")
    min_trade_buy = _amount("Smallest value of a buy order; 0: none")
    min_trade_sell = _amount("Smallest value of a sell order; 0: none")
    max_trade_buy = _amount("Largest value of a buy order; 0: none")
    max_trade_sell = _amount("Largest value of a sell order; 0: none")
    vol_buy = _amount("Units bought so far")
    vol_sell = _amount("Units sold so far by holders")

    buy_fee = _percent("percent of the value, paid by the buyer")
    sell_fee = _percent("percent of the value, paid by the seller")
    carry = _percent()
    management_fee = _percent()
    discount = _percent()
    interest = _percent()
    dividend = _percent()
    tenor = models.PositiveIntegerField(default=0, help_text="days")
    valuation = _amount()
    post_raise_valuation = _amount()
    issue_price = models.DecimalField(
        null=True, blank=True, help_text="Principal of a unit; null: not known", **AMOUNT
    )
    terms_version = models.IntegerField(
        default=1, db_default=1, help_text="Rises with each change that two people made"
    )

    # Supply and raise.
    total_supply = _amount("All units there are")
    supply = _amount("Units that investors hold")
    total_allocated = _amount("Units allocated to investors by the raise")
    raise_amount = _amount("What the raise is to bring; 0: there is none")
    total_raised = _amount("What the raise has brought so far")
    completed_raise = models.BooleanField(default=False)
    completed_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the raise was completed; null: still open, or not known",
    )
    secondaries = models.BooleanField(
        default=False, help_text="Holders may trade it; opened by staff once the raise is complete"
    )
    closed = models.BooleanField(default=False, help_text="No new orders")
    halted_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when trading is halted: the book stays, no order enters",
    )
    halt_reason = models.CharField(max_length=300, blank=True, default="", db_default="")
    limits_changed_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When fees or limits of its orders last changed",
    )
    exited = models.BooleanField(default=False)
    cancelled = models.BooleanField(default=False)
    esop_token = models.BooleanField(default=False)
    next_record_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Record of the next distribution. Past it, no unit changes hands until the record"
        " is made",
    )
    units_held = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Recorded for a redemption or the final exit, which takes the units back",
    )
    next_payment_date = models.DateField(
        null=True, blank=True, help_text="Payment of the next distribution"
    )

    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    document = models.TextField(editable=False, default="")
    # The words of `name`, set by sql/token_words.sql.
    words = SearchVectorField(editable=False, null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        permissions = [
            ("propose_quote", "Can propose quotes"),
            ("decide_quote", "Can approve and reject quotes"),
            ("end_token", "Can close, exit and cancel tokens and their raises"),
        ]
        # sql/token_terms.sql guards the terms, sql/token_guard.sql the totals.
        indexes = [
            # Lists walk these in order and filter by the included columns, without the table.
            models.Index(
                fields=["-created_at", "-id"], include=_FILTERED_FIELDS, name="token_listed_newest"
            ),
            models.Index(
                fields=["name", "id"], include=_FILTERED_FIELDS, name="token_listed_by_name"
            ),
            GinIndex(fields=["words"], fastupdate=False, name="token_words"),
            models.Index(
                OpClass(Upper("symbol"), name="text_pattern_ops"), name="token_symbol_start"
            ),
            models.Index(fields=["issuer"], name="token_issuer"),
            # Whether an organisation issues private deals.
            models.Index(
                fields=["issuer"], condition=Q(deal_access="Private"), name="token_private_deals"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.symbol} · {self.name}"

    @property
    def is_raising(self) -> bool:
        """Whether its raise is open."""
        return not (self.completed_raise or self.cancelled)

    @property
    def completion_is_stated(self) -> bool:
        """Whether people stated the day of the completion: its time is the start of the day, UTC.

        The exchange stores its own time when it completes a raise.
        """
        at = self.completed_at
        return at is not None and at.astimezone(dt.UTC).time() == dt.time()

    @property
    def has_fixed_terms(self) -> bool:
        """Whether `FIXED_FIELDS` change by two people only: investors have bought."""
        return self.completed_raise or self.supply > 0 or self.total_allocated > 0


class TokenAccess(models.Model):
    """An organisation that may see a token with private deal access."""

    token = models.ForeignKey(Token, on_delete=models.CASCADE, related_name="grants")
    organisation = models.ForeignKey(
        Organisation, on_delete=models.CASCADE, related_name="token_grants"
    )
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "access to a token"
        verbose_name_plural = "access to tokens"
        constraints = [
            models.UniqueConstraint(fields=["organisation", "token"], name="token_access_once")
        ]

    def __str__(self) -> str:
        return f"{self.organisation} sees {self.token}"


class Catalogue(models.Model):
    """The version of the catalogue, in one row: cached list results are valid for one version.

    Triggers raise it when a token is added or its name, flags, kind or visibility change. Prices,
    volumes and raise progress do not affect which tokens a list contains.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    version = models.BigIntegerField(default=1)

    def __str__(self) -> str:
        return f"version {self.version}"


class Quote(ExplainedApproval, ProposalModel):
    """New prices for a token, effective once a second person approves them.

    The approved quotes are the token's price history.
    """

    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="quotes")
    buy = models.DecimalField(**AMOUNT)
    sell = models.DecimalField(**AMOUNT)
    exchange = models.DecimalField(default=0, **AMOUNT)
    note = models.CharField(max_length=300, blank=True)
    # Null for quotes set by the system.
    proposed_by = models.ForeignKey(  # type: ignore[assignment]
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta(ProposalModel.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(buy__gt=0, sell__gt=0, exchange__gte=0), name="quote_positive"
            ),
            # Quotes older than this rule can still be rejected.
            models.CheckConstraint(
                condition=Q(sell__lte=F("buy")) | Q(status="Rejected"),
                name="quote_sell_not_above_buy",
            ),
            models.UniqueConstraint(
                fields=["token"], condition=Q(status="Pending"), name="quote_pending_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{format_plain(self.buy)} / {format_plain(self.sell)}"
