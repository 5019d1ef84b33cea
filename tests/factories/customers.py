"""A member and an organisation with a record of every kind that their pages show."""

from dataclasses import dataclass
from decimal import Decimal

from credit.loans.models import Loan
from exchange.core.references import OwnReferences
from exchange.events.models import WebhookEndpoint
from exchange.participants.models import Member, Organisation
from exchange.participants.services.api_keys import issue_api_key
from orders.book.models import Order
from tests.factories.api_clients import TESTER, make_member
from tests.factories.conversions import convert, set_rates
from tests.factories.deposits import Owner, arrive, make_virtual_account, transaction_record
from tests.factories.holds import freeze
from tests.factories.lending import make_lending
from tests.factories.traders import Trader
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet, store_bank_list
from wallets.conversions.models import Conversion
from wallets.deposits.models import Deposit, VirtualAccount
from wallets.transfers.models import WalletTransfer
from wallets.withdrawals.models import Withdrawal


@dataclass(frozen=True)
class Customer:
    """The member Ada Obi of Acme, with one record of each kind and a second member."""

    wallet: Wallet
    other: Member
    loan: Loan
    order: Order
    withdrawal: Withdrawal
    deposit: Deposit
    account: VirtualAccount
    transfer: WalletTransfer
    conversion: Conversion

    @property
    def member(self) -> Member:
        """The member."""
        assert self.wallet.member is not None
        return self.wallet.member

    @property
    def organisation(self) -> Organisation:
        """The organisation of the member."""
        return self.wallet.organisation


def make_customer() -> Customer:
    """Make the records, by services.

    The member has 2,000 KES less 500 in escrow and 129 converted to 1 USD, 50,000 NGN and a loan of
    840,000 NGN with 105 of 1,000 units at 10,000 NGN pledged, and a buy order of 1 unit at 100 NGN.
    """
    store_bank_list()
    lending = make_lending()
    wallet = lending.borrower
    organisation = wallet.organisation
    Organisation.objects.filter(pk=organisation.pk).update(name="Acme", email="ops@acme.example")
    Member.objects.filter(pk=str(wallet.member_id)).update(
        name="Ada Obi", email="ada.obi@acme.example", external_id="CUST-0017"
    )
    wallet = Wallet(
        Organisation.objects.get(pk=organisation.pk), Member.objects.get(pk=str(wallet.member_id))
    )
    other = make_member(wallet.organisation)
    set_rates()
    wallet.fund(2_000, "KES").fund(50_000, "NGN")
    loan = lending.lend(references=OwnReferences(client_reference="loan-77"))
    order = Trader(wallet).place(lending.token, "Buy", 100, 1, client_order_id="desk-9")
    withdrawal = wallet.request(500, client_reference="salary-4")
    account = make_virtual_account(Owner(wallet.organisation, wallet.member), "KES")
    payment = arrive(transaction_record(account.reference, "250", currency="KES"))
    assert payment.deposit is not None
    WebhookEndpoint.objects.create(
        organisation=wallet.organisation, url="https://acme.example/hook", secret="x"
    )
    issue_api_key(
        organisation=wallet.organisation, name="Reports", scopes=["tokens:read"], actor=TESTER
    )
    freeze(wallet.member or wallet.organisation, "ZAR")
    return Customer(
        wallet=wallet,
        other=other,
        loan=loan,
        order=Order.objects.get(pk=order),
        withdrawal=withdrawal,
        deposit=payment.deposit,
        account=account,
        transfer=transfer(wallet, Wallet(wallet.organisation), 200, client_reference="move-1"),
        conversion=convert(wallet, Decimal(129), "KES", "USD"),
    )
