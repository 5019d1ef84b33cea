"""Connects the pages of transfers and entries with the records transfers are about."""

from wallets.deposits.selectors import find_deposit_ids
from wallets.ledger.admin.search import TransferSearch
from wallets.ledger.admin.transfers import TransferAdmin
from wallets.withdrawals.selectors.withdrawals import find_by_reference, payee_subquery

TransferSearch.subject_finders = (find_by_reference, find_deposit_ids)
TransferAdmin.payee_name = payee_subquery("subject_id")
