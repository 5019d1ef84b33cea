"""URLs of credit and of what tokens pay, relative to /v1/."""

from credit.configurations.api import ConfigurationViewSet
from credit.distributions.api import (
    DistributionViewSet,
    IncomeViewSet,
    PaymentViewSet,
    ScheduleViewSet,
    TokenDistributionViewSet,
)
from credit.distributions.tax_api import TaxSummaryViewSet
from credit.loans.api import LoanViewSet
from credit.movements.api import MovementViewSet
from credit.portfolio.api import PortfolioViewSet
from exchange.api.routers import Router

_LOAN = {"create", "quote", "retrieve", "statement", "repay", "collateral", "release"}

router = Router()
router.register("api/credit/loans", LoanViewSet, "loans", only={"list"})
router.register("api/credit/loan", LoanViewSet, "loans", only=_LOAN)
router.register("api/credit/loan-configuration", ConfigurationViewSet, "loan_configurations")
router.register("api/token/<str:token_id>/schedule", ScheduleViewSet, "token_schedules")
router.register("api/credit/user/portfolio/<str:member_id>", PortfolioViewSet, "investments")
router.register(
    "api/token/<str:token_id>/distributions", TokenDistributionViewSet, "token_distributions"
)
router.register("api/distributions", DistributionViewSet, "distributions")
router.register(
    "api/distributions/<str:distribution_id>/payments", PaymentViewSet, "distribution_payments"
)
router.register("api/movements", MovementViewSet, "movements")
router.register("api/income", IncomeViewSet, "income")
router.register("api/members/<str:member_id>/tax-summary", TaxSummaryViewSet, "tax_summaries")

urlpatterns = router.urls
