"""Addresses of wallets, withdrawals and banks, relative to /v1/."""

from __future__ import annotations

from django.urls import path

from wallets.api.banks import BanksView, ResolveView
from wallets.api.holdings import HoldingsView, MemberHoldingsView
from wallets.api.wallets import (
    MemberTransactionsView,
    MemberWalletView,
    WalletTransactionsView,
    WalletView,
)
from wallets.api.withdrawals import (
    CancelView,
    FeeView,
    MemberWithdrawView,
    WalletWithdrawView,
    WithdrawalsView,
    WithdrawalView,
)

urlpatterns = [
    path("api/wallet", WalletView.as_view()),
    path("api/wallet/transactions", WalletTransactionsView.as_view()),
    path("api/wallet/tokens", HoldingsView.as_view()),
    path("api/wallet/withdraw", WalletWithdrawView.as_view()),
    path("api/members/<str:member_id>/tokens", MemberHoldingsView.as_view()),
    path("api/members/<str:member_id>/wallet", MemberWalletView.as_view()),
    path("api/members/<str:member_id>/wallet/transactions", MemberTransactionsView.as_view()),
    path("api/members/<str:member_id>/wallet/withdraw", MemberWithdrawView.as_view()),
    path("api/withdrawals", WithdrawalsView.as_view()),
    path("api/withdrawals/fee", FeeView.as_view()),
    path("api/withdrawals/<str:withdrawal_id>", WithdrawalView.as_view()),
    path("api/withdrawals/<str:withdrawal_id>/cancel", CancelView.as_view()),
    path("api/banks", BanksView.as_view()),
    path("api/banks/resolve", ResolveView.as_view()),
]
