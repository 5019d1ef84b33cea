"""What the pages of transfers and entries know of the records that transfers are about."""

from __future__ import annotations

from wallets.deposits.selectors import deposits_called
from wallets.ledger.admin.finding import FindsTransfers
from wallets.ledger.admin.transfers import TransferAdmin
from wallets.withdrawals.selectors.withdrawals import payee_of, withdrawals_called

FindsTransfers.subjects_called = (withdrawals_called, deposits_called)
TransferAdmin.payee_name = payee_of("subject_id")
