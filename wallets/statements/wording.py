"""Movements in words that an account's owner understands."""

from collections.abc import Callable
from decimal import Decimal

from exchange.core.currencies import format_money
from exchange.core.numbers import format_units
from wallets.ledger.models import TransferKind
from wallets.statements.selectors import Movement, Statement

_Words = Callable[["_Facts"], str]


class _Facts:
    """What the words of one movement need."""

    def __init__(self, movement: Movement, currency: str) -> None:
        self.movement = movement
        self._currency = currency

    @property
    def comes_in(self) -> bool:
        return self.movement.change.total > 0

    @property
    def memo(self) -> str:
        return self.movement.memo

    @property
    def bank(self) -> str:
        return f" to {self.movement.bank}" if self.movement.bank else ""

    @property
    def moved(self) -> str:
        """What became available, or ceased to be."""
        return self.money(abs(self.movement.change.available))

    @property
    def fee(self) -> str:
        return f"; fee {self.money(self.movement.fee)}" if self.movement.fee else ""

    @property
    def units(self) -> str:
        return f"{format_units(abs(self.movement.units))} of {self.memo}"

    def money(self, amount: Decimal) -> str:
        return format_money(amount, self._currency)


def describe(statement: Statement, movement: Movement) -> str:
    """Return the words of a movement, with the amount where it leaves the balance unchanged."""
    words = _WORDS.get(movement.kind)
    if words is None:
        return str(TransferKind(movement.kind).label)
    return words(_Facts(movement, statement.currency))


def _either(received: str, sent: str) -> _Words:
    return lambda facts: received if facts.comes_in else sent


def _side(facts: _Facts) -> str:
    return "recovered" if facts.comes_in else "taken back"


def _traded(facts: _Facts) -> str:
    return f"{'Bought' if facts.movement.units > 0 else 'Sold'} {facts.units}"


# By kind of transfer. Kinds without words never move an owner's money; a test compares them.
_WORDS: dict[str, _Words] = {
    "deposit": lambda _: "Deposit received",
    "deposit_clear": lambda f: f"Deposit cleared: {f.moved} available",
    "deposit_charge": lambda _: "Fee of the payment provider for a deposit",
    "deposit_hold": lambda f: f"Deposit disputed by the payer's bank: {f.moved} held",
    "deposit_release": lambda f: f"Dispute of a deposit closed: {f.moved} available again",
    "deposit_reverse": lambda _: "Deposit taken back by the payer's bank",
    "receivable_repay": lambda f: f"Debt repaid: {f.moved}",
    "receivable_write_off": lambda _: "Debt written off",
    "withdrawal_hold": lambda f: f"Withdrawal requested: {f.moved} set aside",
    "withdrawal_settle": lambda f: f"Withdrawal paid{f.bank}{f.fee}",
    "withdrawal_release": lambda f: f"Withdrawal not paid: {f.moved} available again",
    "withdrawal_reverse": lambda _: "Withdrawal returned by the bank",
    "wallet_transfer": _either("Transfer received", "Transfer sent"),
    "conversion": _either("Converted from another currency", "Converted to another currency"),
    "order_reserve": lambda f: f"Order for {f.memo}: {f.moved} set aside",
    "order_release": lambda f: f"Order closed or amended: {f.moved} available again",
    "trade": _traded,
    "raise_sale": lambda f: f"{_traded(f)} from the issuer",
    "raise_complete": lambda f: f"Proceeds of the raise of {f.memo}",
    "raise_refund": lambda _: "Purchase refunded: the raise was cancelled",
    "loan_disburse": _either("Loan received", "Loan paid out to a borrower"),
    "loan_repay": _either("Loan repayment received", "Loan repaid"),
    "distribution_pay": lambda f: f.memo,
    "distribution_fund": lambda f: f"Distribution funded: {f.memo}",
    "distribution_recover": lambda f: f"Paid too much, {_side(f)}: {f.memo}",
    "distribution_refund": lambda f: f"Distribution cancelled: {f.memo}",
}
