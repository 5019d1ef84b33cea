"""The peer's endpoint: one query with joins, model instances, and a serializer.

It has no scopes, limits, request ids or filters, and leaves out the token's columns that only we
have (its stored document and its search words), so it does less.
"""

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from exchange.participants.models import Member
from exchange.tokens.models import Token
from wallets.ledger.models import Account


class PriceSerializer(serializers.ModelSerializer[Token]):
    buy = serializers.DecimalField(source="price_buy", max_digits=38, decimal_places=8)
    sell = serializers.DecimalField(source="price_sell", max_digits=38, decimal_places=8)
    exchange = serializers.DecimalField(source="price_exchange", max_digits=38, decimal_places=8)

    class Meta:
        model = Token
        fields = ["buy", "sell", "exchange"]


class InvestmentSerializer(serializers.ModelSerializer[Account]):
    tokenId = serializers.UUIDField(source="asset.token.id")
    lien = serializers.DecimalField(max_digits=38, decimal_places=8)
    balance_value = serializers.SerializerMethodField()
    lien_value = serializers.SerializerMethodField()
    currency = serializers.CharField(source="asset.token.currency_id")
    investment_type = serializers.CharField(source="asset.token.investment_type")
    investment_category = serializers.CharField(source="asset.token.investment_category")
    name = serializers.CharField(source="asset.token.name")
    symbol = serializers.CharField(source="asset.token.symbol")
    image = serializers.CharField(source="asset.token.image")
    price = PriceSerializer(source="asset.token")
    raise_amount = serializers.DecimalField(
        source="asset.token.raise_amount", max_digits=38, decimal_places=8
    )
    interest = serializers.DecimalField(
        source="asset.token.interest", max_digits=12, decimal_places=4
    )

    class Meta:
        model = Account
        fields = [
            "tokenId",
            "balance",
            "lien",
            "balance_value",
            "lien_value",
            "currency",
            "investment_type",
            "investment_category",
            "name",
            "symbol",
            "image",
            "price",
            "raise_amount",
            "interest",
        ]

    def get_balance_value(self, holding: Any) -> Decimal:
        return _value(holding, holding.balance)

    def get_lien_value(self, holding: Any) -> Decimal:
        return _value(holding, holding.lien)


def _value(holding: Account, units: Decimal) -> Decimal:
    token = holding.asset.token
    assert token is not None
    price: Decimal = token.price_sell
    step = Decimal(1).scaleb(-token.currency.decimals)
    return (units * price).quantize(step, rounding=ROUND_HALF_EVEN)


class PortfolioView(APIView):
    def post(self, request: Request, member_id: str) -> Response:
        caller: Any = request.user
        member = get_object_or_404(Member, id=member_id, organisation=caller.organisation)
        accounts = (
            Account.objects.filter(
                owner_id=member.id,
                kind__in=["available", "reserved", "lien"],
                asset__token__isnull=False,
                balance__gt=0,
            )
            .select_related("asset__token__currency")
            .defer("asset__token__document", "asset__token__words")
            .order_by("asset__token__name", "asset__token__id")
        )
        # One holding of a token has up to three accounts.
        holdings: dict[str, Any] = {}
        for account in accounts:
            holding = holdings.setdefault(account.asset_id, account)
            if holding is account:
                units, holding.balance, holding.lien = account.balance, Decimal(0), Decimal(0)
            else:
                units = account.balance
            if account.kind == "lien":
                holding.lien += units
            else:
                holding.balance += units
        data = InvestmentSerializer(list(holdings.values()), many=True).data
        return Response({"status": "success", "message": "Investments retrieved", "data": data})
