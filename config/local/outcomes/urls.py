"""All URLs of the service, and those of the sandbox: the root of a sandbox installation."""

from django.urls import include, path

from config import urls as production
from config.local.outcomes.api import (
    SandboxDepositViewSet,
    SandboxDistributionViewSet,
    SandboxEventViewSet,
    SandboxLoanViewSet,
    SandboxWithdrawalViewSet,
)
from exchange.api.routers import Router

_router = Router()
_router.register("withdrawals", SandboxWithdrawalViewSet, "sandbox_withdrawals")
_router.register("deposits", SandboxDepositViewSet, "sandbox_deposits")
_router.register("loans", SandboxLoanViewSet, "sandbox_loans")
_router.register("distributions", SandboxDistributionViewSet, "sandbox_distributions")
_router.register("events", SandboxEventViewSet, "sandbox_events")

urlpatterns = [*production.urlpatterns, path("v1/sandbox/", include(_router.urls))]

handler400 = production.handler400
handler403 = production.handler403
handler404 = production.handler404
handler500 = production.handler500
