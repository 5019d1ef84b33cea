"""Addresses of credit, relative to /v1/."""

from __future__ import annotations

from django.urls import path

from credit.api.configurations import ConfigurationsView, ConfigurationView
from credit.api.loans import (
    LoanCollateralView,
    LoanCreateView,
    LoanQuoteView,
    LoanReleaseView,
    LoanRepayView,
    LoanStatementView,
    LoansView,
    LoanView,
)
from credit.api.portfolio import PortfolioView

urlpatterns = [
    path("api/credit/loan", LoanCreateView.as_view()),
    path("api/credit/loan/quote", LoanQuoteView.as_view()),
    path("api/credit/loans", LoansView.as_view()),
    path("api/credit/loan/<str:loan_id>", LoanView.as_view()),
    path("api/credit/loan/<str:loan_id>/statement", LoanStatementView.as_view()),
    path("api/credit/loan/<str:loan_id>/repay", LoanRepayView.as_view()),
    path("api/credit/loan/<str:loan_id>/collateral", LoanCollateralView.as_view()),
    path("api/credit/loan/<str:loan_id>/release", LoanReleaseView.as_view()),
    path("api/credit/loan-configuration", ConfigurationsView.as_view()),
    path("api/credit/loan-configuration/<str:configuration_id>", ConfigurationView.as_view()),
    path("api/credit/user/portfolio/<str:member_id>", PortfolioView.as_view()),
]
