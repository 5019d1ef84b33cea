"""The modules that get a mark by their place: `standalone` and `pages`.

All paths are below `tests`.
"""

import re
from pathlib import Path

# Modules with a server of their own, and modules about requests, the provider, connections, files
# or rules whose SQL is already tested elsewhere.
STANDALONE = (
    "faults/test_database_kill.py",
    "faults/test_replica.py",
    "faults/test_replica_faults.py",
    "faults/test_replica_processes.py",
    "contract/test_schemathesis.py",
    "contract/test_orders_schema.py",
    "contract/test_own_wording.py",
    "contract/test_withdrawal_bad_input.py",
    "contract/test_orders_bad_input.py",
    "contract/test_tokens_bad_input.py",
    "faults/test_outage.py",
    "faults/test_circuit.py",
    "faults/test_status_check_faults.py",
    "faults/test_transfer_faults.py",
    "faults/test_missing_payouts.py",
    "faults/test_confirmations.py",
    "faults/test_returns.py",
    "cluster/test_front.py",
    "restore",
    "faults/test_exports.py",
    "faults/test_unreachable_services.py",
    "config/local/demo/test_demo.py",
    "config/local/demo/test_demo_loading.py",
    "config/local/demo/test_demo_catalogue.py",
    "config/back_office/test_create_staff.py",
    "config/test_cooling_off.py",
    "config/back_office/test_export_columns.py",
    "config/back_office/test_help.py",
    "config/test_landing.py",
    "config/test_shared_rate_limits.py",
    # test_exposition.py runs every reading.
    "config/metrics/test_prometheus.py",
    "clients/test_guide_examples.py",
    "benchmarks",
    "mutants",
    "contract/test_query_parameters.py",
    "exchange/participants/test_access_services.py",
    "exchange/participants/test_member_services.py",
    "exchange/events/test_events_api.py",
    "wallets/providers/test_webhook_endpoint.py",
    "wallets/deposits/test_deposit.py",
    "orders/listings/test_load_tokens.py",
    "wallets/withdrawals/test_reasons.py",
    # What the provider says, and what we make of it.
    "wallets/payouts/test_execution.py",
    "wallets/payouts/test_provider_responses.py",
    "wallets/payouts/test_settlement.py",
    "wallets/deposits/test_status_checks.py",
    "wallets/deposits/test_plausible_deposits.py",
    "wallets/reconciliation/test_chargebacks.py",
    "wallets/reconciliation/test_comparison.py",
    "wallets/reconciliation/test_differences.py",
    "wallets/reconciliation/test_payments.py",
    "wallets/reconciliation/test_reports.py",
    "exchange/events/test_deliveries.py",
    "exchange/staff/test_second_factor.py",
    # Long random streams of statements that other modules run on each server.
    "orders/book/test_matching_oracle.py",
    "orders/book/test_rounding.py",
    "credit/loans/test_loan_machine.py",
    "wallets/payouts/test_random_sequences.py",
    "wallets/conversions/test_conversion_properties.py",
    "wallets/deposits/test_hostile_webhooks.py",
)
# API tests whose result depends on SQL of their own.
_STATEMENTS = re.compile("idempotency|lists|reads|query|portfolio|wallets")
PAGES = (
    "browser",
    "config/back_office/test_dashboard.py",
    "config/back_office/test_lists.py",
    "config/back_office/test_lockout.py",
    "config/back_office/test_signin.py",
    "config/back_office/test_permission_links.py",
    "config/back_office/test_permission_matrix.py",
    "config/test_search.py",
    "config/back_office/test_owner_links.py",
    "config/back_office/test_interrupted_forms.py",
    "config/back_office/test_work_items.py",
    "exchange/exports/test_exported_filters.py",
)


def is_standalone(module: Path) -> bool:
    """Return whether the module is listed as independent of the run's database server."""
    return _is_in(module, STANDALONE)


def is_about_pages(module: Path) -> bool:
    """Return whether the module checks pages or message texts."""
    responses = module.parts[0] == "contract" and not _STATEMENTS.search(module.name)
    return (
        responses
        or module.stem.endswith("_pages")
        or "admin" in module.parts
        or _is_in(module, PAGES)
    )


def _is_in(module: Path, places: tuple[str, ...]) -> bool:
    return any(module.is_relative_to(place) for place in places)
