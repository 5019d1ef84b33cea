"""Audited changes of each kind of record, and changes that leave no row."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.utils import timezone
from oauth2_provider.models import AccessToken

from exchange.core.actors import Actor
from exchange.core.audit_context import audit_context
from exchange.core.ids import uuid7
from exchange.core.models import Change
from exchange.participants.models import Member
from exchange.participants.services.api_keys import purge_access_tokens, revoke_api_key
from exchange.tokens.models import Token
from tests.assertions.audit import changes
from tests.environment.owner import as_owner
from tests.factories import lifecycle
from tests.factories.api_clients import TESTER, make_caller, make_member, make_organisation
from tests.factories.tokens import make_token
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import (
    make_approved_withdrawal,
    make_staff,
    make_wallet,
    store_bank_list,
)
from wallets.banks.models import BankAccount
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db


def test_a_staff_members_roles_and_permissions_are_on_record():
    user = make_staff("decide_withdrawal")
    about = Change.objects.filter(about_id=str(user.pk))
    assert [row.table for row in about] == ["exchange_staffuser_user_permissions"]
    with as_owner():
        user.user_permissions.clear()
    assert [row.operation for row in about.order_by("id")] == ["INSERT", "DELETE"]


def test_a_withdrawal_is_not_audited_before_its_decision():
    store_bank_list()
    wallet = make_wallet(1000)
    before = Change.objects.count()
    withdrawal = wallet.request(500)
    assert Change.objects.count() == before
    caller = make_caller(organisation=wallet.organisation)
    response = caller.post(f"/v1/api/withdrawals/{withdrawal.id}/cancel")
    assert response.status_code == 200
    (row,) = changes("wallets_withdrawal", withdrawal.id)
    assert (row.actor, row.via) == (
        f"api_key:{caller.key.pk}",
        f"request:{response['X-Request-ID']}",
    )
    assert row.before is not None
    assert row.after is not None
    assert (row.before["status"], row.after["status"]) == ("Pending", "Cancelled")
    assert row.after["actioned_by"] == "tests"


def test_an_approval_and_its_payout_are_on_record():
    store_bank_list()
    withdrawal = make_approved_withdrawal(make_wallet(1000))
    (row,) = changes("wallets_withdrawal", withdrawal.id)
    assert row.after is not None
    assert row.after["status"] == "Approved"
    assert [c.operation for c in changes("wallets_payout", withdrawal.id)] == ["INSERT"]


def test_bank_details_that_staff_fill_in_are_on_record():
    store_bank_list()
    bank = make_wallet(1000).request(500).bank
    BankAccount.objects.filter(pk=bank.pk).update(branch_code="GH-1")
    (row,) = changes("wallets_bankaccount", bank.pk)
    assert (row.before, row.after) == ({"branch_code": ""}, {"branch_code": "GH-1"})


def test_a_withdrawal_that_comes_without_the_function_is_on_record():
    """The owner can write anything; that it did is seen."""
    store_bank_list()
    withdrawal = make_wallet(1000).request(500)
    new_bank, new = uuid7(), uuid7()
    with as_owner() as cursor:
        for model, record, changed in (
            (BankAccount, withdrawal.bank_id, f'{{"id": "{new_bank}"}}'),
            (
                Withdrawal,
                withdrawal.id,
                f'{{"id": "{new}", "bank_id": "{new_bank}", "reference": "{new}"}}',
            ),
        ):
            columns = [str(f.column) for f in model._meta.local_concrete_fields if not f.generated]
            chosen = ", ".join(f"r.{name}" for name in columns)
            cursor.execute(
                f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) SELECT {chosen}"
                f" FROM {model._meta.db_table} t, jsonb_populate_record(t, %s) r WHERE t.id = %s",
                [changed, record],
            )
    assert [row.operation for row in changes("wallets_withdrawal", new)] == ["INSERT"]
    assert [row.operation for row in changes("wallets_bankaccount", new_bank)] == ["INSERT"]


@pytest.fixture
def seller() -> Trader:
    return make_trader()


def test_placing_and_filling_orders_leaves_no_rows_and_cancelling_leaves_one(seller):
    token = make_token(seller.wallet.organisation)
    buyer = make_trader(10_000, currency=token.currency_id)
    price = token.price_sell
    before = Change.objects.count()
    resting = seller.place(token, "Sell", price, 2)
    buyer.place(token, "Buy", price, 1)
    assert Change.objects.count() == before
    caller = make_caller(organisation=seller.wallet.organisation)
    response = caller.call("DELETE", f"/v1/orders/{resting}")
    assert response.status_code == 200
    (row,) = changes("orders_order", resting)
    assert (row.actor, row.actor_label, row.via) == (
        f"api_key:{caller.key.pk}",
        "tests",
        f"request:{response['X-Request-ID']}",
    )
    assert row.before is not None
    assert row.after is not None
    assert (row.before["status"], row.after["status"]) == ("Active", "Cancelled")
    assert row.before["reserved"] == Decimal(1)


def test_closing_a_token_names_the_person_on_the_token_and_on_every_order(seller):
    token = make_token(seller.wallet.organisation)
    resting = seller.place(token, "Sell", token.price_sell, 2)
    officer = make_staff("end_token")
    person = Actor.staff(officer.pk, str(officer))
    with audit_context(person, "request:end"):
        lifecycle.exit_token(token_id=token.pk, user=officer)
    of_token = changes("exchange_token", token.pk)[-1]
    of_order = changes("orders_order", resting)[-1]
    assert {(c.actor, c.actor_label, c.via) for c in (of_token, of_order)} == {
        (str(person), person.label, "request:end")
    }
    assert (of_token.before, of_token.after) == ({"exited": False}, {"exited": True})


def test_the_last_use_of_a_key_is_no_change_and_its_revocation_is():
    caller = make_caller()
    caller.get("/v1/api/members")
    revoke_api_key(key_id=caller.key.pk, actor=TESTER)
    first, last = changes("exchange_apikey", caller.key.pk)
    assert (first.operation, last.operation) == ("INSERT", "UPDATE")
    assert last.after is not None
    assert set(last.after) == {"revoked_at"}
    tokens = Change.objects.filter(
        table="oauth2_provider_accesstoken", about_id=str(caller.key.pk)
    ).order_by("id")
    assert [row.operation for row in tokens] == ["INSERT", "DELETE"]


def test_tokens_that_had_ended_go_without_a_trace():
    caller = make_caller()
    AccessToken.objects.update(expires=timezone.now() - timedelta(days=90))
    before = Change.objects.filter(operation="DELETE").count()
    purge_access_tokens()
    assert not AccessToken.objects.filter(application=caller.key).exists()
    assert Change.objects.filter(operation="DELETE").count() == before


def test_numbers_keep_every_digit():
    token = make_token()
    was, value = token.valuation, Decimal("1234567890123456789012.12345678")
    Token.objects.filter(pk=token.pk).update(valuation=value)
    row = changes("exchange_token", token.pk)[-1]
    assert row.before is not None
    assert row.after is not None
    assert (row.before["valuation"], row.after["valuation"]) == (was, value)


def test_rolled_back_changes_leave_no_row():
    owner = make_organisation()
    with transaction.atomic():
        make_member(owner)
        transaction.set_rollback(True)
    assert not Change.objects.filter(table="exchange_member").exists()


def test_columns_that_are_left_out_alone_leave_no_row_and_cost_no_trigger():
    token = make_token()
    before = Change.objects.count()
    type(token).objects.filter(pk=token.pk).update(vol_buy=5, supply=1)
    Member.objects.update(updated_at=timezone.now())
    assert Change.objects.count() == before
