"""What the role that the application acts as cannot do, by a login that is only its member."""

from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.assertions.ledger import post_deposit
from tests.factories.wallets import Wallet, make_wallet, store_bank_list
from wallets.ledger.models import Account

pytestmark = pytest.mark.django_db(transaction=True)

Connection = psycopg.Connection[Any]


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    wallet = make_wallet(1000)
    wallet.request(500)
    return wallet


def test_it_is_the_runtime_role_and_no_superuser(runtime):
    assert runtime.execute(
        "SELECT current_user, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls"
        " FROM pg_roles WHERE rolname = current_user"
    ).fetchone() == ("exchange_runtime", False, False, False, False)
    assert runtime.execute(
        "SELECT rolsuper FROM pg_roles WHERE rolname = session_user"
    ).fetchone() == (False,)


@pytest.mark.parametrize(
    "attack",
    [
        "INSERT INTO wallets_account (id, asset_id, kind) VALUES (gen_random_uuid(), 'KES', 'x')",
        "INSERT INTO wallets_transfer SELECT * FROM wallets_transfer LIMIT 1",
        "INSERT INTO wallets_entry SELECT * FROM wallets_entry LIMIT 1",
        "INSERT INTO wallets_asset (id, decimals) VALUES ('EUR', 2)",
        "INSERT INTO wallets_bankaccount (id) VALUES (gen_random_uuid())",
        "INSERT INTO wallets_withdrawal (id) VALUES (gen_random_uuid())",
        "UPDATE wallets_account SET balance = balance + 1",
        "UPDATE wallets_account SET balance = 0 WHERE false",
        "UPDATE wallets_transfer SET memo = ''",
        "UPDATE wallets_entry SET amount = 1",
        "UPDATE wallets_asset SET decimals = 8",
        "DELETE FROM wallets_account",
        "DELETE FROM wallets_transfer",
        "DELETE FROM wallets_entry",
        "DELETE FROM wallets_withdrawal",
        "DELETE FROM wallets_bankaccount",
        "DELETE FROM wallets_deposit",
        "INSERT INTO wallets_wallettransfer (id) VALUES (gen_random_uuid())",
        "UPDATE wallets_wallettransfer SET amount = 1",
        "DELETE FROM wallets_wallettransfer",
        "INSERT INTO wallets_conversion (id) VALUES (gen_random_uuid())",
        "UPDATE wallets_conversion SET fee = 0",
        "DELETE FROM wallets_conversion",
        "INSERT INTO wallets_conversionquote (id) VALUES (gen_random_uuid())",
        "UPDATE wallets_conversionquote SET converted_amount = 1",
        "UPDATE wallets_conversionposition SET amount = 0",
        "SELECT move_position('NGN', 1)",
        "DELETE FROM wallets_treasurymovement",
        "DELETE FROM wallets_adjustingentry",
        "DELETE FROM wallets_periodclose",
        "SELECT lock_closed_months()",
        "DELETE FROM wallets_receivablewriteoff",
        "DELETE FROM wallets_payout",
        "DELETE FROM wallets_proposal",
        "DELETE FROM wallets_decision",
        "DELETE FROM wallets_configuration",
        "UPDATE wallets_configuration SET value = 0",
        "INSERT INTO wallets_configuration (key, value) VALUES ('KES_FEE', 1)",
        "DELETE FROM wallets_settingchange",
        "DELETE FROM wallets_providerevent",
        "DELETE FROM exchange_event",
        "DELETE FROM exchange_deliveryattempt",
        "INSERT INTO exchange_change SELECT * FROM exchange_change",
        "UPDATE exchange_change SET actor = 'system:x'",
        "DELETE FROM exchange_change",
        "TRUNCATE exchange_change",
        "TRUNCATE wallets_account CASCADE",
        "TRUNCATE wallets_entry",
        "TRUNCATE wallets_withdrawal CASCADE",
        "TRUNCATE exchange_event CASCADE",
        "LOCK TABLE wallets_account IN ACCESS EXCLUSIVE MODE NOWAIT",
    ],
)
def test_the_runtime_role_cannot_write_the_ledger_directly(runtime, wallet, attack):
    before = sorted(Account.objects.values_list("id", "balance"))
    with pytest.raises(errors.InsufficientPrivilege), runtime.transaction():
        runtime.execute(attack)
    assert sorted(Account.objects.values_list("id", "balance")) == before


@pytest.mark.parametrize(
    "attack",
    [
        "SET ROLE exchange_owner",
        "SET SESSION AUTHORIZATION exchange_owner",
        "GRANT exchange_owner TO exchange_runtime",
        "SET session_replication_role = replica",
        "ALTER TABLE wallets_entry DISABLE TRIGGER ALL",
        "ALTER TABLE wallets_account DROP CONSTRAINT account_balance_not_negative",
        "DROP TRIGGER legs_guard ON wallets_entry",
        "DROP FUNCTION legs_guard() CASCADE",
        "ALTER TABLE exchange_member DISABLE TRIGGER audit_update",
        "SELECT write_change('exchange_member', 'UPDATE', '', '', NULL, NULL)",
        "SELECT audit_table('exchange_member')",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE OR REPLACE FUNCTION legs_guard() RETURNS trigger LANGUAGE plpgsql"
        " AS 'BEGIN RETURN NULL; END'",
        "CREATE TABLE public.mine (id int)",
        "CREATE SCHEMA mine",
        "CREATE RULE mine AS ON INSERT TO wallets_entry DO INSTEAD NOTHING",
        "CREATE TRIGGER mine BEFORE INSERT ON wallets_entry FOR EACH ROW"
        " EXECUTE FUNCTION reject_change()",
        "ALTER FUNCTION post_transfers SECURITY INVOKER",
        "SELECT make_append_only('exchange_member')",
        "COPY wallets_entry FROM PROGRAM 'true'",
        "CREATE ROLE mine",
        "ALTER ROLE exchange_runtime SUPERUSER",
    ],
)
def test_it_takes_no_other_role_and_changes_no_rule(runtime, attack):
    wrong = (
        errors.InsufficientPrivilege,
        # The owner has another name on a server that was given by its URL.
        errors.InvalidParameterValue,
        errors.UndefinedObject,
    )
    with pytest.raises(wrong):
        runtime.execute(attack)


def test_going_back_to_its_login_gives_it_nothing(runtime, wallet):
    runtime.execute("SET ROLE NONE")
    for attack in (
        "SELECT * FROM wallets_account",
        "UPDATE wallets_account SET balance = 0",
        "CREATE TABLE public.mine (id int)",
    ):
        with pytest.raises(errors.InsufficientPrivilege):
            runtime.execute(attack)


def test_every_function_that_acts_as_the_owner_fixes_its_search_path_first(runtime):
    rows = runtime.execute(
        "SELECT proname, coalesce(array_to_string(proconfig, ','), '') FROM pg_proc"
        " WHERE pronamespace = 'public'::regnamespace AND prosecdef ORDER BY proname"
    ).fetchall()
    assert dict(rows) == {
        "add_partitions": "search_path=pg_catalog, pg_temp,lock_timeout=500ms",
        "adopt_events": "search_path=pg_catalog, pg_temp",
        "advance_checkpoint": "search_path=public, pg_temp",
        "analyze_partitioned": "search_path=pg_catalog, pg_temp",
        "audit_row": "search_path=pg_catalog, pg_temp,TimeZone=UTC",
        "audit_truncate": "search_path=pg_catalog, pg_temp",
        "cancel_buys_of": "search_path=public, pg_temp",
        "cancel_orders_of": "search_path=public, pg_temp",
        "cancel_orders_on": "search_path=public, pg_temp",
        "catalogue_changed": "search_path=public, pg_temp",
        "check_withdrawal": "search_path=public, pg_temp",
        "close_accounts": "search_path=public, pg_temp",
        "close_order": "search_path=public, pg_temp",
        "complete_raise": "search_path=public, pg_temp",
        "emit_events": "search_path=pg_catalog, pg_temp",
        "enter_orders": "search_path=public, pg_temp,enable_seqscan=off,enable_mergejoin=off,"
        "enable_hashjoin=off,plan_cache_mode=force_generic_plan",
        "loan_outstanding": "search_path=public, pg_temp",
        "lock_accounts_of_token": "search_path=public, pg_temp",
        "make_loan": "search_path=public, pg_temp,enable_seqscan=off,enable_mergejoin=off,"
        "enable_hashjoin=off,plan_cache_mode=force_generic_plan",
        "move_treasury": "search_path=public, pg_temp",
        "number_events": "search_path=pg_catalog, pg_temp",
        "older_transaction": "search_path=public, pg_temp",
        "open_account": "search_path=public, pg_temp",
        "open_token_units": "search_path=public, pg_temp",
        "period_close_guard": "search_path=public, pg_temp,lock_timeout=2s",
        "period_problem": "search_path=public, pg_temp",
        "post_adjustment": "search_path=public, pg_temp",
        "post_service_transfers": "search_path=public, pg_temp",
        "preview_order": "search_path=public, pg_temp,plan_cache_mode=force_generic_plan",
        "queue_deliveries": "search_path=pg_catalog, pg_temp",
        "queue_events": "search_path=pg_catalog, pg_temp",
        "count_cash_to_come": "search_path=public, pg_temp",
        "count_paid_income": "search_path=public, pg_temp",
        "value_income": "search_path=public, pg_temp",
        "record_correction": "search_path=public, pg_temp",
        "record_distribution": "search_path=public, pg_temp",
        "remove_checkpoint": "search_path=public, pg_temp",
        "reopen_accounts": "search_path=public, pg_temp",
        "set_next_record": "search_path=public, pg_temp",
        "start_paying": "search_path=public, pg_temp",
        "convert_money": "search_path=public, pg_temp,enable_seqscan=off,"
        "plan_cache_mode=force_generic_plan",
        "quote_conversion": "search_path=public, pg_temp",
        "write_candles": "search_path=public, pg_temp,enable_seqscan=off",
        "transfer_money": "search_path=public, pg_temp,enable_seqscan=off,"
        "plan_cache_mode=force_generic_plan",
        "request_withdrawals": "search_path=public, pg_temp,enable_seqscan=off,"
        "plan_cache_mode=force_generic_plan",
    }


def test_no_trigger_function_looks_into_temporary_tables(runtime):
    rows = runtime.execute(
        "SELECT DISTINCT p.proname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
        " WHERE NOT t.tgisinternal AND p.pronamespace = 'public'::regnamespace"
        # Every table is named with its schema.
        r" AND p.prosrc ~* '\m(from|join|into|update)\s+(wallets|exchange|orders|credit)_'"
    ).fetchall()
    assert rows == []


def test_a_new_balance_comes_from_the_posting_function_only(runtime, wallet):
    """The right way in, so that the refusals above are not refusals of everything."""
    with runtime.transaction():
        post_deposit(runtime, wallet, "5")
    assert wallet.balance() == 505
