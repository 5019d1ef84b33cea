"""The peer's endpoints: the same checks and rows as ours, written with DRF and the ORM.

It has no ledger guards, documents, idempotency or account resolution, so it does less.
"""

import json
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from exchange.core.ids import new_reference
from tests.benchmarks.peers.drf_orm.models import (
    Account,
    BankList,
    BankRecord,
    Entry,
    Event,
    Figure,
    Member,
    Transfer,
    WalletTransfer,
    Withdrawal,
)


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
            "gusd_amount",
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
        member = get_object_or_404(Member, id=holder, organisation=request.user)
        banks = BankList.objects.get(currency=order["currency"]).banks
        code = next((b["code"] for b in banks if b["name"] == order["bank_name"]), None)
        if code is None:
            raise ValidationError("bank not found")
        figures = dict(
            Figure.objects.filter(
                key__in=[
                    f"MINIMUM_WITHDRAWAL_{order['currency']}",
                    f"{order['currency']}_WITHDRAWAL_FEE",
                    f"{order['currency']}_USD_RATE",
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
                gusd_amount=round(order["amount"] / figures[f"{order['currency']}_USD_RATE"], 2),
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
                body=json.loads(
                    JSONRenderer().render(
                        {
                            "withdrawal": data["withdrawalRequest"],
                            "bank": data["bank"],
                            "user": {"id": member.id, "name": member.name, "email": member.email},
                        }
                    )
                ),
            )
        return Response(
            {"status": "success", "message": "Withdrawal request created", "data": data},
            status=201,
        )


class MoveSerializer(serializers.Serializer[Any]):
    payer = serializers.UUIDField()
    payee = serializers.UUIDField()
    amount = serializers.DecimalField(max_digits=38, decimal_places=2, min_value=Decimal("0.01"))
    currency = serializers.ChoiceField(["NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD"])


class WalletTransferSerializer(serializers.ModelSerializer[WalletTransfer]):
    class Meta:
        model = WalletTransfer
        fields = ["id", "payer", "payee", "amount", "currency", "status", "created_at"]


class TransferView(APIView):
    def post(self, request: Request) -> Response:
        serializer = MoveSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        move = serializer.validated_data
        payer = get_object_or_404(Member, id=move["payer"], organisation=request.user)
        payee = get_object_or_404(Member, id=move["payee"], organisation=request.user)
        if payer == payee:
            raise ValidationError("the same wallet")
        with transaction.atomic():
            accounts = {
                account.holder: account
                for account in Account.objects.select_for_update()
                .filter(
                    holder__in=[payer.id, payee.id],
                    organisation=request.user,
                    currency=move["currency"],
                    kind="available",
                )
                .order_by("id")
            }
            source, target = accounts[payer.id], accounts[payee.id]
            if source.balance < move["amount"]:
                raise ValidationError("insufficient balance")
            source.balance -= move["amount"]
            source.save(update_fields=["balance"])
            target.balance += move["amount"]
            target.save(update_fields=["balance"])
            moved = WalletTransfer.objects.create(
                organisation=request.user,
                payer=payer,
                payee=payee,
                amount=move["amount"],
                currency=move["currency"],
            )
            transfer = Transfer.objects.create(
                reference=f"transfer:{moved.id}", kind="wallet_transfer"
            )
            Entry.objects.bulk_create(
                [
                    Entry(transfer=transfer, account=source, amount=-move["amount"]),
                    Entry(transfer=transfer, account=target, amount=move["amount"]),
                ]
            )
            data = WalletTransferSerializer(moved).data
            Event.objects.create(
                type="transfer.completed",
                organisation=request.user,
                body=json.loads(JSONRenderer().render({"transfer": data})),
            )
        return Response(
            {"status": "success", "message": "Transfer completed", "data": data}, status=201
        )
