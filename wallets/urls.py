"""URLs of members, wallets, withdrawals, transfers, conversions and banks, relative to /v1/."""

from exchange.api.routers import Router
from wallets.banks.api import BankViewSet
from wallets.closing.api import MemberClosingViewSet
from wallets.conversions.api import ConversionViewSet
from wallets.deposits.api import (
    AllVirtualAccountViewSet,
    CheckoutViewSet,
    DepositViewSet,
    VirtualAccountViewSet,
)
from wallets.deposits.models import Deposit
from wallets.fees.api import OrganisationViewSet
from wallets.ledger.api import (
    HolderViewSet,
    HoldingViewSet,
    TransactionViewSet,
)
from wallets.owners.api import BalanceViewSet, MemberViewSet, WalletViewSet
from wallets.statements.api import AccountStatementViewSet
from wallets.transfers.api import TransferViewSet
from wallets.withdrawals.api import WithdrawalViewSet
from wallets.withdrawals.models import Withdrawal


class WalletTransactionViewSet(TransactionViewSet):
    """Transactions, in which movements carry the reference of their withdrawal or deposit."""

    subjects = (Withdrawal, Deposit)


# Routes are tried one after another: those that move money come first.
router = Router()
router.register("api/transfers", TransferViewSet, "transfers")
router.register("api/conversions", ConversionViewSet, "conversions")
for wallet, owner, prefix in (
    ("api/wallet", "api/wallet", ""),
    ("api/members/<str:member_id>/wallet", "api/members/<str:member_id>", "member_"),
):
    router.register(
        f"{wallet}/withdraw", WithdrawalViewSet, f"{prefix}withdrawals", only={"create"}
    )
    router.register(wallet, WalletViewSet, f"{prefix}wallets")
    router.register(f"{wallet}/transactions", WalletTransactionViewSet, f"{prefix}transactions")
    router.register(f"{owner}/statement", AccountStatementViewSet, f"{prefix}statements")
    router.register(f"{owner}/tokens", HoldingViewSet, f"{prefix}holdings")
    router.register(f"{owner}/deposits/checkout", CheckoutViewSet, f"{prefix}checkouts")
    router.register(f"{owner}/virtual-accounts", VirtualAccountViewSet, f"{prefix}virtual_accounts")
router.register(
    "api/withdrawals",
    WithdrawalViewSet,
    "withdrawals",
    only={"list", "retrieve", "cancel", "fee"},
)
router.register("api/members", MemberViewSet, "members")
router.register("api/members", MemberClosingViewSet, "members", only={"close", "reopen"})
router.register("api/deposits", DepositViewSet, "deposits")
router.register("api/balances", BalanceViewSet, "balances")
router.register("api/virtual-accounts", AllVirtualAccountViewSet, "all_virtual_accounts")
router.register("api/token/<str:token_id>/holders", HolderViewSet, "token_holders")
router.register("api/organisation", OrganisationViewSet, "organisations")
router.register("api/banks", BankViewSet, "banks")

urlpatterns = router.urls
