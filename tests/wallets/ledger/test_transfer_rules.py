"""The rule of every kind of transfer, entered a second time, so that a slip is noticed.

What each rule refuses is tested where its record is; docs/ledger.md explains them.
"""

import pytest

from tests.environment.database import Connection

pytestmark = pytest.mark.django_db

# Kind: accounts that money may leave -> enter; reference, record and its states, and who posts it.
RULES = """
adjustment: clearing expenses fees treasury -> clearing expenses fees treasury
    adjustment:{id} of wallets_adjustingentry Approved (by its function)
conversion: available position -> available position fees
    conversion:{id} of wallets_conversion (by its function)
deposit: clearing unmatched -> available uncleared receivable
    deposit:{id} of wallets_deposit Completed Reversed
deposit_charge: expenses -> clearing
    deposit:{id}:charge of wallets_deposit Completed Reversed
deposit_clear: uncleared -> available receivable
    deposit:{id}:clear of wallets_deposit Completed Reversed
deposit_hold: available -> uncleared
    deposit:{id}:hold:% of wallets_deposit Completed Reversed
deposit_release: uncleared -> available receivable
    deposit:{id}:release:% of wallets_deposit Completed Reversed
deposit_reverse: available uncleared receivable -> clearing
    deposit:{id}:reverse% of wallets_deposit Completed Reversed
distribution_fund: available -> payable
    distribution:{id}:fund of credit_distribution Funded Paying Paid
distribution_pay: payable available lien -> available receivable tax lien issuance
    income:{id} of credit_income Paid Corrected
distribution_recover: available tax -> available
    income:{id}:recover:% of credit_income Due Paid
distribution_refund: payable -> available
    distribution:{id}:refund of credit_distribution Cancelled
loan_disburse: available loans -> available principal lien
    loan:{id}:disburse of credit_loan (by its function)
loan_liquidate: principal lien -> loans available
    loan:{id}:end% of credit_loan LIQUIDATED
loan_pledge: available -> lien
    loan:{id}:loan_pledge:% of credit_loan
loan_release: lien -> available
    loan:{id}:loan_release:% of credit_loan
loan_repay: available principal loans lien -> available interest loans
    loan:{id}:repay:% of credit_loan
loan_write_off: principal lien -> loans available
    loan:{id}:end of credit_loan WRITTEN_OFF
order_release: reserved -> available
    order:{id}:% of orders_order (by its function)
order_reserve: available -> reserved
    order:{id}:% of orders_order (by its function)
payment_refund: unmatched -> clearing
    payment:{id}:refund of wallets_payment Refunded
payment_unmatched: clearing expenses -> unmatched
    payment:{id}:unmatched of wallets_payment Unmatched Refunding Credited Refunded
provider_charge: expenses -> clearing
    withdrawal:{id}:charge of wallets_withdrawal Completed Reversed
raise_complete: raise unsold -> available
    raise:{id}:close of exchange_token completed (by its function)
raise_refund: raise fees available -> available unsold fees
    trade:{id}:refund of orders_trade cancelled
raise_sale: available reserved unsold fees -> available raise fees
    trade:{id} of orders_trade (by its function)
receivable_repay: available -> receivable
    receivable:{id}:% of wallets_account
receivable_write_off: expenses -> receivable
    write_off:{id} of wallets_receivablewriteoff Approved
trade: available reserved fees -> available reserved fees
    trade:{id} of orders_trade (by its function)
treasury: treasury clearing fees expenses position tax -> treasury clearing fees expenses position
    treasury:{id} of wallets_treasurymovement Approved (by its function)
units_issue: issuance -> unsold available
    token:{id}:issue of exchange_token
units_retire: unsold -> issuance
    token:{id}:retire of exchange_token cancelled
wallet_transfer: available -> available receivable
    transfer:{id} of wallets_wallettransfer (by its function)
withdrawal_hold: available -> escrow
    withdrawal:{id}:hold of wallets_withdrawal (by its function)
withdrawal_release: escrow -> available
    withdrawal:{id}:close of wallets_withdrawal Rejected Cancelled Failed
withdrawal_reverse: clearing -> available
    withdrawal:{id}:reverse of wallets_withdrawal Reversed
withdrawal_settle: escrow -> clearing fees
    withdrawal:{id}:close of wallets_withdrawal Completed Reversed
"""
_AS_TEXT = """
SELECT format(E'%s: %s -> %s\\n    %s of %s%s%s\\n', kind, array_to_string(leaves, ' '),
              array_to_string(enters, ' '), reference, record,
              CASE WHEN states <> '{}' THEN ' ' || array_to_string(states, ' ') END,
              CASE WHEN NOT by_service THEN ' (by its function)' END)
FROM wallets_transferrule ORDER BY kind COLLATE "C"
"""


def test_every_rule_of_transfers_is_the_one_intended(owner_connection: Connection):
    found = [text for (text,) in owner_connection.execute(_AS_TEXT).fetchall()]
    assert "".join(found) == RULES.lstrip()
