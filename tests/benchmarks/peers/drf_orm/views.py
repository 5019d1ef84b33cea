"""The peer's endpoint: serializer, lock, check, seven statements, ModelSerializer."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db import transaction
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from exchange.ids import new_reference
from tests.benchmarks.peers.drf_orm.models import (
    Account,
    BankRecord,
    Entry,
    Event,
    Figure,
    Transfer,
    Withdrawal,
)

# The peer keeps its bank list in memory, for good: nothing is charged to it that ours does not do.
BANKS = {"KCB Bank Kenya": "01"}


class OrderSerializer(serializers.Serializer[Any]):
    amount = serializers.DecimalField(max_digits=38, decimal_places=2, min_value=Decimal(1))
    bank_name = serializers.CharField(max_length=200)
    account_name = serializers.CharField(max_length=200)
    account_number = serializers.CharField(max_length=40)
    currency = serializers.ChoiceField(["NGN", "KES", "GHS", "ZAR", "UGX", "TZS"])


class BankSerializer(serializers.ModelSerializer[BankRecord]):
    class Meta:
        model = BankRecord
        fields = ["id", "name", "code", "account_number", "account_name", "currency"]


class WithdrawalSerializer(serializers.ModelSerializer[Withdrawal]):
    class Meta:
        model = Withdrawal
        fields = [
            "id",
            "owner",
            "owner_model",
            "reference",
            "amount",
            "disburse_amount",
            "fee",
            "currency",
            "bank",
            "status",
            "actioned_on",
            "created_at",
            "updated_at",
        ]


class WithdrawView(APIView):
    def post(self, request: Request, holder: str) -> Response:
        serializer = OrderSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        order = serializer.validated_data
        code = BANKS.get(order["bank_name"])
        if code is None:
            raise ValidationError("bank not found")
        figures = dict(
            Figure.objects.filter(
                key__in=[
                    f"MINIMUM_WITHDRAWAL_{order['currency']}",
                    f"{order['currency']}_WITHDRAWAL_FEE",
                ]
            ).values_list("key", "value")
        )
        if order["amount"] < figures[f"MINIMUM_WITHDRAWAL_{order['currency']}"]:
            raise ValidationError("below the minimum")
        fee = figures[f"{order['currency']}_WITHDRAWAL_FEE"]
        with transaction.atomic():
            accounts = {
                account.kind: account
                for account in Account.objects.select_for_update()
                .filter(
                    holder=holder,
                    organisation=request.user,
                    currency=order["currency"],
                    kind__in=["available", "escrow"],
                )
                .order_by("id")
            }
            available, escrow = accounts["available"], accounts["escrow"]
            if available.balance < order["amount"]:
                raise ValidationError("insufficient balance")
            available.balance -= order["amount"]
            available.save(update_fields=["balance"])
            escrow.balance += order["amount"]
            escrow.save(update_fields=["balance"])
            bank = BankRecord.objects.create(
                name=order["bank_name"],
                code=code,
                account_number=order["account_number"],
                account_name=order["account_name"],
                currency=order["currency"],
            )
            withdrawal = Withdrawal.objects.create(
                owner=holder,
                owner_model="user",
                reference=new_reference("payout_"),
                amount=order["amount"],
                fee=fee,
                disburse_amount=order["amount"] - fee,
                currency=order["currency"],
                bank=bank,
            )
            transfer = Transfer.objects.create(
                reference=f"withdrawal:{withdrawal.id}:hold", kind="withdrawal_hold"
            )
            Entry.objects.bulk_create(
                [
                    Entry(transfer=transfer, account=available, amount=-order["amount"]),
                    Entry(transfer=transfer, account=escrow, amount=order["amount"]),
                ]
            )
            data = {
                "withdrawalRequest": WithdrawalSerializer(withdrawal).data,
                "bank": BankSerializer(bank).data,
            }
            Event.objects.create(
                type="withdrawal.created",
                organisation=request.user,
                body={"withdrawal": str(withdrawal.id), "reference": withdrawal.reference},
            )
        return Response(
            {"status": "success", "message": "Withdrawal request created", "data": data},
            status=201,
        )
