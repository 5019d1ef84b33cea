"""Events that no single request answers for: each has its recipients, its data and its schema."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from credit.loans.models import ClosureAction
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.valuation import Pledge
from exchange.events.models import Event
from exchange.events.services.expiring_keys import warn_of_expiring_keys
from exchange.participants.models import ApiKey
from exchange.participants.services.api_keys import issue_api_key, revoke_api_key, rotate_api_key
from exchange.tokens.services.quotes import Prices
from tests.assertions.openapi import body_schema, schema_errors, webhooks
from tests.factories.api_clients import TESTER, make_caller, make_member, make_organisation
from tests.factories.holds import freeze, lift, lifter, owe
from tests.factories.lending import make_lending
from tests.factories.lifecycle import cancel_token, complete_raise
from tests.factories.loans import repay_loan
from tests.factories.pledged_income import apply_cash, close, default, make_cash
from tests.factories.quotes import set_effective_quote
from tests.factories.terms import note, sold_out
from tests.factories.tokens import give_units
from tests.factories.traders import make_trader
from tests.factories.wallets import Wallet, balance_of, make_member_wallet, make_staff
from wallets.closing.services import close_member, reopen_member
from wallets.freezes.services import propose_lift, reject_lift
from wallets.receivables.services.repayments import collect_due
from wallets.receivables.services.write_offs import confirm_write_off, propose_write_off

pytestmark = pytest.mark.django_db(transaction=True)

Found = tuple[str, UUID, UUID, dict[str, Any]]


def events(prefix: str) -> list[Found]:
    """Return type, subject, recipient and data of the events; each is as its schema says."""
    found = []
    for event in Event.objects.filter(type__startswith=prefix).order_by("id"):
        body = json.loads(event.body)
        schema = body_schema(webhooks()[event.type]["post"]["requestBody"])
        assert schema_errors(schema, body) == []
        found.append((event.type, event.subject_id, event.organisation_id, body["data"]))
    return found


def test_a_freeze_and_its_end_go_to_the_organisation_without_the_reason():
    organisation = make_organisation()
    member = make_member(organisation, "Ada Obi")
    hers, own = freeze(member), freeze(organisation, "KES")
    lift(hers)
    user = {"_id": str(member.pk), "name": "Ada Obi", "email": member.email}
    of_hers = {"freeze": {"_id": str(hers.pk), "currency": None}, "user": user}
    of_own = {"freeze": {"_id": str(own.pk), "currency": "KES"}, "user": None}
    assert events("freeze.") == [
        ("freeze.placed", hers.pk, organisation.pk, of_hers),
        ("freeze.placed", own.pk, organisation.pk, of_own),
        ("freeze.lifted", hers.pk, organisation.pk, of_hers),
    ]


def test_a_rejected_lift_is_silent_and_one_of_an_own_wallet_names_its_currency():
    organisation = make_organisation()
    own = freeze(organisation, "UGX")
    proposal = propose_lift(freeze_id=own.pk, explanation="Cleared", user=lifter())
    reject_lift(lift_id=proposal.pk, reason="Not cleared yet", user=lifter())
    about = {"freeze": {"_id": str(own.pk), "currency": "UGX"}, "user": None}
    placed = ("freeze.placed", own.pk, organisation.pk, about)
    assert events("freeze.") == [placed]
    lift(own)
    assert events("freeze.") == [placed, ("freeze.lifted", *placed[1:])]


def test_a_debt_is_followed_from_its_start_through_its_parts_to_zero():
    wallet = make_member_wallet(0, currency="KES")
    owe(wallet, "1000.50")
    collect_due(TESTER)
    found = events("debt.")
    assert [(kind, subject, owner) for kind, subject, owner, _ in found] == [
        ("debt.opened", wallet.owner_id, wallet.organisation.pk),
        ("debt.repaid", wallet.owner_id, wallet.organisation.pk),
    ]
    assert [data["debt"] for *_, data in found] == [
        {"currency": "KES", "amount": 1000.5, "owed": 1000.5},
        {"currency": "KES", "amount": 1000.5, "owed": 0},
    ]
    assert {data["user"]["_id"] for *_, data in found} == {str(wallet.member_id)}


def test_a_debt_that_is_given_up_in_part():
    organisation = make_organisation()
    wallet = Wallet(organisation)
    owe(wallet, "1000")
    debt = wallet.organisation.accounts.get(kind="receivable", asset_id="KES")
    proposal = propose_write_off(
        account_id=debt.pk,
        amount=Decimal(400),
        explanation="Agreed",
        user=make_staff("write_off_receivable"),
    )
    confirm_write_off(write_off_id=proposal.pk, user=make_staff("write_off_receivable"))
    *_, last = events("debt.")
    assert last == (
        "debt.repaid",
        organisation.pk,
        organisation.pk,
        {"debt": {"currency": "KES", "amount": 400, "owed": 600}, "user": None},
    )


def test_a_member_that_is_closed_and_opened_again():
    organisation = make_organisation()
    member = make_member(organisation)
    for change in (close_member, reopen_member):
        change(organisation_id=organisation.pk, member_id=member.pk, actor=TESTER)
    found = events("member.")
    assert [(kind, subject, owner) for kind, subject, owner, _ in found] == [
        ("member.closed", member.pk, organisation.pk),
        ("member.reopened", member.pk, organisation.pk),
    ]
    assert [data["member"]["status"] for *_, data in found] == ["closed", "active"]


def test_what_happens_to_a_token_goes_to_its_issuer_and_once_to_each_that_holds_units():
    issuer, others = make_trader(), make_organisation()
    token = issuer.issue(price_buy=Decimal(100))
    for _ in range(2):
        give_units(token, Wallet(others, make_member(others)), 5)
    sold = Wallet(make_organisation())
    give_units(token, sold, 5)
    give_units(token, sold, -5)
    set_effective_quote(token_id=token.pk, prices=Prices(Decimal(100), Decimal(95)), note="a")
    set_effective_quote(token_id=token.pk, prices=Prices(Decimal(100), Decimal(95)), note="same")
    found = events("token.")
    assert [(kind, subject) for kind, subject, *_ in found] == [
        ("token.quote_changed", token.pk)
    ] * 2
    assert sorted(owner for _, _, owner, _ in found) == sorted([token.issuer_id, others.pk])
    assert {data["token"]["price"]["sell"] for *_, data in found} == {95}


def test_units_that_are_offered_or_pledged_are_held():
    lending = make_lending()
    lending.lend()
    token, seller = lending.token, make_trader()
    give_units(token, seller.wallet, 5)
    seller.place(token, "Sell", token.price_buy, 5)
    assert balance_of(seller.wallet.owner_id, token) == 0
    borrower = lending.borrower
    give_units(token, borrower, -balance_of(borrower.owner_id, token))
    assert balance_of(borrower.owner_id, token, "lien") > 0
    prices = Prices(token.price_buy + 1, token.price_sell)
    set_effective_quote(token_id=token.pk, prices=prices, note="up")
    owners = {owner for kind, _, owner, _ in events("token.") if kind == "token.quote_changed"}
    assert owners >= {seller.wallet.organisation.pk, borrower.organisation.pk}


def test_a_raise_that_two_people_complete_and_one_that_is_cancelled():
    for end, kind in (
        (complete_raise, "token.raise_completed"),
        (cancel_token, "token.cancelled"),
    ):
        issuer, buyer = make_trader(), make_trader(10_000)
        token = note(issuer)
        buyer.place(token, "Buy", 100, 10)
        why = {"reason": "Too little"} if end is cancel_token else {}
        end(token_id=token.pk, user=make_staff("end_token"), **why)
        found = [each for each in events("token.") if each[1] == token.pk]
        assert sorted((kind, owner) for kind, _, owner, _ in found) == sorted(
            (kind, owner) for owner in (token.issuer_id, buyer.wallet.organisation.pk)
        )
        token.refresh_from_db()
        assert found[0][3]["token"] == json.loads(token.document)


def test_the_last_sale_completes_a_raise_and_says_so():
    sold_out(make_trader())
    assert {kind for kind, *_ in events("token.")} == {"token.raise_completed"}


def test_each_change_of_a_loan_reaches_both_sides_and_only_one_sees_the_borrower():
    lending = make_lending()
    loan = lending.lend()
    on: dict[str, Any] = {
        "loan_id": loan.pk,
        "organisation_id": loan.organisation_id,
        "actor": TESTER,
    }
    add_collateral(pledges=(Pledge(lending.token.pk, Decimal(5)),), **on)
    release_collateral(pledges=(Pledge(lending.token.pk, Decimal(3)),), **on)
    loan = repay_loan(loan, 100)
    default(loan)
    close(loan, ClosureAction.WRITE_OFF)
    lender, borrower = lending.creditor.organisation.pk, loan.organisation_id
    found = {}
    for kind, subject, owner, data in events("loan."):
        assert subject == loan.pk
        assert (data["user"] is None) == (owner == lender)
        found[kind, owner] = data
    kinds = ["partially_repaid", "collateral_added", "collateral_released", "written_off"]
    assert {(f"loan.{kind}", owner) for kind in kinds for owner in (lender, borrower)} < set(found)
    units = {"token_id": str(lending.token.pk), "quantity": 5}
    assert found["loan.collateral_added", lender]["added"] == {
        "collaterals": [units],
        "cash_collateral": 0,
    }
    assert found["loan.collateral_released", lender]["released"] == {
        "collaterals": [{**units, "quantity": 3}],
        "cash_collateral": 0,
    }
    repayment = found["loan.partially_repaid", borrower]["repayment"]
    assert (repayment.pop("id") != "", repayment) == (
        True,
        {
            "amount": 100,
            "interest": 100,
            "principal": 0,
            "outstanding": 1_595_900,
            "paid_from": "wallet",
        },
    )
    assert found["loan.written_off", borrower]["write_off"] == {"owed": 1_595_900}


def test_a_repayment_from_cash_collateral_says_so():
    _, loan = make_cash()
    apply_cash(loan, 60_000)
    for kind, _, _, data in (found := events("loan.partially_repaid")):
        del data["repayment"]["id"]
        assert (kind, data["repayment"]) == (
            "loan.partially_repaid",
            {
                "amount": 60_000,
                "interest": 60_000,
                "principal": 0,
                "outstanding": 1_536_000,
                "paid_from": "cash_collateral",
            },
        )
    assert len(found) == 2


def test_a_key_is_named_once_before_it_expires_unless_it_has_a_successor():
    organisation = make_organisation()

    def issue(days: float) -> ApiKey:
        key, _secret = issue_api_key(
            organisation=organisation,
            name=f"{days} days",
            scopes=["orders:read"],
            expires_at=timezone.now() + timedelta(days=days),
            actor=TESTER,
        )
        return key

    soon, later, revoked, rotated = issue(13.9), issue(14.1), issue(3), issue(5)
    revoke_api_key(key_id=revoked.pk, actor=TESTER)
    rotate_api_key(key_id=rotated.pk, overlap=timedelta(days=2), actor=TESTER)
    make_caller(organisation=organisation)
    assert [warn_of_expiring_keys(), warn_of_expiring_keys()] == [1, 0]
    [(_, subject, owner, data)] = events("api_key.")
    assert (subject, owner) == (soon.pk, organisation.pk)
    assert data["api_key"]["client_id"] == soon.client_id
    ApiKey.objects.filter(pk=later.pk).update(expires_at=timezone.now() + timedelta(days=14))
    assert warn_of_expiring_keys() == 1
