"""Assignment of panels to record pages, in display order."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Model

from credit.configurations.admin.configurations import configurations_link
from credit.loans.admin.loans import loans_link
from exchange.admin.panels import LinksPanel, Panel
from exchange.audit.admin.history import HistoryPanel
from exchange.events.admin.links import events_link, webhook_link
from exchange.participants.models import Member, Organisation
from orders.book.admin.orders import orders_link, tokens_link
from wallets.ledger.admin.accounts import (
    deposits_link,
    statement_link,
    wallet_link,
    withdrawals_link,
)
from wallets.statements.admin import StatementPanel

_WALLET = LinksPanel(wallet_link, statement_link, deposits_link, withdrawals_link)

EVERYWHERE: tuple[Panel, ...] = (HistoryPanel(),)
PANELS: dict[type[Model], tuple[Panel, ...]] = {
    Organisation: (
        LinksPanel(events_link, webhook_link),
        _WALLET,
        StatementPanel(),
        LinksPanel(orders_link, tokens_link, configurations_link, loans_link),
    ),
    Member: (_WALLET, StatementPanel(), LinksPanel(orders_link, loans_link)),
}


def panels_of(model: type[Model]) -> Sequence[Panel]:
    """Return the panels of the pages of `model`, in their order."""
    return PANELS.get(model, ()) + EVERYWHERE
