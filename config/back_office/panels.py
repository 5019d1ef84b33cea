"""Assignment of panels to record pages, in display order."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Model

from credit.configurations.admin.configurations import configurations_link
from credit.loans.admin.loans import loans_link
from exchange.admin.panels import LinksPanel, Panel
from exchange.audit.admin.history import HistoryPanel
from exchange.comments.admin import CommentsPanel
from exchange.events.admin.links import events_link, webhook_link
from exchange.participants.models import Member, Organisation
from orders.book.admin.orders import orders_link, tokens_link
from wallets.deposits.models import Deposit, Payment
from wallets.ledger.admin.accounts import (
    deposits_link,
    statement_link,
    wallet_link,
    withdrawals_link,
)
from wallets.reconciliation.models import ReconciliationBreak
from wallets.statements.admin import StatementPanel
from wallets.withdrawals.models import Withdrawal

_WALLET = LinksPanel(wallet_link, statement_link, deposits_link, withdrawals_link)

_COMMENTS = CommentsPanel()

EVERYWHERE: tuple[Panel, ...] = (HistoryPanel(),)
PANELS: dict[type[Model], tuple[Panel, ...]] = {
    Organisation: (
        LinksPanel(events_link, webhook_link),
        _WALLET,
        StatementPanel(),
        LinksPanel(orders_link, tokens_link, configurations_link, loans_link),
        _COMMENTS,
    ),
    Member: (_WALLET, StatementPanel(), LinksPanel(orders_link, loans_link), _COMMENTS),
    Withdrawal: (_COMMENTS,),
    Deposit: (_COMMENTS,),
    Payment: (_COMMENTS,),
    ReconciliationBreak: (_COMMENTS,),
}


def panels_of(model: type[Model]) -> Sequence[Panel]:
    """Return the panels of the pages of `model`, in their order."""
    return PANELS.get(model, ()) + EVERYWHERE
