"""What the pages of transfers and entries know of the records that transfers are about."""

from __future__ import annotations

from wallets.deposits.selectors import deposits_called
from wallets.ledger.admin.finding import FindsTransfers
from wallets.ledger.admin.transfers import TransferAdmin
from wallets.withdrawals.selectors.withdrawals import find_by_reference, payee_subquery

FindsTransfers.subjects_called = (find_by_reference, deposits_called)
TransferAdmin.payee_name = payee_subquery("subject_id")
