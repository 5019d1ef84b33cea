"""Run one step of a payout in a process of its own.

`python -m tests.environment.payout_step STEP [ID]`.

For tests that kill their database and so cannot use the test process's own. Prints JSON.
"""

import json
import sys
from typing import Any
from uuid import UUID

import django


def main() -> None:
    django.setup()
    # Models can be imported only now.
    from config.books import WALLET_CHECKS
    from tests.factories import payouts as tools
    from tests.factories import wallets as dataset
    from wallets.ledger import proof as books
    from wallets.payouts.services import execution as payouts
    from wallets.payouts.services import sweeps
    from wallets.withdrawals.models import Withdrawal

    def state(withdrawal: Withdrawal) -> dict[str, Any]:
        available, escrow = dataset.Wallet(withdrawal.organisation, withdrawal.member).kes
        return {
            "id": str(withdrawal.id),
            "reference": withdrawal.reference,
            "status": withdrawal.status,
            "available": str(available.normalize()),
            "escrow": str(escrow.normalize()),
            "findings": [str(finding) for finding in books.prove(WALLET_CHECKS).findings],
        }

    step = sys.argv[1]
    if step == "prepare":
        dataset.store_bank_list()
        withdrawal = dataset.make_approved_withdrawal(dataset.make_member_wallet(1000))
    else:
        withdrawal = Withdrawal.objects.get(id=UUID(sys.argv[2]))
        if step == "pay":
            payouts.send_payout(withdrawal.id)
        elif step == "later":
            tools.advance_time(withdrawal, 3600)
            sweeps.process_payout(withdrawal.id)
    print(json.dumps(state(Withdrawal.objects.get(id=withdrawal.id))))


if __name__ == "__main__":
    main()
