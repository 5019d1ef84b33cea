"""Assignment of panels to record pages, in display order."""

from collections.abc import Sequence

from django.db.models import Model

from credit.configurations.admin.configurations import configurations_link
from credit.distributions.admin.token_panel import DistributionsPanel
from credit.loans.admin.loans import loans_link
from credit.loans.admin.owner_panel import LoansPanel
from credit.tax_rates.admin import TaxFactsPanel
from exchange.admin.panels import LinksPanel, Panel
from exchange.audit.admin.history import HistoryPanel
from exchange.comments.admin import CommentsPanel
from exchange.events.admin.links import events_link, webhook_link
from exchange.events.admin.owner_panels import EventsPanel, WebhookPanel
from exchange.participants.admin.owner_panels import ApiKeysPanel, MembersPanel
from exchange.participants.admin.timeline import TimelinePanel
from exchange.participants.models import Member, Organisation
from exchange.questions.admin import QuestionsPanel
from exchange.tokens.models import Token
from orders.book.admin.orders import orders_link, tokens_link
from orders.book.admin.owner_panel import OpenOrdersPanel
from orders.book.models import Order
from orders.freezing.admin import FreezePanel
from orders.trades.admin.fills_panel import FillsPanel
from orders.trades.admin.order_timeline import OrderTimelinePanel
from wallets.adjustments.admin import AdjustmentsPanel
from wallets.adjustments.models import AdjustingEntry
from wallets.bank_statements.admin.lines import line_link
from wallets.banks.models import BankAccount
from wallets.conversions.admin import ConversionsPanel
from wallets.deposits.admin.owner_panels import DepositsPanel, VirtualAccountsPanel
from wallets.deposits.models import Deposit, Payment
from wallets.freezes.admin import FreezesPanel, FrozenPanel
from wallets.ledger.admin.accounts import (
    deposits_link,
    statement_link,
    wallet_link,
    withdrawals_link,
)
from wallets.ledger.models import Account
from wallets.owners.admin import BalancesPanel
from wallets.receivables.admin import DebtsPanel
from wallets.reconciliation.models import ReconciliationBreak
from wallets.statements.admin import StatementPanel
from wallets.transfers.admin import WalletTransfersPanel
from wallets.treasury.models import TreasuryMovement
from wallets.withdrawals.admin.counterparty import CounterpartyPanel
from wallets.withdrawals.admin.owner_panel import WithdrawalsPanel
from wallets.withdrawals.models import Withdrawal

# Why money of an owner may not leave.
_BLOCKS = (FrozenPanel(), DebtsPanel())
_WALLET = LinksPanel(wallet_link, statement_link, deposits_link, withdrawals_link)
_COMMENTS = CommentsPanel()
_QUESTIONS = QuestionsPanel()

# What an owner has, in the order of the tables on its page.
_OWNED = (
    OpenOrdersPanel(),
    LoansPanel(),
    WithdrawalsPanel(),
    DepositsPanel(),
    WalletTransfersPanel(),
    ConversionsPanel(),
    VirtualAccountsPanel(),
    FreezesPanel(),
)
_OF_ORGANISATIONS = (MembersPanel(), ApiKeysPanel())
_EVENTS = EventsPanel(*_OWNED)
_OWNER_TABLES = (
    BalancesPanel(),
    TimelinePanel(*_OWNED, *_OF_ORGANISATIONS, _EVENTS),
    *_OWNED,
    *_OF_ORGANISATIONS,
    _EVENTS,
)

EVERYWHERE: tuple[Panel, ...] = (HistoryPanel(),)
PANELS: dict[type[Model], tuple[Panel, ...]] = {
    Organisation: (
        *_BLOCKS,
        LinksPanel(events_link, webhook_link),
        _WALLET,
        StatementPanel(),
        LinksPanel(orders_link, tokens_link, configurations_link, loans_link),
        FreezePanel(),
        TaxFactsPanel(),
        _COMMENTS,
        WebhookPanel(),
        *_OWNER_TABLES,
    ),
    Member: (
        *_BLOCKS,
        _WALLET,
        StatementPanel(),
        LinksPanel(orders_link, loans_link),
        FreezePanel(),
        TaxFactsPanel(),
        _COMMENTS,
        *_OWNER_TABLES,
    ),
    Token: (DistributionsPanel(),),
    Account: _BLOCKS,
    BankAccount: (CounterpartyPanel(),),
    Order: (OrderTimelinePanel(), FillsPanel()),
    Withdrawal: (_QUESTIONS, _COMMENTS),
    Deposit: (LinksPanel(line_link), _QUESTIONS, _COMMENTS),
    TreasuryMovement: (LinksPanel(line_link),),
    AdjustingEntry: (LinksPanel(line_link),),
    Payment: (_COMMENTS,),
    ReconciliationBreak: (AdjustmentsPanel(), _COMMENTS),
}


def panels_of(model: type[Model]) -> Sequence[Panel]:
    """Return the panels of the pages of `model`, in their order."""
    return PANELS.get(model, ()) + EVERYWHERE
