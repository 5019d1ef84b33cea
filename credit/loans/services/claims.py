"""Claims of creditors on the proceeds of units that a liquidation left in lien.

`claim` of a loan is what the liquidation did not cover. What the units pay goes to the creditor up
to it, and the rest to the borrower. Units leave the lien as a final distribution pays for them, or
once the claim is paid.
"""

from decimal import Decimal
from uuid import UUID

from django.db.models import F

from credit.loans.models import Collateral, Loan
from credit.loans.services.closures import lapse_proposals, units_in_lien
from credit.loans.services.lending import lien_legs
from credit.loans.services.valuation import Pledge
from exchange.core.actors import Actor
from exchange.core.ids import uuid7
from wallets.ledger.models import TransferKind
from wallets.ledger.posting import Posting


def receive_proceeds(
    loan_id: UUID, amount: Decimal, *, token_id: UUID, units: Decimal, actor: Actor
) -> list[Posting]:
    """Reduce the claim by what the creditor receives; `units` of the token are taken back for it.

    Return the transfer that releases the other units, once the claim is paid. The caller has locked
    the loan, and posts it with the payment.
    """
    loan = Loan.objects.select_related("borrower").get(pk=loan_id)
    loan.claim -= amount
    loan.save(update_fields=["claim"])
    rows = Collateral.objects.filter(loan=loan)
    if units:
        rows.filter(token_id=token_id).update(claimed=F("claimed") - units)
    if loan.claim:
        return []
    lapse_proposals(loan)
    left = tuple(Pledge(token.id, held) for _row, token, held in units_in_lien(loan))
    rows.update(claimed=0)
    if not left:
        return []
    return [
        Posting(
            kind=TransferKind.LOAN_RELEASE,
            reference=f"loan:{loan.id}:loan_release:{uuid7()}",
            subject_id=loan.id,
            actor=actor,
            legs=lien_legs(loan.borrower, left, release=True),
        )
    ]
