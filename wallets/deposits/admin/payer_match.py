"""The payer of a payment, compared with the owner that it is proposed for."""

from collections.abc import Iterator

from exchange.admin.display import status_badge
from exchange.core.currencies import format_money
from exchange.participants.models import Member, Organisation
from wallets.banks.admin.name_matching import match_tone
from wallets.banks.name_matching import compare_names, names_agree
from wallets.deposits.models import Payment
from wallets.freezes.selectors import find_freeze
from wallets.receivables.services.repayments import amount_owed

_NO_NAME = "Provider returned no payer name"


def payer_match(payment: Payment, owner: Member | Organisation) -> tuple[str, object]:
    """Return the match of payer and owner as a fact of a page."""
    if not payment.payer_name:
        return "Name match", status_badge(_NO_NAME, "waiting")
    match = compare_names(str(owner), payment.payer_name)
    return "Name match", status_badge(match.label, match_tone(match))


def assignment_warnings(payment: Payment, owner: Member | Organisation) -> Iterator[str]:
    """Yield what calls for caution before the payment is credited to `owner`."""
    if not payment.payer_name:
        yield f"{_NO_NAME}."
    elif not names_agree(str(owner), payment.payer_name):
        match = compare_names(str(owner), payment.payer_name)
        yield (
            f"Payer is not the wallet owner. Payer: {payment.payer_name}; owner: {owner};"
            f" match: {match.label}."
        )
    freeze = find_freeze(owner.pk, payment.currency_code)
    if freeze is not None:
        yield f"The account is frozen: {freeze.reason.rstrip('.')}."
    owed = amount_owed(owner.pk, payment.currency_code)
    if owed:
        money = format_money(owed, payment.currency_code)
        yield f"The owner owes {money}, which this credit repays first."
