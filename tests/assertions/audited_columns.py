"""What the audit log has of every table, column by column, or why it has none."""

from dataclasses import dataclass, field

COMPUTED = "made by the database from other columns of the row"
TOUCHED = "when the row was last written: the change has its own time"
WORKERS = "the workers' own: claims, leases, next steps, counters"


@dataclass(frozen=True)
class Audited:
    """`left_out`: reason -> columns."""

    columns: str
    hidden: str = ""
    left_out: dict[str, str] = field(default_factory=dict)
    operations: str = "INSERT UPDATE DELETE"


AUDITED: dict[str, Audited] = {
    "auth_group": Audited("id name"),
    "auth_group_permissions": Audited("id group_id permission_id"),
    "wallets_breakexplanation": Audited(
        "id subject_id explanation status proposed_by_id decided_by_id created_at decided_at reason"
    ),
    "credit_collateral": Audited("id loan_id token_id position quantity claimed pledged_price"),
    "credit_configurationversion": Audited(
        "id configuration_id number name access investment_categories collateral_ratio"
        " interest_rate duration grace_period grace_period_unit status proposed_by"
        " proposed_by_label decided_by_id decided_at reason created_at note approval_reason"
    ),
    "credit_configurationversion_organisations": Audited(
        "id configurationversion_id organisation_id"
    ),
    "credit_closureproposal": Audited(
        "id loan_id action status note plan owed cash_passed value_passed deficiency proposed_by_id"
        " decided_by_id created_at decided_at final_plan final_owed final_cash final_value"
        " final_deficiency"
    ),
    "credit_distribution": Audited(
        "id token_id type currency_id amount_per_unit principal_per_unit rate days record_at"
        " payment_date period_end status overdue version corrects_id final to_collateral"
        " holders units gross"
        " tax net proposed_by proposed_by_label created_at",
        left_out={TOUCHED: "updated_at"},
    ),
    "credit_distributionproposal": Audited(
        "id distribution_id action terms explanation status proposed_by proposed_by_label"
        " created_at decided_by_id decided_at reason"
    ),
    "credit_income": Audited(
        "id distribution_id organisation_id member_id assigned_from_id loan_id units gross tax_rate"
        " tax net recovered to_creditor status paid_to created_at",
        left_out={COMPUTED: "owner_id"},
    ),
    "credit_taxfactsproposal": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason holder_kind"
        " tax_residence organisation_id member_id note",
        hidden="tax_id",
        left_out={COMPUTED: "owner_id"},
    ),
    "credit_taxrate": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason type issuer_country"
        " holder_kind residence organisation_id member_id percent valid_from valid_until note",
        left_out={COMPUTED: "owner_id"},
    ),
    "credit_loan": Audited(
        "id borrower_id organisation_id creditor_id configuration_id version_id currency_id amount"
        " cash_collateral claim repayment_amount repayment_date interest_rate collateral_ratio"
        " duration grace_period"
        " grace_period_unit status interest_repaid principal_repaid reason bank_name bank_code"
        " account_number requested_by created_at closed_at client_reference metadata",
        left_out={
            COMPUTED: "document collateral_text cash_funded cash_expected",
            TOUCHED: "updated_at",
        },
    ),
    "credit_loanconfiguration": Audited(
        "id creditor_id status created_at", left_out={TOUCHED: "updated_at"}
    ),
    "credit_loanlimit": Audited("id version_id currency_id min_amount max_amount max_outstanding"),
    "credit_shortfall": Audited("id loan_id cause required value opened_at cured_at"),
    "exchange_accessproposal": Audited(
        "id kind person_id organisation_id key_id payload note reason status break_glass"
        " proposed_by_id decided_by_id created_at decided_at collected_at"
    ),
    "exchange_apikey": Audited(
        "id organisation_id client_id user_id redirect_uris post_logout_redirect_uris client_type"
        " authorization_grant_type hash_client_secret name skip_authorization created algorithm"
        " allowed_origins registration_source cimd_expires_at scopes expires_at revoked_at"
        " rotated_to_id",
        hidden="client_secret",
        left_out={TOUCHED: "updated", "written once a minute by its user": "last_used_at"},
    ),
    "exchange_comment": Audited("id subject_type subject_id text author_id created_at"),
    "exchange_currency": Audited("code name decimals country position"),
    "exchange_event": Audited(
        "id organisation_id type subject_id status created_at",
        left_out={
            "frozen by a trigger; what it tells is audited where it happened": "body",
            WORKERS: "attempts next_attempt_at leased_until delivered_at",
        },
        operations="UPDATE DELETE",
    ),
    "exchange_export": Audited(
        "id source title query filter_words first_day last_day form file_name requested_by_id"
        " status direct about_rows error created_at",
        left_out={
            WORKERS: "rows_done size_bytes attempts claimed_by leased_until as_of finished_at"
        },
    ),
    "exchange_member": Audited(
        "id organisation_id name email external_id verification holder_kind tax_residence closed_at"
        " created_at",
        hidden="tax_id",
        left_out={COMPUTED: "document", TOUCHED: "updated_at"},
    ),
    "exchange_organisation": Audited(
        "id name email active redirect_origins verification_required_for_deposits"
        " verification_required_for_withdrawals holder_kind tax_residence created_at",
        hidden="tax_id",
        left_out={TOUCHED: "updated_at"},
    ),
    "exchange_passkey": Audited(
        "id user_id name credential_id public_key created_at blocked_at",
        left_out={
            "moves with every use; sign-ins have their own record": "sign_count last_used_at"
        },
    ),
    "exchange_question": Audited(
        "id subject_type subject_id organisation_id member_id text asked_by_id created_at answer"
        " closed_by_id closed_at"
    ),
    "exchange_quote": Audited(
        "id token_id buy sell exchange status note reason proposed_by_id decided_by_id created_at"
        " decided_at approval_reason"
    ),
    "exchange_recoverycode": Audited("id user_id used_at", hidden="code_hash"),
    "exchange_secondfactor": Audited(
        "user_id set_up_at",
        hidden="secret_encrypted",
        left_out={"moves with every code; sign-ins have their own record": "last_step"},
    ),
    "exchange_staffuser": Audited(
        "id is_superuser username first_name last_name email is_staff is_active date_joined"
        " session_epoch public_id access_changed_at unwanted_mail",
        hidden="password",
        left_out={"sign-ins have their own record": "last_login"},
    ),
    "exchange_staffuser_groups": Audited("id staffuser_id group_id"),
    "exchange_staffuser_user_permissions": Audited("id staffuser_id permission_id"),
    "exchange_token": Audited(
        "id issuer_id creator_id name symbol reference image listing_reference currency_id type"
        " deal_access investment_type investment_category payout_frequency price_buy price_sell"
        " price_exchange prev_price_buy prev_price_sell prev_price_exchange quoted_at min_buy"
        " next_record_at units_held min_sell max_buy max_sell min_trade_buy min_trade_sell"
        " max_trade_buy"
        " max_trade_sell"
        " buy_fee sell_fee carry management_fee discount interest dividend tenor valuation"
        " post_raise_valuation total_supply raise_amount completed_raise secondaries closed exited"
        " halted_at halt_reason cancelled esop_token created_at issue_price completed_at"
        " terms_version",
        left_out={
            COMPUTED: "document words",
            TOUCHED: "updated_at",
            "moved by trades, which are append-only": (
                "vol_buy vol_sell supply total_allocated total_raised"
            ),
            "follows from distributions": "next_payment_date",
            "follows from the terms": "limits_changed_at",
        },
    ),
    "exchange_tokenaccess": Audited("id token_id organisation_id granted_by_id created_at"),
    "exchange_webhookendpoint": Audited(
        "id organisation_id url events description previous_secret_until enabled disabled_reason"
        " created_at",
        hidden="secret previous_secret",
        left_out={TOUCHED: "updated_at", WORKERS: "failing_since failed_attempts"},
    ),
    "oauth2_provider_accesstoken": Audited(
        "id user_id source_refresh_token_id id_token_id application_id expires scope resource"
        " created",
        hidden="token token_checksum",
        left_out={TOUCHED: "updated"},
    ),
    "orders_order": Audited(
        "id seq token_id organisation_id member_id api_key_id owner_model type price tokens amount"
        " fee_percent status filled filled_value charged charged_fee reserved customer_name"
        " customer_email client_order_id client_reference metadata placed_by reason created_at"
        " closed_at order_type time_in_force post_only expires_at requested_amount",
        left_out={COMPUTED: "owner_id document", TOUCHED: "updated_at"},
    ),
    "wallets_account": Audited(
        "id asset_id kind organisation_id member_id closed",
        left_out={
            COMPUTED: "owner_id",
            "the sum of its entries, which are append-only; the proof of books compares": "balance",
        },
        operations="UPDATE DELETE",
    ),
    "wallets_alert": Audited(
        "id kind subject message raised_at resolved_at", left_out={WORKERS: "occurrences"}
    ),
    "wallets_asset": Audited("id currency_id token_id decimals", operations="UPDATE DELETE"),
    "wallets_bankaccount": Audited(
        "id organisation_id name code provider_bank_id account_number account_name provided_name"
        " name_resolved currency_id branch_code recipient_first_name recipient_last_name"
        " recipient_email recipient_phone recipient_address created_at",
        left_out={COMPUTED: "document words"},
    ),
    "wallets_banklist": Audited("currency_id banks", left_out={TOUCHED: "fetched_at"}),
    "wallets_booksproof": Audited(
        "id ran_at incremental passed findings milliseconds totals totals_before",
        operations="UPDATE DELETE",
    ),
    "wallets_configuration": Audited("key value description", left_out={TOUCHED: "updated_at"}),
    "wallets_settingchange": Audited(
        "id configuration_id value reason effective_from status proposed_by_id created_at"
        " decided_by_id decided_at decision_note effective_at cancellation_requested_by_id"
        " cancellation_reason cancelled_by_id cancelled_at approval_reason"
    ),
    "wallets_deposit": Audited(
        "id organisation_id member_id currency_id amount reference note status entered_by_id"
        " decided_by_id decided_at reason created_at channel fee provider_fee redirect_url"
        " provider_reference payer_name payer_bank payer_account available_at cleared_at flags"
        " client_reference metadata requested_amount requested_currency approval_reason disputed_at"
        " disputed_amount reversed_amount",
        left_out={COMPUTED: "owner_id document reference_key", TOUCHED: "updated_at"},
    ),
    "orders_termsproposal": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason token_id version"
        " issue_price interest tenor payout_frequency completed_at explanation"
    ),
    "orders_tokenproposal": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason token_id action"
        " explanation version"
    ),
    "wallets_depositreversal": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason deposit_id explanation"
        " amount held"
    ),
    "wallets_freeze": Audited(
        "id organisation_id member_id currency_id reason placed_by_id created_at lifted_at",
        left_out={COMPUTED: "owner_id"},
    ),
    "wallets_freezelift": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason freeze_id explanation"
    ),
    "wallets_payment": Audited(
        "id transaction_id tx_ref status provider_reference currency_code amount charged_amount"
        " settled_amount provider_fee booked_fee payment_type payer_name payer_bank payer_account"
        " paid_at deposit_id refund_reference charged_back_amount"
        " created_at",
        left_out={WORKERS: "lookups next_lookup_at last_error", TOUCHED: "updated_at"},
    ),
    "wallets_paymentresolution": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason payment_id action"
        " organisation_id member_id explanation refund_reference"
    ),
    "wallets_receivablewriteoff": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason account_id amount"
        " explanation"
    ),
    "wallets_adjustingentry": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason kind currency_id"
        " account direction amount settles_id note approval_reason"
    ),
    "wallets_bulkapproval": Audited(
        "id approver_id rows reason status created_at starts_at finished_at",
        left_out={WORKERS: "claimed_by leased_until attempts results"},
    ),
    "wallets_periodclose": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason month proof_id"
        " csv_sha256 pdf_sha256",
        left_out={COMPUTED: "csv pdf"},
    ),
    "wallets_ownbankaccount": Audited("id name currency_id number layout created_by_id created_at"),
    "wallets_statementfile": Audited(
        "id name kind sha256 account_id status lines new_lines first_day last_day has_balances"
        " uploaded_by_id created_at handled_by_id handled_at",
        left_out={"the lines, which are records of their own": "content"},
    ),
    "wallets_statementline": Audited(
        "id account_id file_id currency_id booked_on value_on amount bank_reference number"
        " payment_reference counterparty description is_reversal status deposit_id movement_id"
        " adjustment_id reason handled_by_id handled_at",
        operations="UPDATE DELETE",
    ),
    "wallets_treasurymovement": Audited(
        "id status proposed_by_id created_at decided_by_id decided_at reason kind currency_id"
        " amount charge bought_currency_id bought_amount closed_amount reference note"
        " approval_reason",
        left_out={COMPUTED: "reference_key"},
    ),
    "wallets_virtualaccount": Audited(
        "id organisation_id member_id currency_id reference order_reference bank_name"
        " account_number account_name status created_at",
        left_out={COMPUTED: "owner_id document"},
    ),
    "wallets_payout": Audited(
        "withdrawal_id posted_at provider_id provider_status provider_fee provider_message"
        " last_error not_found_count first_not_found_at settled_at created_at",
        left_out={
            WORKERS: "claimed_by leased_until attempts next_step_at status_checks last_not_found_at"
            " monitor_until",
            TOUCHED: "updated_at",
        },
    ),
    "wallets_payoutcircuit": Audited(
        "id state failed_trials reason opened_at trial_id",
        left_out={
            WORKERS: "failures next_probe_at trial_until quiet_until",
            TOUCHED: "updated_at",
        },
    ),
    "wallets_proposal": Audited(
        "id withdrawal_id action reason status proposed_by_id decided_by_id created_at decided_at"
    ),
    "wallets_providerevent": Audited(
        "id digest reference provider_id body received_at",
        left_out={WORKERS: "deliveries"},
        operations="UPDATE DELETE",
    ),
    "wallets_reconciliation": Audited(
        "id day status reason differences requested_by requested_by_label created_at",
        left_out={
            WORKERS: "compared claimed_by leased_until attempts finished_at balances_at",
            COMPUTED: "provisional",
        },
    ),
    "wallets_reconciliationbreak": Audited(
        "id day kind currency_id our_amount their_amount difference our_text their_text reference"
        " provider_id withdrawal_id payment_id status owner_id first_report_id created_at",
        left_out={WORKERS: "latest_report_id in_latest_report"},
    ),
    "wallets_transferrule": Audited(
        "kind leaves enters reference record states by_service justified_if",
        operations="UPDATE DELETE",
    ),
    "wallets_withdrawal": Audited(
        "id organisation_id member_id reference currency_id amount fee disburse_amount gusd_amount"
        " internal_fee internal_fee_type escrow_account_id bank_id status version requested_by"
        " approvals_needed first_approver_id second_approver_id actioned_on actioned_by reason"
        " created_at client_reference metadata",
        left_out={COMPUTED: "owner_id document", TOUCHED: "updated_at"},
    ),
}

APPEND_ONLY = {
    "credit_repayment",
    "exchange_accessrecord",
    "exchange_change",
    "exchange_deliveryattempt",
    "exchange_eventnumber",
    "orders_candle",
    "orders_fill",
    "wallets_accountverification",
    "orders_trade",
    "wallets_conversion",
    "wallets_decision",
    "wallets_wallettransfer",
    "wallets_entry",
    "wallets_reconciliationline",
    "wallets_transfer",
}
NOT_AUDITED = {
    "auth_permission": "made by migrations from the models",
    "credit_outstanding": "the sum of open loans, kept by a trigger on them",
    "credit_pricededuction": "written by a trigger on distributions, which are audited",
    "credit_valuation": "computed anew every hour; what follows from it is a shortfall",
    "django_admin_log": "Django's own, which the back office does not write",
    "django_content_type": "made by migrations from the models",
    "django_migrations": "Django's own",
    "django_session": "sign-ins have their own record; its data is a secret",
    "exchange_catalogue": "a counter that triggers keep",
    "exchange_eventdelivery": "workers write it; attempts are records, a function audits resends",
    "exchange_exportchunk": "pieces of a file, gone after a week",
    "exchange_idempotencyrecord": "answers, kept for a day",
    "exchange_loggedrequest": "a log itself, gone after 30 days",
    "exchange_readcount": "counts of reads, gone after 30 days",
    "exchange_scheduledrun": "when tasks were last published; overwritten each period",
    "exchange_staffmail": "content never changes and has no names; workers record its delivery",
    "exchange_unnumberedevent": "a queue that a trigger on events fills",
    "exchange_writeposition": "positions in the log of the database, empty after a failover",
    "exchange_signinattempts": "counters, gone after minutes; who was refused has its own record",
    "orders_booksequence": "counts the changes of orders, which are audited",
    "orders_candleprogress": "a function writes it; candles until then are in their own table",
    "oauth2_provider_devicegrant": "of a grant that is not offered",
    "oauth2_provider_grant": "of a grant that is not offered",
    "oauth2_provider_idtoken": "of a grant that is not offered",
    "oauth2_provider_refreshtoken": "of a grant that is not offered",
    "wallets_conversionposition": "the sum of entries; the proof of books compares it",
    "wallets_conversionquote": "never changes, and moves nothing",
    "wallets_checkpoint": "a function writes it; the full proof of books compares it",
    "wallets_checkpointbalance": "sums of entries; the full proof of books compares them",
}
