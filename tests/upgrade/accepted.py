"""Changes since the last release that a running process of it does not survive.

Each needs a stop of the service, which docs/operations/upgrade.md announces. The lists begin empty
after a release. Add no line for what can be done in two steps (CONTRIBUTING.md). Processes of the
last commit that changed this file, and of every later one, survive: `make upgrade-test` starts
with it.
"""

from __future__ import annotations

# Migrations, and why each is not done in two steps.
MIGRATIONS = {
    "wallets.0002_payout_names": "renames columns of payouts, alerts and provider events",
    "wallets.0003_setting_changes": "renames models, columns and stored values of settings changes",
    "wallets.0005_review_flags": "renames a column and the flags that decisions store",
    "wallets.0012_account_kinds": "replaces the rule of balances by one that also knows debts",
    "wallets.0019_deposits": "renames the states of deposits",
    "wallets.0006_status_names": "renames stored states of settings changes and reconciliations",
    "exchange.0006_sign_in_attempts": "renames a column of the sign-in counters",
    "exchange.0007_export_status": "renames a stored state of exports",
    "credit.0004_closure_names": "builds an index of closure proposals again under its new name",
}

_RENAMED = "was renamed"
_BATCHED = "was replaced by the batched function"
_INNER = "is used among the functions of order placement only"
# Functions and columns of types that the previous release may use, and what became of them.
ROUTINES = {
    "function accounts_to_move(orders_order,order_terms,order_match)": _INNER,
    "function figure_in_force(text,timestamp with time zone)": _RENAMED,
    "function legs_of_order(orders_order,order_terms,order_fill[],uuid[])": _INNER,
    "function request_withdrawal(jsonb,integer,interval,integer,text)": _BATCHED,
    "function request_withdrawals(jsonb,integer,text)": _BATCHED,
    "function store_idempotent_answer(uuid,text,text,text,integer,text,text)": _RENAMED,
    "function told_actor(text,text,boolean)": _RENAMED,
    "function wallet_transfer_justified(wallets_transfer)": "is called by a trigger only",
    "function withdrawal_event_user(uuid,uuid)": _RENAMED,
    "function withdrawal_figures(text)": _RENAMED,
    "type idempotency_claim.body_hash": _BATCHED,
    "type idempotency_claim.key": _BATCHED,
    "type idempotency_claim.method": _BATCHED,
    "type idempotency_claim.organisation": _BATCHED,
    "type idempotency_claim.path": _BATCHED,
    "type idempotency_claim.request": _BATCHED,
    "type order_request.owner_model": "was never read",
    "type order_terms.member_known": _INNER,
    "type withdrawal_order.given_name": _RENAMED,
}
