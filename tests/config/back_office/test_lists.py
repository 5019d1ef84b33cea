"""Every list of the back office: as many queries among many rows as among few, and no filter that
grows with the organisations.

One row of each kind is made as people and services make it, then multiplied in the database, out of
reach of its rules: what counts here is how many rows there are.
"""

from decimal import Decimal

import pytest
from django.contrib import admin
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, get_role
from config.books import WALLET_CHECKS
from credit.configurations.models import ConfigurationVersion
from credit.tax_rates.services import propose_tax_facts
from exchange.events.services import outbox as events
from exchange.events.services.endpoints import set_endpoint
from exchange.exports.models import Export
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.models import Organisation
from exchange.participants.services.api_keys import issue_api_key
from exchange.staff.models import AccessEvent
from exchange.staff.services.access_records import record_access_event
from exchange.staff.services.proposals import propose_invitation
from exchange.tokens.services import quotes
from orders.listings.models import TokenAction
from tests.environment.owner import as_owner, without_guards
from tests.factories import lifecycle
from tests.factories.adjustments import entry_terms
from tests.factories.api_clients import TESTER
from tests.factories.bank_statements import make_line
from tests.factories.breaks import make_break
from tests.factories.conversions import convert, set_rates
from tests.factories.deposits import Owner, arrive, make_virtual_account, transaction_record
from tests.factories.distributions import make_holding
from tests.factories.distributions import propose as propose_distribution
from tests.factories.holds import freeze
from tests.factories.lending import make_lending
from tests.factories.logins import sign_in
from tests.factories.periods import MONTH
from tests.factories.request_log import log_requests
from tests.factories.staff import create_superuser
from tests.factories.tax_rates import make_rate, tax_facts
from tests.factories.traders import make_trader
from tests.factories.transfers import transfer
from tests.factories.treasury import write_off_and_top_up
from tests.factories.wallets import (
    Wallet,
    make_approved_withdrawal,
    make_member_wallet,
    make_staff,
    make_wallet,
    store_bank_list,
)
from wallets.adjustments.services import propose_adjustment
from wallets.alerts.models import Alert
from wallets.conversions.models import Conversion
from wallets.deposits.services import manual as deposits
from wallets.deposits.services.reversals import propose_reversal
from wallets.fees import services as configuration
from wallets.ledger.models import BooksProof, Entry
from wallets.ledger.proof import prove_and_store
from wallets.payouts.models import Proposal, ProposalAction
from wallets.periods.services import propose_close
from wallets.providers.models import ProviderEvent
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db

_UNIQUE: dict[type[Model], tuple[str, ...]] = {Entry: ("transfer_id",), Conversion: ("quote_id",)}

# As many rows as there are currencies, or settings.
_FEW_BY_NATURE = {"wallets_banklist", "wallets_configuration"}
# What people enter, or what is added once a day.
_SMALL = _FEW_BY_NATURE | {
    "exchange_accessproposal",
    "credit_distribution",
    "credit_loanconfiguration",
    "credit_taxfactsproposal",
    "credit_taxrate",
    "exchange_apikey",
    "exchange_export",
    "exchange_organisation",
    "exchange_staffuser",
    "exchange_token",
    "exchange_webhookendpoint",
    "orders_termsproposal",
    "orders_tokenproposal",
    "wallets_alert",
    "wallets_booksproof",
    "wallets_adjustingentry",
    "wallets_ownbankaccount",
    "wallets_periodclose",
    "wallets_statementfile",
    "wallets_settingchange",
    "wallets_reconciliation",
}
_MULTIPLY = """
DO $$
DECLARE found record;
BEGIN
    SET CONSTRAINTS ALL IMMEDIATE;
    FOR found IN SELECT conrelid::regclass AS of, conname FROM pg_constraint
        WHERE contype IN ('c', 'u', 'x') AND connamespace = 'public'::regnamespace LOOP
        EXECUTE format(
            'ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I CASCADE', found.of, found.conname);
    END LOOP;
    FOR found IN SELECT indexrelid::regclass AS name FROM pg_index JOIN pg_class ON oid = indexrelid
        WHERE indisunique AND NOT indisprimary AND relnamespace = 'public'::regnamespace LOOP
        EXECUTE format('DROP INDEX IF EXISTS %s', found.name);
    END LOOP;
END $$
"""
_COPY = """
INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE
SELECT {columns} FROM (
    SELECT (jsonb_populate_record(NULL::{table}, to_jsonb(t) || jsonb_build_object({changes}))).*
    FROM {table} AS t, generate_series(%s::int, %s::int) AS n
) AS copies
"""


def grows(model: type[Model]) -> bool:
    """Whether a list may come to hold very many rows."""
    return model._meta.db_table not in _SMALL


def seed() -> None:
    """At least one row in every list."""
    store_bank_list()
    now = timezone.now()
    staff = create_superuser("proposer", password="x")
    other = make_staff()
    lending = make_lending()
    lending.lend()
    issuer, buyer = make_trader(), make_trader(10_000, member=True)
    token = issuer.issue()
    issuer.place(token, "Sell", 100, 10)
    buyer.place(token, "Buy", 100, 4)
    prices = quotes.Prices(Decimal(5), Decimal(4))
    quotes.propose(token_id=token.pk, prices=prices, user=staff, note="Revalued by the auditor")
    lifecycle.propose(token.pk, TokenAction.EXIT)
    lifecycle.propose_new_terms(token, staff)
    propose_distribution(make_holding().token)
    make_rate()
    propose_tax_facts(owner=token.issuer, **tax_facts(), user=staff)
    wallet = make_member_wallet(1000)
    withdrawal = make_approved_withdrawal(wallet)
    make_approved_withdrawal(make_wallet(1000))
    Proposal.objects.create(
        withdrawal=withdrawal,
        action=ProposalAction.FAIL,
        reason="lost",
        proposed_by=staff,
        created_at=now,
    )
    owner = wallet.organisation
    set_rates()
    transfer(wallet, Wallet(owner), 200)
    convert(wallet, 129, "KES", "USD")
    payment = deposits.IncomingPayment(owner.pk, wallet.member_id, "KES", Decimal(5), "BANK-1")
    deposits.enter(payment=payment, user=staff)
    freeze(make_member_wallet().organisation, currency="KES")
    account = make_virtual_account(Owner(owner, wallet.member), "KES")
    # By card, so that it is uncleared.
    record = transaction_record(account.reference, currency="KES", payment_type="card")
    arrived = arrive(record).deposit
    assert arrived is not None
    propose_reversal(deposit_id=arrived.pk, explanation="Chargeback", user=staff)
    write_off_and_top_up()
    make_line()
    propose_adjustment(terms=entry_terms(), user=staff)
    prove_and_store(WALLET_CHECKS)
    propose_close(month=MONTH.first, user=staff)
    configuration.propose(
        key="KES_WITHDRAWAL_FEE",
        value=Decimal(30),
        effective_from=None,
        reason="dearer",
        user=staff,
    )
    key, _ = issue_api_key(
        organisation=owner, name="Key", scopes=["wallets:read"], expires_at=None, actor=TESTER
    )
    log_requests(key)
    propose_invitation(username="invited", role=get_role(ADMINISTRATOR), by=staff)
    set_endpoint(organisation_id=owner.pk, url="https://hooks.example.com/in", actor=TESTER)
    events.emit(
        organisation_id=owner.pk, event_type="withdrawal.created", subject_id=owner.pk, data="{}"
    )
    record_access_event(event=AccessEvent.SIGNED_OUT, user=staff, by=other)
    Alert.objects.create(kind="payout_unknown", subject="x", message="Look", raised_at=now)
    BooksProof.objects.create(ran_at=now, passed=True, milliseconds=1)
    ProviderEvent.objects.create(digest="0" * 64, body="{}", received_at=now)
    make_break()
    Export.objects.create(
        source="wallets.withdrawal",
        title="Withdrawals",
        form="csv",
        file_name="w.csv",
        requested_by=staff,
        about_rows=1,
        created_at=now,
    )


def multiply(first: int, last: int) -> None:
    """Copies number `first` to `last` of every row that a list shows, on the owner's rights."""
    with as_owner() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(_MULTIPLY)
    with without_guards() as cursor:
        for model in admin.site._registry:
            # The rows of a proxy are those of another list.
            if not model._meta.proxy and model._meta.db_table not in _FEW_BY_NATURE:
                refer = _UNIQUE.get(model, ())
                _copy(cursor, model, first, last, *refer)
        _copy(cursor, ConfigurationVersion, first, last, "configuration_id")


def _copy(cursor: CursorWrapper, model: type[Model], first: int, last: int, *refer: str) -> None:
    """The columns `refer` are changed like the key: they refer to the copy of the same number."""
    table, pk = model._meta.db_table, model._meta.pk
    columns = [f'"{field.column}"' for field in model._meta.concrete_fields if not field.generated]
    changed = {name: f"md5(t.{name}::text || n)::uuid" for name in (pk.column, *refer)}
    if pk.rel_db_type(connection) != "uuid":
        changed[pk.column] = f"t.{pk.column} + n * 1000000"
    changes = ", ".join(f"'{name}', {value}" for name, value in changed.items())
    copy = _COPY.format(table=table, columns=", ".join(columns), changes=changes)
    cursor.execute(copy, [first, last])


def walk(client: Client) -> tuple[dict[str, int], dict[str, int]]:
    """Queries and rows of every list."""
    queries, rows = {}, {}
    for model in admin.site._registry:
        query = {"status": "all"} if model is Withdrawal else {}
        with CaptureQueriesContext(connection) as asked:
            shown = client.get(address_of(model), query)
        assert shown.status_code == 200, model
        name = str(model._meta.label) if model._meta.proxy else model._meta.db_table
        queries[name] = len(asked)
        rows[name] = len(shown.context["cl"].result_list)
    return queries, rows


def address_of(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def owner() -> Client:
    client = Client()
    sign_in(client, create_superuser("owner", password="x"))
    return client


@pytest.mark.slow
def test_lists_take_the_same_queries_for_many_rows_as_for_few(monkeypatch):
    # The session is written once a minute, which may fall into either walk.
    monkeypatch.setattr("config.back_office.signin.session_state._ACTIVITY_INTERVAL_SECONDS", 3600)
    seed()
    client = owner()
    multiply(1, 1)
    walk(client)  # what is remembered between requests is remembered now
    queries, rows = walk(client)
    assert {name for name, count in rows.items() if count < 2} <= _FEW_BY_NATURE
    multiply(2, 30)
    many, more_rows = walk(client)
    assert {name: count for name, count in many.items() if count > queries[name]} == {}
    assert {name for name, count in more_rows.items() if count < 50} <= _FEW_BY_NATURE


@pytest.mark.parametrize("model", [model for model in admin.site._registry if grows(model)])
def test_a_list_that_grows_is_read_in_the_order_of_an_index(model, rf):
    request = rf.get("/", {"status": "all"})
    request.user = create_superuser("owner", password="x")
    pages = admin.site._registry[model]
    rows = pages.get_queryset(request).order_by(
        *(pages.get_ordering(request) or model._meta.ordering)
    )
    with connection.cursor() as cursor:
        # A plan sorts only where there is no index to read from.
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert "Sort" not in rows[:50].explain(), rows[:50].explain()


@pytest.mark.slow
def test_no_filter_of_a_list_offers_every_organisation_and_each_finds_one_by_name():
    names = {f"Organisation {n}" for n in range(300)}
    Organisation.objects.bulk_create(Organisation(name=name) for name in names)
    seed()
    client = owner()
    searched = set()
    for model in admin.site._registry:
        address = address_of(model)
        with CaptureQueriesContext(connection) as asked:
            shown = client.get(address)
        filters = shown.context["cl"].filter_specs
        offered = [choice for one in filters for choice in one.choices(shown.context["cl"])]
        # The bound is that of the longest fixed choices, those of the audit log.
        assert not {str(choice.get("display")) for choice in offered} & names, address
        assert len(offered) < 125, address
        assert len(asked) < 40, address
        declared = getattr(shown.context["cl"], "filters", None)
        for name, one in declared.filters.items() if declared else ():
            if isinstance(one, OrganisationNameFilter):
                searched.add(address)
                all_rows = {row.pk for row in shown.context["cl"].result_list}
                found = client.get(address, {name: "acme"}).context["cl"].result_list
                assert not list(client.get(address, {name: "nobody"}).context["cl"].result_list)
                assert {row.pk for row in found} <= all_rows
    assert len(searched) == 16
