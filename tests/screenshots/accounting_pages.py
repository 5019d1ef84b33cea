"""Pages of accountants and approvers: inbox, treasury, bank statements, rates and period end."""

from config.back_office.roles import AUDITOR, BACK_OFFICE, CREDIT_OFFICER, FINANCE_APPROVER
from tests.screenshots.screenshot import Screenshot, at, first_record

_LINES = "wallets/statementline/"
_PENDING = "wallets/withdrawal/?status=Pending"

SCREENSHOTS: tuple[Screenshot, ...] = (
    Screenshot("inbox", at(FINANCE_APPROVER, "inbox/")),
    Screenshot("inbox-credit", at(CREDIT_OFFICER, "inbox/")),
    Screenshot("approvals", at(AUDITOR, "approvals/")),
    Screenshot("email", at(FINANCE_APPROVER, "email/")),
    Screenshot("treasury", at(FINANCE_APPROVER, "wallets/reconciliation/treasury/")),
    Screenshot(
        "treasury-currency", at(FINANCE_APPROVER, "wallets/reconciliation/treasury/?currency=NGN")
    ),
    Screenshot("rates", at(BACK_OFFICE, "wallets/configuration/rates/")),
    Screenshot("loan-book", at(CREDIT_OFFICER, "credit/loan/book/")),
    Screenshot("withdrawal-ask", first_record(FINANCE_APPROVER, _PENDING, "ask/")),
    Screenshot(
        "bank-record-verify", first_record(FINANCE_APPROVER, "wallets/bankaccount/", "verify/")
    ),
    Screenshot("own-bank-accounts", at(FINANCE_APPROVER, "wallets/ownbankaccount/")),
    Screenshot("own-bank-account", first_record(FINANCE_APPROVER, "wallets/ownbankaccount/")),
    Screenshot("bank-statement-files", at(FINANCE_APPROVER, "wallets/statementfile/")),
    Screenshot("bank-statement-file", first_record(FINANCE_APPROVER, "wallets/statementfile/")),
    Screenshot("bank-statement-line", first_record(FINANCE_APPROVER, f"{_LINES}?q=GTB/2026")),
    Screenshot(
        "bank-statement-line-matched", first_record(FINANCE_APPROVER, f"{_LINES}?q=FT26331QK7N1")
    ),
    Screenshot(
        "bank-statement-line-deposit",
        first_record(BACK_OFFICE, f"{_LINES}?q=FT26332BB0417", "propose-deposit/"),
    ),
    Screenshot(
        "adjusting-entry-review",
        first_record(FINANCE_APPROVER, "wallets/adjustingentry/?status__exact=Pending"),
    ),
    Screenshot("period-close", first_record(FINANCE_APPROVER, "wallets/periodclose/")),
    Screenshot("period-close-add", at(FINANCE_APPROVER, "wallets/periodclose/add/")),
    Screenshot("search-bank", at(FINANCE_APPROVER, "search/?q=equity+bank")),
    Screenshot("search-filters", at(FINANCE_APPROVER, "search/?q=amount>1k+currency:NGN")),
)
