"""The roles that may view, and that may act on, every page of the back office.

Roles by letter: B back office, F finance approver, C credit officer, A auditor, D administrator,
S support.
The tables document what each role can do, so they name every URL and derive nothing from the code.
"""

from dataclasses import dataclass

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
    SUPPORT,
)

ROLE_OF = {
    "B": BACK_OFFICE,
    "F": FINANCE_APPROVER,
    "C": CREDIT_OFFICER,
    "A": AUDITOR,
    "D": ADMINISTRATOR,
    "S": SUPPORT,
}
ALL = "BFCADS"
# Everybody but support.
INSIDE = "BFCAD"
# A page that accepts only POST responds to GET with 405.
ONLY_POST = "only POST"


@dataclass(frozen=True, slots=True)
class Expected:
    """Letters of the roles that may GET and may POST."""

    viewers: str
    actors: str


# For each model: roles that view its list and records, and roles that may add one. The admin's own
# pages change and delete nothing; histories are for auditors and administrators. A POST to a list
# or a history is handled like a GET.
MODELS: dict[str, tuple[str, str]] = {
    "credit_distribution": (ALL, ""),
    "credit_loan": (ALL, ""),
    "credit_loanconfiguration": (ALL, "C"),
    "credit_taxfactsproposal": (INSIDE, ""),
    "credit_taxrate": (INSIDE, "BF"),
    "exchange_accessproposal": ("FAD", ""),
    "exchange_accessrecord": ("AD", ""),
    "exchange_apikey": (INSIDE, "D"),
    "exchange_change": ("AD", ""),
    "exchange_event": (ALL, ""),
    "exchange_loggedrequest": (ALL, ""),
    "exchange_readcount": (ALL, ""),
    "exchange_export": (INSIDE, ""),
    "exchange_member": (ALL, "BD"),
    "exchange_organisation": (ALL, "BD"),
    "exchange_quote": (ALL, "B"),
    "exchange_staffuser": ("FAD", "FD"),
    "exchange_token": (ALL, "B"),
    "exchange_webhookendpoint": (INSIDE, ""),
    "orders_order": (ALL, ""),
    "orders_trade": (ALL, ""),
    "wallets_account": (ALL, ""),
    "orders_termsproposal": (ALL, ""),
    "orders_tokenproposal": (ALL, ""),
    "wallets_alert": (INSIDE, ""),
    "wallets_bankaccount": (INSIDE, ""),
    "wallets_banklist": (INSIDE, "B"),
    "wallets_booksproof": (INSIDE, ""),
    "wallets_configuration": (INSIDE, ""),
    "wallets_settingchange": (INSIDE, ""),
    "wallets_conversion": (ALL, ""),
    "wallets_decision": (ALL, ""),
    "wallets_deposit": (ALL, "B"),
    "wallets_depositreversal": (ALL, ""),
    "wallets_entry": (ALL, ""),
    "wallets_freeze": (ALL, ""),
    "wallets_payment": (ALL, ""),
    "wallets_payout": (ALL, ""),
    "wallets_proposal": (ALL, ""),
    "wallets_providerevent": (INSIDE, ""),
    "wallets_receivable": (ALL, ""),
    "wallets_receivablewriteoff": (ALL, ""),
    "wallets_reconciliation": (INSIDE, "BF"),
    "wallets_reconciliationbreak": (INSIDE, ""),
    "wallets_transfer": (ALL, ""),
    "wallets_treasurymovement": (INSIDE, "F"),
    "wallets_wallettransfer": (ALL, ""),
    "wallets_virtualaccount": (ALL, ""),
    "wallets_withdrawal": (ALL, ""),
}

# Every other address: who may look, who may act.
PAGES: dict[str, tuple[str, str]] = {
    # Of the site, and a person's own.
    "index": (ALL, ALL),
    "app_list": (ALL, ALL),
    "help": (ALL, ""),
    "search": (ALL, ""),
    "jsi18n": (ALL, ""),
    "autocomplete": (ALL, ""),
    "view_on_site": (ALL, ALL),
    "password_change": (ALL, ALL),
    "password_change_done": (ALL, ""),
    "resume": (ALL, ""),
    "second_factor": (ALL, ALL),
    "sessions": (ALL, ""),
    "end_sessions": (ONLY_POST, ALL),
    "recovery_codes": (ONLY_POST, ALL),
    "anything else": (ALL, ALL),
    # The next record of a queue, for those who decide about it.
    "credit_distribution_next": ("F", ""),
    "credit_loan_next": ("C", ""),
    "credit_loanconfiguration_next": ("C", ""),
    "exchange_accessproposal_next": ("FD", ""),
    "exchange_quote_next": ("F", ""),
    "wallets_deposit_next": ("F", ""),
    "wallets_depositreversal_next": ("F", ""),
    "wallets_payment_next": ("F", ""),
    "wallets_proposal_next": ("F", ""),
    "wallets_reconciliationbreak_next": ("F", ""),
    "wallets_settingchange_next": ("F", ""),
    "wallets_withdrawal_next": ("F", ""),
    # Loans and the terms they are made on.
    "credit_loan_liquidate": ("C", "C"),
    "credit_loan_write_off": ("C", "C"),
    "credit_loan_confirm": ("C", "C"),
    "credit_loan_decline": ("C", "C"),
    "credit_loan_export": ("BFCA", "BFCA"),
    "credit_loanconfiguration_propose": ("C", "C"),
    "credit_loanconfiguration_retire": ("C", "C"),
    "credit_loanconfiguration_approve": ("C", "C"),
    "credit_loanconfiguration_reject": ("C", "C"),
    # What investments pay.
    "credit_distribution_change_terms": ("BF", "BF"),
    "credit_distribution_propose_funding": ("BF", "BF"),
    "credit_distribution_propose_cancellation": ("BF", "BF"),
    "credit_distribution_propose_assignment": ("BF", "BF"),
    "credit_distribution_propose_correction": ("BF", "BF"),
    "credit_distribution_approve": ("F", "F"),
    "credit_distribution_reject": ("F", "F"),
    "credit_taxfactsproposal_approve": ("F", "F"),
    "credit_taxfactsproposal_next": ("F", ""),
    "credit_taxfactsproposal_reject": ("F", "F"),
    "credit_taxrate_approve": ("F", "F"),
    "credit_taxrate_next": ("F", ""),
    "credit_taxrate_reject": ("F", "F"),
    "credit_taxrate_withheld_tax": (INSIDE, ""),
    "exchange_token_distribution": ("BF", "BF"),
    # Who takes part, and by what.
    "exchange_organisation_edit": ("BD", "BD"),
    "exchange_organisation_tax_details": ("BF", "BF"),
    "exchange_organisation_activate": ("BD", "BD"),
    "exchange_organisation_deactivate": ("BD", "BD"),
    "exchange_member_edit": ("BD", "BD"),
    "exchange_member_tax_details": ("BF", "BF"),
    "exchange_organisation_timeline": (ALL, ""),
    "exchange_member_timeline": (ALL, ""),
    "exchange_organisation_freeze": ("BF", "BF"),
    "exchange_member_freeze": ("BF", "BF"),
    "exchange_organisation_account_statement": (ALL, ALL),
    "exchange_member_account_statement": (ALL, ALL),
    **{
        f"{model}_comment": ("BFCDS", "BFCDS")
        for model in (
            "exchange_member",
            "exchange_organisation",
            "wallets_deposit",
            "wallets_payment",
            "wallets_withdrawal",
        )
    },
    "wallets_reconciliationbreak_comment": ("BFCD", "BFCD"),
    "exchange_apikey_token": ("D", "D"),
    "exchange_apikey_rotate": ("D", "D"),
    "exchange_apikey_revoke": ("D", "D"),
    "exchange_apikey_revoke_token": ("D", "D"),
    "exchange_event_redeliver": (ONLY_POST, "BD"),
    "exchange_webhookendpoint_test": (ONLY_POST, "BD"),
    "exchange_webhookendpoint_send_again": ("BD", "BD"),
    "exchange_webhookendpoint_enable": ("BD", "BD"),
    "exchange_webhookendpoint_disable": ("BD", "BD"),
    # The audit and files. Only auditors find other users' files; reading progress changes nothing.
    "exchange_change_export": ("AD", "AD"),
    "exchange_export_download": (INSIDE, ""),
    "exchange_export_progress": (INSIDE, INSIDE),
    # Staff. Finance approvers propose to restore an administrator, as the person of the world is.
    "exchange_staffuser_details": ("D", "D"),
    "exchange_staffuser_role": ("D", "D"),
    "exchange_staffuser_invitation": ("FD", "FD"),
    "exchange_staffuser_reset": ("FD", "FD"),
    "exchange_staffuser_unlock": ("D", "D"),
    "exchange_staffuser_deactivate": ("D", "D"),
    "exchange_staffuser_activate": ("FD", "FD"),
    # Privileged access.
    "exchange_accessproposal_confirm": ("FD", "FD"),
    "exchange_accessproposal_reject": ("FD", "FD"),
    "exchange_accessproposal_cancel": ("FD", "FD"),
    "exchange_accessproposal_collect": ("FD", "FD"),
    # Tokens and their prices.
    "exchange_token_edit": ("B", "B"),
    "exchange_token_quote": ("B", "B"),
    "exchange_token_terms": ("B", "B"),
    "exchange_token_grant": ("B", "B"),
    "exchange_token_withdraw": ("B", "B"),
    "exchange_token_close": ("F", "F"),
    "exchange_token_reopen": ("F", "F"),
    "exchange_token_complete": ("F", "F"),
    "exchange_token_secondaries": ("F", "F"),
    "exchange_token_exit": ("F", "F"),
    "exchange_token_cancel": ("F", "F"),
    "orders_termsproposal_approve": ("F", "F"),
    "orders_termsproposal_next": ("F", ""),
    "orders_termsproposal_reject": ("F", "F"),
    "orders_tokenproposal_confirm": ("F", "F"),
    "orders_tokenproposal_next": ("F", ""),
    "orders_tokenproposal_reject": ("F", "F"),
    "exchange_quote_approve": ("F", "F"),
    "exchange_quote_reject": ("F", "F"),
    # Money.
    "wallets_alert_resolve": ("BFD", "BFD"),
    "wallets_banklist_refresh": (ONLY_POST, "B"),
    "wallets_configuration_by_currency": (INSIDE, ""),
    "wallets_configuration_propose": ("B", "B"),
    "wallets_settingchange_approve": ("F", "F"),
    "wallets_settingchange_reject": ("F", "F"),
    "wallets_settingchange_cancel": ("B", "B"),
    "wallets_settingchange_request_cancellation": ("BF", "BF"),
    "wallets_settingchange_dismiss_cancellation": ("BF", "BF"),
    "wallets_settingchange_confirm_cancellation": ("F", "F"),
    "wallets_deposit_confirm": ("F", "F"),
    "wallets_deposit_reject": ("F", "F"),
    "wallets_deposit_reverse": ("F", "F"),
    "wallets_deposit_dispute": ("F", "F"),
    "wallets_depositreversal_confirm": ("F", "F"),
    "wallets_depositreversal_reject": ("F", "F"),
    "wallets_payment_check": (ONLY_POST, "F"),
    "wallets_deposit_check": (ONLY_POST, "F"),
    "wallets_payment_propose_assign": ("F", "F"),
    "wallets_payment_propose_refund": ("F", "F"),
    "wallets_payment_propose_refunded": ("F", "F"),
    "wallets_payment_propose_not_refunded": ("F", "F"),
    "wallets_payment_confirm": ("F", "F"),
    "wallets_payment_reject": ("F", "F"),
    "orders_trade_export": ("BFCA", "BFCA"),
    "wallets_account_export": ("BFCA", "BFCA"),
    "wallets_account_trial_balance": (ALL, ""),
    "credit_distribution_calendar": (ALL, ""),
    "wallets_conversion_export": ("BFCA", "BFCA"),
    "wallets_deposit_export": ("BFCA", "BFCA"),
    "wallets_deposit_cancel": ("B", "B"),
    "wallets_entry_export": ("BFCA", "BFCA"),
    "wallets_entry_general_ledger": (ALL, ""),
    "wallets_freeze_lift": ("F", "F"),
    "wallets_freeze_next": ("F", ""),
    "wallets_freeze_confirm": ("F", "F"),
    "wallets_freeze_reject": ("F", "F"),
    "wallets_freeze_export": ("BFCA", "BFCA"),
    "wallets_payout_export": ("BFCA", "BFCA"),
    "wallets_receivable_export": ("BFCA", "BFCA"),
    "wallets_receivable_write_off": ("F", "F"),
    "wallets_receivablewriteoff_confirm": ("F", "F"),
    "wallets_receivablewriteoff_next": ("F", ""),
    "wallets_receivablewriteoff_reject": ("F", "F"),
    "wallets_transfer_export": ("BFCA", "BFCA"),
    "wallets_treasurymovement_confirm": ("F", "F"),
    "wallets_treasurymovement_export": ("BFCA", "BFCA"),
    "wallets_treasurymovement_next": ("F", ""),
    "wallets_treasurymovement_reject": ("F", "F"),
    "wallets_wallettransfer_export": ("BFCA", "BFCA"),
    "wallets_withdrawal_export": ("BFCA", "BFCA"),
    "wallets_withdrawal_bulk": ("F", "F"),
    "wallets_withdrawal_decided": ("F", "F"),
    "wallets_withdrawal_approve": ("F", "F"),
    "wallets_withdrawal_reject": ("F", "F"),
    "wallets_withdrawal_details": ("F", "F"),
    "wallets_withdrawal_propose": (ONLY_POST, "F"),
    "wallets_withdrawal_confirm": ("F", "F"),
    "wallets_withdrawal_decline": ("F", "F"),
    "wallets_reconciliationbreak_explain": ("F", "F"),
    "wallets_reconciliationbreak_take": (ONLY_POST, "F"),
    "wallets_reconciliationbreak_assign": ("F", "F"),
    "wallets_reconciliationbreak_close": ("F", "F"),
    "wallets_reconciliationbreak_reject": ("F", "F"),
    "wallets_reconciliation_again": (ONLY_POST, "BF"),
    "wallets_reconciliation_progress": (INSIDE, INSIDE),
    "wallets_reconciliation_export": (ONLY_POST, "BFCA"),
}

# What a list does with the rows that are ticked, by Django's own action as well: who has it.
ACTIONS: dict[str, str] = {
    "wallets_withdrawal: approve_selected": "F",
    "wallets_withdrawal: reject_selected": "F",
    "wallets_withdrawal: reverse_selected": "F",
    **{f"{model}: delete_selected": "" for model in MODELS},
}

# Pages of signing in and out, open to those who are not in yet; what each of them does is in
# `tests/config/back_office/test_signin.py`.
OUTSIDE = {"login", "logout", "code", "enrol", "welcome"}

# Pages about a step that the record of `every_record` does not allow: they lead back to it.
LEAD_ON = {
    "resume",
    "credit_loan_liquidate",
    "credit_loan_write_off",
    "credit_loanconfiguration_retire",
    "exchange_accessproposal_cancel",
    "exchange_apikey_revoke_token",
    "exchange_export_download",
    "exchange_organisation_activate",
    "exchange_token_cancel",
    "exchange_token_complete",
    "exchange_token_exit",
    "exchange_token_reopen",
    "exchange_token_secondaries",
    "exchange_webhookendpoint_enable",
    "exchange_webhookendpoint_send_again",
    "wallets_deposit_cancel",
    "wallets_deposit_dispute",
    "wallets_deposit_reverse",
    "wallets_freeze_lift",
    "wallets_payment_propose_not_refunded",
    "wallets_payment_propose_refunded",
    "wallets_reconciliationbreak_explain",
    "wallets_settingchange_cancel",
    "wallets_settingchange_confirm_cancellation",
    "wallets_settingchange_dismiss_cancellation",
    "wallets_settingchange_request_cancellation",
    "wallets_withdrawal_bulk",
    "wallets_withdrawal_decided",
    "wallets_withdrawal_details",
}

# All that an auditor's POST may change: requested exports and the auditor's own recovery codes.
AUDITOR_LEAVES = {
    "credit_loan_export": {"exchange_export", "exchange_change"},
    "orders_trade_export": {"exchange_export", "exchange_change"},
    "wallets_account_export": {"exchange_export", "exchange_change"},
    "wallets_conversion_export": {"exchange_export", "exchange_change"},
    "wallets_deposit_export": {"exchange_export", "exchange_change"},
    "wallets_entry_export": {"exchange_export", "exchange_change"},
    "wallets_freeze_export": {"exchange_export", "exchange_change"},
    "wallets_payout_export": {"exchange_export", "exchange_change"},
    "wallets_receivable_export": {"exchange_export", "exchange_change"},
    "wallets_transfer_export": {"exchange_export", "exchange_change"},
    "wallets_treasurymovement_export": {"exchange_export", "exchange_change"},
    "wallets_wallettransfer_export": {"exchange_export", "exchange_change"},
    "wallets_withdrawal_export": {"exchange_export", "exchange_change"},
    "wallets_reconciliation_export": {"exchange_export", "exchange_change"},
}


def expectations() -> dict[str, Expected]:
    """Return the expectation for every URL, by its name."""
    found = {name: Expected(*who) for name, who in PAGES.items()}
    for model, (look, add) in MODELS.items():
        found |= {
            f"{model}_changelist": Expected(look, look),
            f"{model}_add": Expected(add, add),
            f"{model}_change": Expected(look, ""),
            f"{model}_delete": Expected("", ""),
            f"{model}_history": Expected("AD", "AD"),
            # Leads to the record's page, whether there is one or not.
            f"{model} by its id": Expected(ALL, ALL),
        }
    return found
