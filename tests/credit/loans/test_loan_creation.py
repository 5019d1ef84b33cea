"""What `make_loan` enforces for every caller: coverage, funds, and what it writes.

`loan_terms` enforces the terms, the service locks and rules (`test_lending`).
"""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import Error, connection, transaction

from credit.loans.models import Loan
from exchange.core.ids import uuid7
from exchange.events.models import Event
from exchange.tokens.models import Token
from tests.assertions.ledger import system_account_id
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.owner import without_guards
from tests.factories.api_clients import make_member
from tests.factories.bare_rows import as_json
from tests.factories.loan_configurations import make_configuration
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, make_wallet
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db


def make(
    loan: Loan, *pledges: tuple[UUID, str, str], ids: list[UUID] | None = None, **changes: Any
) -> str | None:
    """Call the function for another loan like `loan`; pledges are tokens, units and prices."""
    columns = {field.attname: getattr(loan, field.attname) for field in Loan._meta.concrete_fields}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT make_loan(%s::jsonb, %s::uuid[], %s::numeric[], %s::numeric[], %s::uuid[])",
            [
                as_json({**columns, "id": uuid7(), **changes}),
                *(list(each) for each in zip(*pledges, strict=True)),
                ids or [uuid7() for _ in range(3)],
            ],
        )
        document: str | None = cursor.fetchone()[0]
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        return document


def refusal(loan: Loan, *pledges: tuple[UUID, str, str], **changes: Any) -> str:
    """Return the constraint that rejects the loan; nothing may have moved."""
    with assert_nothing_changes(), pytest.raises(Error) as refused:
        make(loan, *pledges, **changes)
    cause: Any = refused.value.__cause__
    return str(cause.diag.constraint_name)


def test_the_collateral_covers_the_principal_at_current_prices(lending):
    loan, token = lending.lend(units=105), lending.token.id
    price = Decimal(10_000)
    other = {
        name: make_token(
            price_sell=price, price_buy=price, currency="KES" if name == "KES" else "NGN"
        )
        for name in ("KES", "exited", "cancelled", "listed")
    }
    for each in other.values():
        give_units(each, lending.borrower, 200)
    with without_guards():
        for name in ("exited", "cancelled"):
            Token.objects.filter(id=other[name].id).update(**{name: True})
    for pledges in (
        [(token, "104.99999999", "10000")],
        [(token, "120", "10000.01")],
        [(token, "120", "9999.99")],
        *([(other[name].id, "105", "10000")] for name in ("KES", "exited", "cancelled")),
        *(
            [(token, "105", "10000"), (other[name].id, "1", "10000")]
            for name in ("KES", "exited", "cancelled")
        ),
        [(token, "100", "10000"), (other["listed"].id, "4.99999999", "10000")],
    ):
        assert refusal(loan, *pledges) == "loan_covered", pledges
    assert make(loan, (token, "105", "10000")) is not None
    both = ((token, "100", "10000"), (other["listed"].id, "5", "10000"))
    assert make(loan, *both) is not None


def test_insufficient_balances_move_nothing_and_other_errors_are_raised(lending):
    loan, pledge = lending.lend(), (lending.token.id, "105", "10000")
    with assert_nothing_changes():
        assert make(loan, (lending.token.id, "895.00000001", "10000")) is None
    poor = make_wallet(839_999, currency="NGN")
    offer = make_configuration(poor.organisation, access="public")
    terms: dict[str, Any] = {
        "creditor_id": poor.organisation.id, "configuration_id": offer.id,
        "version_id": offer.versions.get().id,
    }  # fmt: skip
    before = Transfer.objects.count(), Loan.objects.count()
    assert make(loan, pledge, **terms) is None
    assert (Transfer.objects.count(), Loan.objects.count()) == before
    assert (balance_of(poor.owner_id, "NGN"), balance_of(poor.owner_id, "NGN", "principal")) == (
        839_999,
        0,
    )
    assert refusal(loan, pledge, amount="840000.001") == "entry_decimals"


def test_the_loans_account_is_that_of_the_currency(lending):
    """Another currency was lent before, and other lenders have their own books."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT open_account(%s, 'KES', 'loans', NULL, NULL)", [uuid7()])
    loan = lending.lend()
    entries = Transfer.objects.get(reference=f"loan:{loan.id}:disburse").entries
    assert list(
        entries.filter(account_id=system_account_id("loans", "NGN")).values_list("amount")
    ) == [(Decimal(-840_000),)]
    again = lending.lend()
    assert entries.model.objects.filter(account_id=system_account_id("loans", "NGN")).count() == 2
    assert again.id != loan.id
    assert_books_hold()


def test_a_long_reason_is_truncated_in_the_transfer(lending):
    reason = "".join(chr(ord("a") + number % 26) for number in range(500))
    loan = lending.lend(reason=reason)
    made = Transfer.objects.get(reference=f"loan:{loan.id}:disburse")
    assert (loan.reason, made.memo, made.actor) == (reason, reason[:300], loan.requested_by)


def test_borrower_and_creditor_receive_one_event_each(lending):
    loan, ids = lending.lend(), [uuid7() for _ in range(3)]
    pledge = (lending.token.id, "105", "10000")
    assert make(loan, pledge, ids=ids) is not None
    assert Transfer.objects.filter(id=ids[0]).exists()
    events = dict(Event.objects.filter(id__in=ids).values_list("id", "organisation_id"))
    assert events == {ids[1]: loan.organisation_id, ids[2]: loan.creditor_id}
    # The creditor's own member: one organisation, one event.
    own = Wallet(lending.creditor.organisation, make_member(lending.creditor.organisation))
    give_units(lending.token, own, 200)
    lending.borrower = own
    before = Event.objects.count()
    lending.lend()
    assert Event.objects.count() == before + 1
