"""What `loan_facts` reads, each value from its own row, and which rows it locks."""

import json
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from credit.configurations.models import ConfigurationVersion, LoanConfiguration, LoanLimit
from credit.loans.models import Outstanding
from exchange.core.ids import uuid7
from exchange.participants.models import Member
from exchange.tokens.models import Token, TokenAccess
from tests.environment.database import session
from tests.environment.owner import without_guards
from tests.factories.bare_rows import insert_row
from wallets.ledger.models import Account

NAMED = ConfigurationVersion.organisations.through
ORGANISATION, ELSEWHERE = uuid7(), uuid7()
MEMBER, STRANGER, FOREIGNER = uuid7(), uuid7(), uuid7()


def facts(
    configuration: UUID,
    *tokens: UUID,
    currency: str = "NGN",
    member: UUID = MEMBER,
    organisation: UUID = ORGANISATION,
) -> dict[str, Any]:
    """Call the function without locks."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT loan_facts(%s, %s, %s, %s, %s::uuid[], false)",
            [organisation, member, configuration, currency, list(tokens)],
        )
        found: dict[str, Any] = json.loads(cursor.fetchone()[0], parse_float=Decimal)
        return found


def token(cursor: Any, number: int, **given: Any) -> UUID:
    facts = {"name": f"T{number}", "symbol": f"T{number}", "reference": number, **given}
    made: UUID = insert_row(cursor, Token, **facts)["id"]
    return made


def holds(cursor: Any, owner: UUID, asset: UUID | str, balance: int, kind: str) -> None:
    insert_row(
        cursor, Account, organisation_id=owner, asset_id=str(asset), balance=balance, kind=kind
    )  # fmt: skip


@pytest.mark.django_db
def test_tokens_are_the_visible_ones_with_the_members_units():
    with without_guards() as cursor:
        public = token(cursor, 1, deal_access="Public")
        unheld = token(cursor, 2, deal_access="Public")
        shown = token(cursor, 3, deal_access="Private")
        hidden = token(cursor, 4, deal_access="Private")
        sibling = token(cursor, 5, deal_access="Public")
        insert_row(cursor, TokenAccess, token_id=shown, organisation_id=ORGANISATION)
        insert_row(cursor, TokenAccess, token_id=hidden, organisation_id=ELSEWHERE)
        for owner, asset, balance, kind in (
            (MEMBER, public, 5, "available"), (MEMBER, public, 7, "lien"),
            (MEMBER, sibling, 6, "available"), (MEMBER, shown, 8, "available"),
            (STRANGER, public, 9, "available"), (STRANGER, unheld, 4, "available"),
        ):  # fmt: skip
            holds(cursor, owner, asset, balance, kind)
    found = facts(uuid7(), public, unheld, shown, hidden)
    assert found["offer"] is None
    units = sorted((each["name"], each["available"]) for each in found["tokens"])
    assert units == [("T1", 5), ("T2", 0), ("T3", 8)]
    assert facts(uuid7())["tokens"] == []


@pytest.mark.django_db
def test_the_member_is_one_of_the_organisation():
    with without_guards() as cursor:
        for member, organisation in (
            (MEMBER, ORGANISATION), (FOREIGNER, ELSEWHERE),
        ):  # fmt: skip
            insert_row(
                cursor, Member, id=member, organisation_id=organisation, name="x",
                external_id=str(member),
            )  # fmt: skip
    assert facts(uuid7())["member"] is True
    assert facts(uuid7(), member=FOREIGNER)["member"] is False
    assert facts(uuid7(), member=STRANGER)["member"] is False
    assert facts(uuid7(), organisation=ELSEWHERE)["member"] is False


@pytest.mark.django_db
def test_an_offer_has_its_effective_version_and_limits():
    """Two offers differ only in their amounts; each returns its own."""
    rates = ("0.1", "0.2")
    offers = []
    with without_guards() as cursor:
        for number, rate in enumerate(rates, 1):
            offer = insert_row(cursor, LoanConfiguration, status="Approved")
            for status, duration in (("Rejected", 1), ("Approved", 2), ("Pending", 3)):
                version = insert_row(
                    cursor, ConfigurationVersion, configuration_id=offer["id"], status=status,
                    number=duration, duration=duration, interest_rate=rate, access="public",
                )  # fmt: skip
                for place, currency in enumerate(("NGN", "KES"), 1):
                    least = 1000 * number + 100 * place + 10 * duration
                    insert_row(
                        cursor, LoanLimit, version_id=version["id"], currency_id=currency,
                        min_amount=least, max_amount=least + 1, max_outstanding=least + 2,
                    )  # fmt: skip
            for place, currency in enumerate(("NGN", "KES"), 1):
                amount_value = 10 * number + place
                insert_row(
                    cursor, Outstanding, configuration_id=offer["id"], currency_id=currency,
                    principal=amount_value,
                )  # fmt: skip
                for kind, more in (("available", 100), ("escrow", 200)):
                    holds(cursor, offer["creditor_id"], currency, amount_value + more, kind)
            offers.append(offer)
    for number, offer in enumerate(offers, 1):
        for place, currency in enumerate(("NGN", "KES"), 1):
            found = facts(offer["id"], currency=currency)["offer"]
            version, least = found.pop("version"), 1000 * number + 100 * place + 20
            assert version["duration"] == 2
            assert version["interest_rate"] == Decimal(rates[number - 1])
            assert found == {
                "creditor_id": str(offer["creditor_id"]), "status": "Approved",
                "access": "public", "named": False, "min_amount": least, "max_amount": least + 1,
                "max_outstanding": least + 2, "outstanding": 10 * number + place,
                "balance": 110 + 10 * (number - 1) + place,
                "block": None,
            }  # fmt: skip


@pytest.mark.django_db
def test_an_offer_without_an_effective_version_has_no_terms():
    with without_guards() as cursor:
        offer = insert_row(cursor, LoanConfiguration, status="Retired")
        version = insert_row(
            cursor, ConfigurationVersion, configuration_id=offer["id"], status="Pending"
        )  # fmt: skip
        insert_row(cursor, LoanLimit, version_id=version["id"], min_amount=1, max_amount=2)
        # What the creditor has lent is not there to be lent.
        holds(cursor, offer["creditor_id"], "NGN", 9, "principal")
    assert facts(offer["id"])["offer"] == {
        "creditor_id": str(offer["creditor_id"]), "status": "Retired", "access": None,
        "named": False, "version": None, "min_amount": None, "max_amount": None,
        "max_outstanding": None, "outstanding": 0, "balance": 0,
        "block": None,
    }  # fmt: skip


@pytest.mark.django_db
def test_named_organisations_come_from_the_effective_version():
    with without_guards() as cursor:
        mine, other = (insert_row(cursor, LoanConfiguration, status="Approved") for _ in range(2))
        for offer, status, number, who in (
            (mine, "Rejected", 1, ELSEWHERE), (mine, "Approved", 2, ORGANISATION),
            (other, "Approved", 1, ELSEWHERE),
        ):  # fmt: skip
            version = insert_row(
                cursor, ConfigurationVersion, configuration_id=offer["id"], status=status,
                number=number,
            )  # fmt: skip
            insert_row(cursor, NAMED, configurationversion_id=version["id"], organisation_id=who)
    named = [
        facts(offer["id"], organisation=organisation)["offer"]["named"]
        for offer in (mine, other)
        for organisation in (ORGANISATION, ELSEWHERE)
    ]
    assert named == [True, False, False, True]


@pytest.mark.django_db(transaction=True)
def test_only_the_requested_tokens_and_configuration_are_locked():
    with without_guards() as cursor:
        tokens = sorted(token(cursor, number) for number in range(3))
        offers = sorted(insert_row(cursor, LoanConfiguration)["id"] for _ in range(2))

    def free(*, lock: bool) -> tuple[list[UUID], list[UUID]]:
        """Return tokens and configurations that another transaction can lock meanwhile."""
        with session("runtime") as locking, session("owner") as other:
            locking.execute(
                "SELECT loan_facts(%s, %s, %s, 'NGN', %s, %s)",
                [ORGANISATION, MEMBER, offers[0], tokens[:2], lock],
            )
            found = [
                sorted(
                    id_
                    for (id_,) in other.execute(
                        f"SELECT id FROM {table} FOR NO KEY UPDATE SKIP LOCKED"
                    )
                )
                for table in ("exchange_token", "credit_loanconfiguration")
            ]
            locking.rollback()
            return found[0], found[1]

    assert free(lock=True) == (tokens[2:], offers[1:])
    assert free(lock=False) == (tokens, offers)
