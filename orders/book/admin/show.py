"""Admin links to owners of orders, and the ledger entries of orders and trades."""

from collections.abc import Collection
from uuid import UUID

from django.urls import reverse
from django.utils.safestring import SafeString

from exchange.admin.base import Section, Tool
from exchange.admin.display import record_link
from exchange.tokens.models import Token
from orders.book.models import Order
from wallets.ledger.admin.legs import transfer_legs_section


def owner_link(order: Order) -> SafeString:
    """Return the owner's name as a link to the owner's page."""
    return record_link(order.member or order.organisation)


def list_ledger_legs(subjects: Collection[UUID], token: Token) -> Section:
    """List the legs of the ledger transfers about any of `subjects`."""
    return transfer_legs_section(subjects, symbols={str(token.pk): token.symbol})


def list_link(name: str, term: object, label: str) -> Tool:
    """Link to the list `name` (`orders_order`), searched for `term`."""
    return Tool(label, f"{reverse(f'admin:{name}_changelist')}?q={term}")
